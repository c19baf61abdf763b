/**
 * Asks the person in the agent's own terminal, within the call that filed a request for approval: the client's program shows
 * a form (an elicitation), whose answer no model writes, and the owner's decision is recorded. Whatever else becomes of the
 * form, the request waits as every other. Source: docs/protocol/asking.md, section 1.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ApprovalState } from "../../approvals/decide/approvals.ts";
import { newMessageId } from "../../base/new-ids.ts";
import { makeProblem } from "../../base/problem.ts";
import { shorten, visible } from "../../base/text.ts";
import type { LocalTeam } from "../../perform/team.ts";
import { type CallOrigin, inToolWords, type PersonHere, refusal, type ToolAnswer } from "./tool.ts";

/** The team as its owner has it, and the agent's session; to be disposed of. */
export interface OwnersSession extends AsyncDisposable {
  readonly team: Pick<LocalTeam, "answer" | "effect">;
  /** What the record calls the session. */
  readonly session: string;
}

/** Opens it where the owner started the session that makes the call; null: its person may be another. */
export type OpenOwners = (agent: string, origin: CallOrigin) => Promise<OwnersSession | null>;

/** A request that was filed, whose form is shown. */
interface Filed {
  readonly answer: ToolAnswer;
  readonly request: string;
  /** The last entry that the form shows. */
  readonly ifSeq: number;
  open(): Promise<OwnersSession | null>;
}

/** How long a form is waited for, in milliseconds, where the server waits: the agent does nothing meanwhile. */
const formMsMax = 120_000;
/** More forms than one session shows at a time. */
const filedMax = 32;

/** The person of the session whose owner's team `open` brings. */
export function personHere(open: OpenOwners): PersonHere {
  const shown = new Map<string, Filed>();
  return {
    decide: async (answer, { team, origin, server, context }) => {
      const { agent } = team.actor;
      // Every answer that something was recorded has it.
      const { seq } = (answer.data.receipt ?? {}) as { readonly seq?: number };
      if (seq === undefined || !takesForms(server, context)) return answer;
      const opens = () => open(agent, origin);
      const found = await team.approvals({});
      const request = found.ok ? found.value.find((each) => each.seq === seq && each.requester === agent) : undefined;
      if (request?.status !== "open") return answer;
      await using owners = await opens();
      const effect = await owners?.team.effect({ request: request.requestId });
      if (effect?.ok !== true || !effect.value.approve.isAccepted) return answer;
      const filed = { answer, request: request.requestId, ifSeq: effect.value.ifSeq, open: opens };
      const form = formOf(askingWords(request, effect.value.approve.says));
      if (perCall(context) === undefined) return await record(filed, await elicited(context, form));
      const requestState = newMessageId();
      for (const old of [...shown.keys()].slice(0, Math.max(0, shown.size - filedMax))) shown.delete(old);
      shown.set(requestState, filed);
      return inputRequired({ inputRequests: { decision: inputRequired.elicit(form) }, requestState });
    },
    resume: async ({ mcpReq }) => {
      const state = mcpReq.requestState();
      if (typeof state !== "string") return null;
      const filed = shown.get(state);
      // Running the tool again would ask a second time.
      if (filed === undefined) return refusal([formGone]);
      shown.delete(state);
      const said = inputResponse(mcpReq.inputResponses, "decision");
      return await record(filed, said.kind === "elicit" && said.action === "accept" ? said.content : undefined);
    },
  };
}

const formGone = makeProblem("unknown-request", "", "This form is not open any more.", {
  hint: "What you asked for waits all the same: the owner decides with `baton needs`, or on the page.",
});

/** Baton's words come first: those of the agent may look like them. */
function askingWords({ requester, subject, evidence }: ApprovalState, says: readonly string[]): string {
  const own = shorten(`${subject}. ${evidence}`, ownCharactersMax);
  // A program keeps its form open whatever is decided elsewhere, and tells its person nothing of an answer that came late.
  const late = "Decided elsewhere first, this form changes nothing.";
  return visible(
    `${requester} asks for your approval. A yes: ${says.join(" ")} ${late} What ${requester} wrote: ${own}`,
  );
}

const ownCharactersMax = 500;

function formOf(message: string): ElicitRequestFormParams {
  const decision = { type: "string", title: "Decision", enum: ["approve", "deny"] } as const;
  return {
    mode: "form",
    message,
    requestedSchema: { type: "object", properties: { decision }, required: ["decision"] },
  };
}

/** Whether the client shows forms in this call. */
function takesForms(server: McpServer, context: ServerContext): boolean {
  // oxlint-disable-next-line typescript/no-deprecated -- in the protocol with sessions nothing else says it
  const { elicitation } = perCall(context) ?? server.server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** What the client says in each call of the protocol without sessions, where it repeats a call with the person's answer. */
function perCall({ mcpReq: { envelope = {} } }: ServerContext): ClientCapabilities | undefined {
  return (envelope as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities })[CLIENT_CAPABILITIES_META_KEY];
}

/** What the person chose; undefined: nothing, or nothing in time. */
async function elicited({ mcpReq }: ServerContext, form: ElicitRequestFormParams) {
  try {
    const asking = { timeout: formMsMax, signal: mcpReq.signal };
    const { action, content } = await mcpReq.send({ method: "elicitation/create", params: form }, asking);
    return action === "accept" ? content : undefined;
  } catch {
    // Too late, or the client has gone: nobody decided here.
    return undefined;
  }
}

/** Records what the person chose as the owner's decision. */
async function record(
  { answer, request, ifSeq, open }: Filed,
  content: Readonly<Record<string, unknown>> | undefined,
): Promise<ToolAnswer> {
  const { decision } = content ?? {};
  if (decision !== "approve" && decision !== "deny") return answer;
  await using owners = await open();
  if (owners === null) return answer;
  const reason = `by elicitation in session ${owners.session}`;
  const approved = decision === "approve";
  const reply = await owners.team.answer({ request, approved, reason, ifSeq });
  const decided =
    reply.outcome === "accepted"
      ? { approved, reason, decidedBy: "owner" }
      : {
          problems: (reply.outcome === "failed" ? [reply.problem] : reply.problems).map((each) => ({
            ...inToolWords(each),
          })),
        };
  return { ...answer, data: { ...answer.data, decision: decided } };
}
