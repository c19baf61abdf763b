/**
 * Operations that come through a door without a message, under the id that makes each happen once: recorded with what
 * follows from it, or as a refusal; and what the outcome means to the caller: accepted, refused, or failed.
 * Source: docs/protocol/record.md, sections 1 and 4.
 */
import { outsiderProblem } from "../../authority/roster-rights.ts";
import { argument } from "../../base/argument.ts";
import { canonical, sha256 } from "../../base/canonical.ts";
import { type MessageId, messageId } from "../../base/ids.ts";
import { invariant } from "../../base/invariant.ts";
import type { Json } from "../../base/json.ts";
import { messageIdCharactersMax } from "../../base/limits.ts";
import { newMessageId } from "../../base/new-ids.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { counted, fillTemplate, shorten } from "../../base/text.ts";
import type { Entry, EntryDraft, Receipt } from "../../journal/entry.ts";
import type { Attempt, Committed, Moment } from "../../journal/journal.ts";
import type { Principal } from "../../message/principal.ts";
import { type Address, writeAddress } from "../../message/role.ts";
import type { RemoteParty } from "../../operations/entries.ts";
import { recordedLines } from "../../operations/generated/recorded.ts";
import type { Reply } from "../../operations/reply.ts";
import { type Actor, principalOf, type TeamContext } from "../context.ts";
import type { TeamState } from "../state.ts";
import { replacedProblem } from "../team/session-endings.ts";
import { type Clearable, commitInTime } from "../timers.ts";
import { type Content, commandRefusal, effectsOf } from "./content.ts";
import { commitOrCount } from "./repeated-refusals.ts";

/** An operation, as it is requested. */
export interface AskedAct {
  readonly name: ActName;
  /** What it was asked with; a refusal shows its beginning. */
  readonly asked: unknown;
  /** What makes it the same act under the same id. */
  readonly compared: Json;
  /** The id it was given; without one it gets a new one. */
  readonly named: string | undefined;
  /** With this operation the actor's program begins, so it cannot have been superseded. */
  readonly isBeginning?: true;
  /** Pure; asked under the write lock. */
  decide(
    state: TeamState,
    moment: Moment,
    by: { readonly principal: Principal; readonly id: MessageId },
  ): Result<Pick<EntryDraft, "receivers" | "content">, readonly Problem[]>;
  /** No deadline has to do with it, so it is recorded as it comes; else behind those that have passed. */
  readonly isTimeless?: true;
  /** What is cleared out of its way before it is decided. */
  readonly clearable?: Clearable;
}

/**
 * Records the operation, or its refusal. Refuses `invalid-id`, `id-conflict`, `session-replaced`, and what the
 * operation's decision refuses.
 */
export async function recordAct(context: TeamContext, actor: Actor, act: AskedAct): Promise<Reply> {
  const { name, asked, named } = act;
  const id = named === undefined ? newMessageId() : messageId(named);
  if (id === null) {
    return { outcome: "refused", receipt: null, problems: [invalidId(named ?? "", argument("id"))], notes: [] };
  }
  const digest = sha256(canonical(act.compared));
  const attempt: Attempt<TeamState> = {
    once: { principal: actor.agent, id, digest },
    decide(state, moment): EntryDraft {
      const principal = principalOf(actor, state);
      const refuse = (problems: readonly Problem[]): EntryDraft =>
        commandRefusal({ principal, id, digest, name, asked, problems });
      if (moment.earlier !== null) return refuse([idConflict(id, moment.earlier, argument("id"))]);
      const replaced = act.isBeginning === true ? null : replacedProblem(state, actor);
      if (replaced !== null) return refuse([replaced]);
      const barred = outsiderProblem(principal, name);
      if (barred !== null) return refuse([barred]);
      const decided = act.decide(state, moment, { principal, id });
      if (!decided.ok) return refuse(decided.error);
      return { kind: "command", principal, id, digest, ...decided.value };
    },
  };
  const { journal, team } = context;
  const committed = await commitOrCount(context, actor, attempt, (each) =>
    act.isTimeless === true ? journal.commit(team, each) : commitInTime(context, each, actor, act.clearable),
  );
  return replyTo(context, committed);
}

/** The error of an invalid id; `path` says where it was given. */
export function invalidId(received: string, path: string): Problem {
  return problem("invalid-id", path, "This cannot be an id.", {
    expected: `1 to ${messageIdCharactersMax} of A-Z a-z 0-9 . _ : / @ -`,
    received: received.slice(0, 160).toWellFormed(),
    hint: "Use a UUID, or leave the id out and one is made.",
  });
}

/** The error of an id under which this principal had something else recorded. */
export function idConflict(id: string, earlier: Pick<Entry, "seq" | "digest">, path: string): Problem {
  return problem(
    "id-conflict",
    path,
    `You used the id "${id}" before, for something else: it is entry ${earlier.seq}.`,
    {
      expected: `content with digest ${earlier.digest ?? "unknown"}`,
      hint: "To repeat that, send it unchanged, to the same receivers. Something new needs a new id.",
    },
  );
}

/**
 * The error of an id under which this principal sent the same text, but to others. `to`: the receivers that are named
 * now.
 */
export function sentToOthers(id: string, earlier: Entry, to: readonly Address[] | null, path: string): Problem {
  return problem(
    "id-conflict",
    path,
    `You sent this same text before under the id "${id}", but to other receivers: it is entry ${earlier.seq}.`,
    {
      expected: `the receivers named then; it went to ${earlier.receivers.join(", ") || "nobody"}`,
      received: to === null ? "no receiver named" : shorten(to.map(writeAddress).join(", "), 160),
      hint: "To repeat that, name the receivers as you did then. To send it to others too, use a new id.",
    },
  );
}

/** The reply to a commit. A duplicate is answered with what was recorded the first time, which takes a look at it. */
export function replyTo(context: TeamContext, committed: Result<Committed, Problem>): Reply | Promise<Reply> {
  if (!committed.ok) return { outcome: "failed", problem: committed.error };
  const outcome = committed.value;
  switch (outcome.outcome) {
    case "recorded":
      return replyOf(outcome.entry, outcome.receipt);
    case "duplicate":
      return firstReply(context, outcome.receipt);
    case "declined":
      return { outcome: "refused", receipt: null, problems: outcome.problems, notes: [] };
  }
}

async function firstReply(context: TeamContext, receipt: Receipt): Promise<Reply> {
  const first = await entryAt(context, receipt.seq);
  if (!first.ok) return { outcome: "failed", problem: first.error };
  if (first.value === null) return { outcome: "accepted", receipt, receivers: [], notes: [] };
  return replyOf(first.value, receipt);
}

function replyOf(entry: Entry, receipt: Receipt): Reply {
  const content = effectsOf(entry);
  const notes = content.notes ?? [];
  if (entry.kind === "refusal") return { outcome: "refused", receipt, problems: content.problems ?? [], notes };
  return { outcome: "accepted", receipt, receivers: entry.receivers, notes };
}

/** What the entry of that number says; the chain holds it, so it is there. */
export async function entryOf(context: TeamContext, seq: number): Promise<Result<Omit<Content, "message">, Problem>> {
  const entry = await entryAt(context, seq);
  if (!entry.ok) return entry;
  invariant(entry.value !== null, `an entry with a receipt can be read: ${seq}`);
  return ok(effectsOf(entry.value));
}

/** The entry of that number; null: there is none. */
export async function entryAt(context: TeamContext, seq: number): Promise<Result<Entry | null, Problem>> {
  const page = await context.journal.read(context.team, { after: seq - 1, limit: 1 });
  if (!page.ok) return page;
  const entry = page.value.entries[0];
  return ok(entry?.seq === seq ? entry : null);
}

/*
 * What an operation says in one line for people: a sentence whose subject is the agent that acted. An operation that
 * has a definition has its line there; here are the lines of the other operations, and those that need code. Together
 * they list every operation without a message, so each has its line. Holds agents' text, so doors escape it.
 */

/** The arguments of an operation, as its entry has them. */
interface Asked {
  readonly all: { readonly [argument: string]: Json };
  /** The argument's text behind the words that lead to it; empty where none was given. */
  word(argument: string, leading?: string): string;
}

const sentences = {
  "revoke-token": ({ word }) => `revoked the token ${word("tokenId")}`,
  "begin-session": () => "opened a session in a browser",
  "end-session": () => "ended a session in a browser",
  "begin-program": () => "began a program that speaks for it",
  "end-program": () => "ended its program",
  "record-verdict": ({ word }) => `found ${word("task")} ${word("state")}`,
  "take-files": ({ all }) => `began to edit${listed(all.files).slice(1)}`,
  "count-tokens": ({ all, word }) =>
    `has used ${typeof all.tokens === "number" ? all.tokens : 0} tokens, on plan ${word("plan")} last`,
  "write-unasked": ({ all }) => `wrote what it may not, without Baton being asked${listed(all.files)}`,
  "change-unseen": ({ all }) => `has files of others changed while Baton did not see it${listed(all.files)}`,
  "commit-refused": ({ all }) => `was refused a commit by the gate${listed(all.files)}`,
  "push-refused": ({ all }) => `was refused a push by the gate${listed(all.files)}`,
  "free-files": ({ all, word }) => `found free, because ${whyFree(word("reason"))}${listed(all.files)}`,
  "settle-verdict": ({ word }) =>
    word("by") === ""
      ? `took back the decision about ${word("task")}`
      : `decided that ${word("task")} counts as ${word("by")} found it${word("reason", ": ")}`,
  "record-artifacts": ({ word }) => `found the artifacts of ${word("sender")}'s ${word("type")} ${word("state")}`,
  "record-fixes": ({ all, word }) =>
    `looked at ${counted(lengthOf(all.fixes), "reported fix", "reported fixes")} of ${word("plan")}`,
  "approval-answer": ({ all, word }) => answered(all.approved === true, word("request"), word("reason")),
  "reject-handoff": ({ all, word }) => `rejected the handoff ${word("handoff")}${listed(all.reasons)}`,
  "fork-journal": ({ word }) => `began a new journal, forked from ${word("project")}${word("hash", " at ")}`,
  "report-remote": ({ word }) => `says ${word("state")}${word("words", ": ")} (${word("title") || word("ask")})`,
  "reach-remote": ({ all, word }) =>
    all.fault === null ? `reached the remote ${word("remote")} again` : `cannot reach the remote ${word("remote")}`,
  "leave-journal": ({ all, word }) =>
    all.isUndone === true
      ? `took back the migration into this journal: the team continues in ${word("to")}`
      : `let the team continue in the journal ${word("to")}`,
  "enter-journal": () => "let the team continue in this journal",
  "archive-team": ({ word }) => `archived the team in ${word("file")}, SHA-256 ${word("digest")}`,
  "archive-phase": ({ word }) => `archived phase ${word("phase")} in ${word("file")}, SHA-256 ${word("digest")}`,
  "drop-archived": ({ word }) => `gave up the entries that are in the archive ${word("file")}`,
  "restore-team": () => "let the team continue",
  "inspect-shutdown": ({ word }) => `looked for uncommitted files after the shutdown ${word("round")}`,
} as const satisfies { readonly [name: string]: (asked: Asked) => string };

/** The name of an operation. */
export type ActName = keyof typeof sentences | keyof typeof recordedLines;

/** All of them. */
export const actNames: readonly ActName[] = [...keysOf(sentences), ...keysOf(recordedLines)];

function keysOf<Table extends object>(table: Table): readonly (keyof Table)[] {
  return Object.keys(table) as (keyof Table)[]; // The table's own keys.
}

/** The line of an operation; for one that only a later Baton knows, its name and its strings. */
export function actLine({ name, ...all }: NonNullable<Content["command"]>): string {
  const word = (argument: string, leading = "") => {
    const value = Object.hasOwn(all, argument) ? all[argument] : null;
    // Words from standard input end with a line feed.
    const text = isText(value) ? value.trimEnd() : "";
    return text === "" ? "" : `${leading}${text}`;
  };
  // Each name is looked up as one of its table's own keys.
  if (Object.hasOwn(recordedLines, name)) return fillTemplate(recordedLines[name as keyof typeof recordedLines], word);
  if (Object.hasOwn(sentences, name)) return sentences[name as keyof typeof sentences]({ all, word });
  return [name.replaceAll("-", " "), ...Object.values(all).filter(isText)].join(" ");
}

/** The remote that an operation asks, or whose word it records; undefined: it does neither. */
export function remoteIn({ name, remote, state }: NonNullable<Content["command"]>): RemoteParty | undefined {
  if (typeof remote !== "string") return undefined;
  if (name === "ask-remote") return { name: remote, says: null };
  return name === "report-remote" ? { name: remote, says: typeof state === "string" ? state : "" } : undefined;
}

/** A reason that only repeats the answer tells nothing more. */
function answered(isApproved: boolean, request: string, reason: string): string {
  const answer = isApproved ? "approved" : "denied";
  return `${answer} ${request}${reason === "" || reason === answer ? "" : `: ${reason}`}`;
}

function whyFree(reason: string): string {
  if (reason === "unchanged") return "its holder stopped and left it unchanged";
  return reason === "committed" ? "a commit has it" : "its holder was silent";
}

function listed(reasons: Json | undefined): string {
  const said = Array.isArray(reasons) ? reasons.filter(isText) : [];
  return said.length === 0 ? "" : `: ${said.join("; ")}`;
}

function lengthOf(list: Json | undefined): number {
  return Array.isArray(list) ? list.length : 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
