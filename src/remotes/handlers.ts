/**
 * What agents ask of remotes: recorded here, sent by the hub (`main/remote-delivery.ts`), and what a remote answers is
 * recorded as its word and written to who asked. Agents name a remote and never an address.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { canonical, sha256 } from "../base/canonical.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { shorten, visible } from "../base/text.ts";
import type { Message } from "../messages/message.ts";
import { ownerName, type Principal } from "../messages/principal.ts";
import { effectsOf } from "../perform/content.ts";
import type { Actor, TeamContext } from "../perform/context.ts";
import { decideRemotes } from "../perform/deciders.ts";
import type { AddRemote, AskRemote, RemoveRemote, WithdrawRemote } from "../perform/operations/generated/calls.ts";
import type { Reply } from "../perform/operations/reply.ts";
import { type Operation, perform } from "../perform/perform.ts";
import { prose, quoted, textProblem } from "../perform/prose.ts";
import { entryAt } from "../perform/reply.ts";
import type { At } from "../perform/rules.ts";
import type { TeamState } from "../perform/state.ts";
import { unknownTask } from "../tasks/decide/claims.ts";
import { findTask } from "../tasks/state/task-state.ts";
import { isNews, openRemoteAsks, type RemoteAsk, type RemoteCommand, type RemoteReport } from "./decide.ts";
import type { RemoteView } from "./operations.ts";
import { remoteViews } from "./view.ts";

/** What a hub does for remotes. */
export interface RemoteDelivery {
  /** What is open at remotes, with the words that wait to be sent. Problems: those of the journal. */
  remoteWork(): Promise<Result<readonly OutgoingAsk[], Problem>>;
  /** Records what a look at the remote showed, and writes it to who asked. What is known already is not recorded. */
  reportRemote(ask: RemoteAsk, report: RemoteReport): Promise<Reply>;
  /** Records that a remote cannot be reached, or (null) is reached again; what is known already is not recorded. */
  reachRemoteOnce(remote: string, problem: { readonly code: string; readonly message: string } | null): Promise<void>;
}

/** An ask with the words of its entries that the remote has not taken. */
export interface OutgoingAsk {
  readonly ask: RemoteAsk;
  readonly unsent: readonly { readonly seq: number; readonly text: string }[];
}

/** Adds a remote. Refuses `human-required` for everybody but the owner. */
export const addRemote: Operation<AddRemote, TeamContext> = {
  name: "add-remote",
  decide: (state, { remote }, at) => decideByOwner(state, { command: "add-remote", remote, seq: at.seq }, at),
};

/** Removes a remote. Refuses `human-required` for everybody but the owner. */
export const removeRemote: Operation<RemoveRemote, TeamContext> = {
  name: "remove-remote",
  decide: (state, { remote }, at) => decideByOwner(state, { command: "remove-remote", remote, seq: at.seq }, at),
};

function decideByOwner({ coordination }: TeamState, command: RemoteCommand, { by }: At) {
  if (by.agent === ownerName) return decideRemotes(coordination, command);
  const message = "Only the person who owns the team decides which remotes it has.";
  return err([makeProblem("human-required", by.agent, message, { expected: ownerName, received: by.agent })]);
}

/** The id of what an agent's operation of this id asks of a remote. */
export function remoteAskId(asker: string, id: string): string {
  return `out-${sha256(canonical([asker, id])).slice(0, 20)}`;
}

/** Characters of the first line that name an ask in lists. */
const titleCharactersMax = 120;

/**
 * Asks a remote for something, or writes to it about what it was asked (`ask`). Refuses `sender-not-authorised` outside of
 * the team, what `textProblem` refuses, and what the decider `remotes` refuses.
 */
export const askRemote: Operation<AskRemote, TeamContext> = {
  name: "ask-remote",
  decide(state, { remote, text, task, ask: written }, { by, id, seq }) {
    const { coordination } = state;
    const denied = strangerProblem(state, by) ?? textProblem(state, text);
    if (denied !== null) return err([denied]);
    if (written !== undefined)
      return decideRemotes(coordination, { command: "write-remote", ask: written, remote, seq });
    if (task !== undefined && findTask(coordination.work, task, null) === null)
      return err([unknownTask(coordination.work, task, null)]);
    const ask = remoteAskId(by.agent, id);
    const title = shorten(visible(text.trim().split("\n", 1)[0] ?? ""), titleCharactersMax);
    const wanted = { ask, remote, asker: by.agent, task: task ?? null, title, seq };
    const decided = decideRemotes(coordination, { command: "ask-remote", ...wanted });
    const note = { code: "remote-asked", path: "ask", message: `${remote} is asked as ${ask}.` };
    return decided.ok ? ok({ ...decided.value, notes: [note], told: { ask } }) : decided;
  },
};

/** Withdraws an ask: its asker, a lead or the owner. Refuses `sender-not-authorised`, and as the decider does. */
export const withdrawRemote: Operation<WithdrawRemote, TeamContext> = {
  name: "withdraw-remote",
  decide({ coordination }, { ask }, { by, seq }) {
    const asker = coordination.remotes.asks.get(ask)?.asker ?? by.agent;
    const isTheirs = by.agent === asker || by.agent === ownerName || by.role === "lead";
    if (isTheirs) return decideRemotes(coordination, { command: "withdraw-remote", ask, seq });
    const message = `${by.agent} did not ask for this.`;
    return err([makeProblem("sender-not-authorised", by.agent, message, { expected: asker, received: by.agent })]);
  },
};

function strangerProblem({ team: { roster } }: TeamState, { agent }: Principal): Problem | null {
  if (agent === ownerName || roster.has(agent)) return null;
  return makeProblem("sender-not-authorised", agent, `${agent} is not in the team, so it asks no remote.`, {
    expected: "an agent of the team, or the owner",
    received: agent,
    hint: `The owner registers it with \`baton agent register ${visible(agent)} --role ROLE\`.`,
  });
}

export async function remotes(context: TeamContext): Promise<Result<readonly RemoteView[], Problem>> {
  const folded = await context.journal.state(context.team);
  return folded.ok ? ok(remoteViews(folded.value.state)) : folded;
}

/* What a hub does for remotes, as Baton: see `RemoteDelivery`. */

export async function reachRemoteOnce(
  context: TeamContext,
  actor: Actor,
  remote: string,
  problem: RemoteProblem | null,
): Promise<void> {
  const folded = await context.journal.state(context.team);
  const known = folded.ok ? folded.value.state.coordination.remotes.known.get(remote) : undefined;
  if (known === undefined || (known.problem?.code ?? null) === (problem?.code ?? null)) return;
  await perform({ context, actor }, reaching, { remote, problem });
}

interface RemoteProblem {
  readonly code: string;
  readonly message: string;
}

const reaching: Operation<{ readonly remote: string; readonly problem: RemoteProblem | null }, TeamContext> = {
  name: "reach-remote",
  decide: ({ coordination }, { remote, problem }, { seq }) =>
    decideRemotes(coordination, { command: "reach-remote", remote, problem, seq }),
};

export async function remoteWork(context: TeamContext): Promise<Result<readonly OutgoingAsk[], Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  // Read before anything waits: the state is folded in place.
  const open = openRemoteAsks(folded.value.state.coordination.remotes);
  const work: OutgoingAsk[] = [];
  for (const ask of open) {
    const unsent: { readonly seq: number; readonly text: string }[] = [];
    for (const seq of ask.unsent) {
      const entry = await entryAt(context, seq);
      if (!entry.ok) return entry;
      const text = entry.value === null ? null : effectsOf(entry.value).command?.text;
      if (typeof text === "string") unsent.push({ seq, text });
    }
    work.push({ ask, unsent });
  }
  return ok(work);
}

const unchanged: Reply = { outcome: "refused", receipt: null, problems: [], notes: [] };

/** Records a report under an id that follows from it, so that a hub that was killed in between repeats it in vain. */
export async function reportRemote(
  context: TeamContext,
  actor: Actor,
  known: RemoteAsk,
  report: RemoteReport,
): Promise<Reply> {
  if (!isNews(known, report)) return unchanged;
  const digest = sha256(
    canonical([known.changed, { ...report, work: report.work === null ? null : { ...report.work } }]),
  );
  const id = `remote/${known.ask}/${digest.slice(0, 24)}`;
  return await perform({ context, actor }, reporting, { known, report }, id);
}

const reporting: Operation<{ readonly known: RemoteAsk; readonly report: RemoteReport }, TeamContext> = {
  name: "report-remote",
  recorded({ known: { ask, remote, title }, report: { sent, remoteTask, state, words } }) {
    return { ask, remote, title, state, sent, remoteTask, words: words ?? undefined };
  },
  decide({ coordination }, { known, report }, { seq }) {
    const { ask, asker } = known;
    const current = coordination.remotes.asks.get(ask);
    // Another hub may have recorded a later state since the remote was looked at.
    if (report.sent === null && current?.changed !== known.changed) return ok({ events: [], notes: [] });
    const decided = decideRemotes(coordination, { command: "report-remote", ask, ...report, seq });
    if (!decided.ok || decided.value.events.length === 0) return decided;
    const message = notificationOf(current ?? known, report);
    return message === null ? decided : ok({ ...decided.value, delivered: { message, receivers: [asker] } });
  },
};

/** What the asker reads of a report; null: it is nothing to act on. */
function notificationOf(known: RemoteAsk, { state, words, work }: RemoteReport): Message | null {
  const isTold = ["input-required", "completed", "rejected", "failed", "canceled", "refused"].includes(state);
  if (!isTold || (state === known.state && words === known.words)) return null;
  const { ask, remote, title, task, asker } = known;
  const head = `The remote ${remote} says that ${ask} (${visible(title)}) is ${state}`;
  const commit = work?.commit ?? null;
  const about = task === null ? "" : `, and report ${visible(task)} with it`;
  const next = {
    "input-required": `What to do, ${asker}: answer by a message to remote:${remote}/${ask}.`,
    completed:
      commit === null
        ? `What to do, ${asker}: check its work before you rely on it. This is the word of a remote; nothing here verified it.`
        : `What to do, ${asker}: get the commit ${commit} into this repository, check it${about}. This is the word of a remote; nothing here verified it.`,
  } as const;
  return prose([
    words === null ? `${head}.` : quoted(head, words),
    ...(work === null || work.files.length === 0 ? [] : [quoted("Files that it names", work.files.join(", "))]),
    ...(state === "input-required" || state === "completed" ? [next[state]] : []),
  ]);
}
