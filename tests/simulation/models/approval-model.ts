/**
 * Approvals by the entries alone: one decision for each request, by an agent that may decide, and a deadline that
 * passes late, never early. Written from docs/protocol/asking.md, sections 1 to 4.
 */
import type { CoordinationEvent } from "../../../src/perform/deciders.ts";
import type { EventOf, Seen, Wrong } from "./seen.ts";

/** The state of a request by the entries. */
export interface KnownRequest {
  readonly key: string;
  readonly id: string;
  readonly requester: string;
  readonly type: string;
  readonly addressees: readonly string[];
  /** How long an answer was given; null: without end. */
  readonly deadlineMs: number | null;
  readonly openedAt: number;
  status: "open" | "approved" | "denied" | "expired";
}

export interface ApprovalModel {
  readonly requests: ReadonlyMap<string, KnownRequest>;
  open(): readonly KnownRequest[];
  /** Follows events about requests, and leaves all others alone. */
  take(event: CoordinationEvent, seen: Seen): void;
}

/** Who answers for the team, in addition to its owner: the same in both families. */
const answerers = ["lead", "architect"];

/** No requests. */
export function newApprovalModel(wrong: Wrong): ApprovalModel {
  const requests = new Map<string, KnownRequest>();
  const open = () => [...requests.values()].filter(({ status }) => status === "open");
  const requested = ({ request }: EventOf<"approval-requested">, { entry, atMs, said, head }: Seen) => {
    const { requestId: id, requester } = request;
    if (requester !== entry.principal.agent) wrong(`${entry.principal.agent} opens a request as ${requester}`);
    if (open().some((other) => other.id === id)) wrong(`the open request ${id} is taken by another`);
    const key = `${requester}/${id}`;
    const [deadline, timestamp] = [said("deadline"), head("timestamp")];
    const durationMs =
      typeof deadline === "string" && typeof timestamp === "string" ? Date.parse(deadline) - Date.parse(timestamp) : 0;
    requests.set(key, {
      key,
      id,
      requester,
      type: request.requestType,
      addressees: entry.receivers.filter((agent) => agent !== requester),
      deadlineMs: durationMs > 0 ? durationMs : null,
      openedAt: atMs,
      status: "open",
    });
  };
  /** The request that an answer names, or the only open one that waits for who answers. */
  const meant = (named: unknown, answerer: string): KnownRequest | undefined => {
    const byName = [...requests.values()].filter(({ id }) => id === named);
    if (byName.length > 0) return byName.at(-1);
    const waiting = open().filter(({ addressees }) => addressees.includes(answerer));
    return waiting.length === 1 ? waiting[0] : undefined;
  };
  const answered = ({ key, answer }: EventOf<"approval-answered">, { entry, content, said }: Seen) => {
    const { agent, role } = entry.principal;
    const request = requests.get(key);
    if (request === undefined) return wrong(`${agent} answers the request ${key}, which nobody made`);
    if (request.status !== "open") wrong(`${agent} answers ${key}, which is ${request.status}`);
    if (answer.decidedBy !== agent) wrong(`${agent} decides ${key} as ${answer.decidedBy}`);
    if (agent === request.requester) wrong(`${agent} answers its own request ${key}`);
    if (agent !== "owner" && !answerers.includes(role ?? "")) wrong(`${agent} (${role}) answers ${key}`);
    if (agent !== "owner" && request.type === "gate_override") wrong(`${agent} lifts a gate by ${key}`);
    const named = entry.kind === "command" ? content.command?.request : said("request_id");
    if (meant(named, agent) !== request) wrong(`an answer to ${JSON.stringify(named)} decides ${key}`);
    const word = entry.kind === "command" ? content.command?.approved : said("approved");
    if (word !== answer.approved) wrong(`${agent} said ${JSON.stringify(word)} to ${key}; kept as ${answer.approved}`);
    if (!entry.receivers.includes(request.requester)) wrong(`${request.requester} is not told the answer to ${key}`);
    request.status = answer.approved ? "approved" : "denied";
  };
  return {
    requests,
    open,
    take(event, seen) {
      if (event.event === "approval-requested") requested(event, seen);
      if (event.event === "approval-answered") answered(event, seen);
      if (event.event === "approval-closed") closed({ wrong, requests }, event, seen);
      if (event.event !== "approval-expired") return;
      const request = requests.get(event.key);
      if (request === undefined) return wrong(`the request ${event.key} expires, which nobody made`);
      const { status, deadlineMs, openedAt, requester } = request;
      if (seen.entry.kind !== "timer") wrong(`${event.key} expires in an entry that is no timer's`);
      if (status !== "open") wrong(`${event.key} expires and is ${status}`);
      if (deadlineMs === null) wrong(`${event.key} expires and has no deadline`);
      const early = openedAt + (deadlineMs ?? 0) - seen.atMs;
      if (early > 0) wrong(`${event.key} expires ${early} ms early`);
      if (!seen.entry.receivers.includes(requester)) wrong(`${requester} is not told that ${event.key} expired`);
      request.status = "expired";
    },
  };
}

/** A request closes without an answer only in the entry by which its requester leaves. */
function closed(
  { wrong, requests }: { readonly wrong: Wrong; readonly requests: ReadonlyMap<string, KnownRequest> },
  { key, requester }: EventOf<"approval-closed">,
  { content }: Seen,
): void {
  const request = requests.get(key);
  if (request?.status !== "open") wrong(`${key} is closed and is ${request?.status ?? "unknown"}`);
  if (request === undefined) return;
  if (request.requester !== requester) wrong(`${key} of ${request.requester} is closed because ${requester} left`);
  const isGone = (content.team ?? []).some(
    (event) =>
      (event.event === "agent-retired" && event.agent === requester) ||
      (event.event === "team-revised" && !event.definition.agents.some(({ agent }) => agent === requester)),
  );
  if (!isGone) wrong(`${key} is closed because ${requester} left, who did not`);
  request.status = "expired";
}
