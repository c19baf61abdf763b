/** An operation as an agent requests it, by name: it may come twice, late, or after the agent is gone. */
import { makeProblem } from "../../../src/base/problem.ts";
import { type Candidate, candidatesIn } from "../../../src/evidence/services/reported-work.ts";
import { recordUnjudged } from "../../../src/evidence/services/undecided-reports.ts";
import { recordVerdicts } from "../../../src/evidence/services/verification.ts";
import type { InboxPage } from "../../../src/mail/operations.ts";
import type { VerifiedFiles } from "../../../src/messages/handoff-body.ts";
import { readAddress } from "../../../src/messages/role.ts";
import { type Actor, batonActor, type Context } from "../../../src/perform/context.ts";
import type {
  AddTask,
  ClaimTask,
  CompleteTask,
  Grant,
  StartShutdown,
} from "../../../src/perform/operations/generated/calls.ts";
import type { Reply } from "../../../src/perform/operations/reply.ts";
import type { Answer as ApprovalAnswer } from "../../../src/perform/system-message.ts";
import type { Registration, WorkingTeam } from "../../../src/perform/team.ts";
import { fireDue } from "../../../src/perform/timers.ts";
import { reviseTeam } from "../../../src/team/handlers/revision.ts";
import type { TeamDefinition } from "../../../src/team/state/definition.ts";

/** What is asked. */
export type Asked =
  | { readonly do: "send"; readonly text: string; readonly id?: string; readonly to?: readonly string[] }
  | { readonly do: "claim"; readonly task: ClaimTask }
  | { readonly do: "renew"; readonly task: string; readonly token?: number }
  | { readonly do: "complete"; readonly work: CompleteTask }
  | { readonly do: "release"; readonly task: string; readonly token?: number }
  | { readonly do: "reassign"; readonly task: string; readonly to: string }
  | { readonly do: "add-task"; readonly task: AddTask }
  | { readonly do: "answer"; readonly request: string; readonly answer: ApprovalAnswer }
  | { readonly do: "resolve"; readonly escalation: string; readonly decision: string }
  | { readonly do: "accept-handoff"; readonly handoff: string; readonly verified?: VerifiedFiles }
  | { readonly do: "reject-handoff"; readonly handoff: string; readonly reasons: readonly string[] }
  | { readonly do: "complete-handoff"; readonly handoff: string; readonly verified?: VerifiedFiles }
  | AskedOfPhase
  | { readonly do: "shutdown"; readonly start: StartShutdown }
  | { readonly do: "register"; readonly agent: Registration }
  | { readonly do: "retire"; readonly agent: string }
  | { readonly do: "acknowledge"; readonly seq: number }
  | { readonly do: "inbox"; readonly limit: number }
  | { readonly do: "raise"; readonly escalation: string }
  | { readonly do: "attend" }
  | { readonly do: "leave" }
  | { readonly do: "sign" }
  | { readonly do: "fire" }
  | { readonly do: "judge"; readonly look: Look; readonly found: Found }
  | { readonly do: "revise"; readonly definition: TeamDefinition };

/** What is asked of a phase. */
type AskedOfPhase =
  | { readonly do: "skip-step"; readonly step: string; readonly reason: string }
  | { readonly do: "end-phase" }
  | { readonly do: "exclude-department"; readonly department: string; readonly reason: string }
  | { readonly do: "lift-stop"; readonly stop: string; readonly reason: string };

/** What the repository shows of a report. */
export interface Found {
  /** `undecided`: the repository lacks the history. */
  readonly state: "verified" | "disputed" | "gone" | "undecided";
  readonly files: readonly string[];
}

/** What a judge saw when it looked: the report, and the last entry then. The verdict may come much later. */
export interface Look {
  readonly candidate: Candidate;
  readonly asOf: number;
}

/** An operation of an agent. The same id means the same operation. */
export interface Act {
  readonly id: string;
  readonly agent: string;
  /** The program that stays and asks for its agent; absent: one that comes and goes. */
  readonly program?: string;
  readonly asked: Asked;
}

/** What came of it, as the core told it. `null`: nothing to tell. */
export interface Told {
  readonly reply: Reply | null;
  readonly inbox: InboxPage | null;
  /** The claim that was granted, or came with a handoff. */
  readonly granted: { readonly task: string; readonly token: number } | null;
  /** When the next deadline passes, by the machine's own time. */
  readonly dueAtMs: number | null;
}

const nothingTold: Told = { reply: null, inbox: null, granted: null, dueAtMs: null };

/** Asks the core. Acts that change something are asked under the operation's id. */
export async function perform(team: WorkingTeam, context: Context, { id, asked }: Act): Promise<Told> {
  const replied = async (reply: Promise<Reply>): Promise<Told> => ({ ...nothingTold, reply: await reply });
  const claimed = async (claim: Promise<Reply<Grant>>): Promise<Told> => {
    const reply = await claim;
    return { ...nothingTold, reply, granted: reply.outcome === "accepted" ? reply : null };
  };
  switch (asked.do) {
    case "send":
      return replied(team.send(asked.text, sendOptions(asked)));
    case "claim":
      return claimed(team.claim(asked.task, { id }));
    case "renew":
      return claimed(team.renew({ task: asked.task, ...withToken(asked) }, { id }));
    case "complete":
      return replied(team.complete(asked.work, { id }));
    case "release":
      return replied(team.release({ task: asked.task, ...withToken(asked) }, { id }));
    case "reassign":
      return replied(team.reassign({ task: asked.task, to: asked.to, reason: "Somebody else has time" }, { id }));
    case "add-task":
      return replied(team.addTask(asked.task, { id }));
    case "answer":
      return replied(team.answer({ request: asked.request, ...asked.answer }, { id }));
    case "resolve":
      return replied(team.resolve({ escalation: asked.escalation, decision: asked.decision }, { id }));
    case "accept-handoff": {
      const reply = await team.acceptHandoff(asked, { id });
      return { ...nothingTold, reply, granted: reply.outcome === "accepted" ? reply.claim : null };
    }
    case "reject-handoff":
      return replied(team.rejectHandoff(asked, { id }));
    case "complete-handoff":
      return replied(team.completeHandoff(asked, { id }));
    case "skip-step":
    case "end-phase":
    case "exclude-department":
    case "lift-stop":
      return replied(performOnPhase(team, asked, { id }));
    case "shutdown":
      return replied(team.startShutdown(asked.start, { id }));
    case "register":
      return replied(team.register(asked.agent, { id }));
    case "retire":
      return replied(team.retire({ agent: asked.agent }, { id }));
    case "acknowledge":
      return replied(team.acknowledge(asked.seq));
    case "inbox": {
      const page = await team.inbox({ limit: asked.limit });
      return page.ok ? { ...nothingTold, inbox: page.value } : nothingTold;
    }
    case "raise":
      return replied(team.raise({ escalation: asked.escalation }, { id }));
    case "attend":
      await team.attend();
      return nothingTold;
    case "leave":
      await team.leave();
      return nothingTold;
    case "sign":
      await team.heartbeat();
      return nothingTold;
    case "fire": {
      const next = await fireDue(context);
      return { ...nothingTold, dueAtMs: next.ok ? next.value : null };
    }
    case "judge":
      return judge(context, id, asked);
    case "revise":
      await reviseTeam(context, asked.definition);
      return nothingTold;
  }
}

function performOnPhase(team: WorkingTeam, asked: AskedOfPhase, named: { readonly id: string }): Promise<Reply> {
  switch (asked.do) {
    case "skip-step":
      return team.skipStep({ step: asked.step, reason: asked.reason }, named);
    case "end-phase":
      return team.endPhase({}, named);
    case "exclude-department":
      return team.excludeDepartment({ department: asked.department, reason: asked.reason }, named);
    case "lift-stop":
      return team.liftStop({ stop: asked.stop, reason: asked.reason }, named);
  }
}

/** What a judge sees of a task that is reported as complete; null: there is nothing to judge. */
export async function lookAt({ journal, team }: Pick<Context, "journal" | "team">, task: string): Promise<Look | null> {
  const folded = await journal.state(team);
  const candidates = folded.ok ? candidatesIn(folded.value.state, [task]) : folded;
  const candidate = candidates.ok ? candidates.value[0] : undefined;
  return folded.ok && candidate !== undefined ? { candidate, asOf: folded.value.head.seq } : null;
}

/** Records what a look at the repository brought, as the hub does, however long ago that look was. */
async function judge(
  context: Context,
  id: string,
  { look: { candidate, asOf }, found: { state, files } }: Extract<Asked, { readonly do: "judge" }>,
): Promise<Told> {
  const { task, plan, work } = candidate;
  const problems =
    state === "verified" ? [] : [makeProblem("commit-missing", task, "The simulated repository shows it.")];
  const commits = work.commits.map((commit) => commit.padEnd(40, "0"));
  const commit = commits.at(-1) ?? null;
  if (state === "undecided") {
    const reported = { task, plan, state: "reported", commit, commits, problems, notes: [] } as const;
    await recordUnjudged(context, { candidate, files, verdict: reported });
    return nothingTold;
  }
  const verdict = { task, plan, state, commit, commits, problems, notes: [] };
  await recordVerdicts(context, batonActor, [{ candidate, files, verdict }], {
    asOf,
    repository: null,
    idOf: () => id,
  });
  return nothingTold;
}

/** The actor of an operation: its name is proven, whatever its messages say. */
export function actorOf({ agent, program }: Pick<Act, "agent" | "program">): Actor {
  return { agent, via: "launcher", ...(program === undefined ? {} : { program }) };
}

function sendOptions({ id, to }: Extract<Asked, { readonly do: "send" }>) {
  const addresses = (to ?? []).flatMap((name) => {
    const read = readAddress(name);
    return read.ok ? [read.value] : [];
  });
  return { ...(id === undefined ? {} : { id }), ...(addresses.length === 0 ? {} : { to: addresses }) };
}

function withToken({ token }: { readonly token?: number }): { readonly token?: number } {
  return token === undefined ? {} : { token };
}
