/**
 * What an operation says in one line for people: a sentence whose subject is the agent that acted. An operation that
 * has a definition has its line there; here are the lines of the other operations, and those that need code. Together
 * they list every operation without a message, so each has its line. Holds agents' text, so doors escape it.
 */
import type { Json } from "../base/json.ts";
import { counted, fillTemplate, taskInWords } from "../base/text.ts";
import type { RemoteParty } from "../record/operations/entries.ts";
import type { Content } from "./content.ts";
import { recordedLines } from "./operations/generated/recorded.ts";

/** The arguments of an operation, as its entry has them. */
interface Asked {
  readonly all: { readonly [argument: string]: Json };
  /** The argument's text behind the words that lead to it; empty where none was given. */
  word(argument: string, leading?: string): string;
}

const sentences = {
  "revoke-token": ({ word }) => `revoked the token or link ${word("tokenId")}`,
  "begin-session": () => "opened a session in a browser",
  "end-session": () => "ended a session in a browser",
  "name-repository": () => "named the repository by which reports are judged",
  "begin-program": () => "began a program that speaks for it",
  "end-program": () => "ended its program",
  "record-verdict": ({ word }) => `found ${word("task")} ${word("state")}`,
  "record-finding": ({ word }) => `found ${word("task")} ${word("state")}`,
  "begin-landing": ({ word }) => `moves ${word("branch")} to ${word("to").slice(0, 12)}`,
  "hold-landing": ({ word }) =>
    word("why") === "" ? `lands work on ${word("branch")} again` : `lands nothing on ${word("branch")}: ${word("why")}`,
  "record-landing": ({ word }) => {
    const what = `${word("task")} on ${word("branch")}`;
    if (word("outcome") === "undone") return `took back what landed of ${what}`;
    if (word("outcome") !== "landed") return `did not land ${what}: ${word("why")}`;
    return `landed ${what}${word("override") === "" ? "" : ` by ${word("override")}, whatever was found`}`;
  },
  "take-files": ({ all }) => `began to edit${listed(all.files).slice(1)}`,
  "record-collision": ({ all, word }) =>
    `found in the trees of ${listed(all.agents).slice(2).replace("; ", " and ")}: ${word("file")} ${word("overlap")}`,
  "edit-files": ({ all, word }) =>
    `was to edit what ${word("task") === "" ? "another holds" : `the contract of ${word("task")} does not allow`}${listed(all.files)}`,
  "approval-taken-back": ({ word }) => `told ${word("agent")}: ${word("message")}`,
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
    all.problem === null ? `reached the remote ${word("remote")} again` : `cannot reach the remote ${word("remote")}`,
  "leave-journal": ({ all, word }) =>
    all.isUndone === true
      ? `took back the migration into this journal: the team continues in ${word("to")}`
      : `let the team continue in the journal ${word("to")}`,
  "enter-journal": () => "let the team continue in this journal",
  "archive-team": ({ word }) => `archived the team in ${word("file")}, SHA-256 ${word("digest")}`,
  "archive-phase": ({ word }) => `archived phase ${word("phase")} in ${word("file")}, SHA-256 ${word("digest")}`,
  "drop-archived": ({ word }) => `gave up the entries that are in the archive ${word("file")}`,
  "restore-team": () => "let the team continue",
  "resume-agents": ({ all }) => `begins new sessions for who had stopped${listed(all.agents)}`,
  "pass-agents": ({ all, word }) =>
    `waits for some agents no more in the shutdown ${word("round")}${listed(all.agents)}`,
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
    const text = isText(value) ? inWords(argument, value.trimEnd()) : "";
    return text === "" ? "" : `${leading}${text}`;
  };
  // Each name is looked up as one of its table's own keys.
  if (Object.hasOwn(recordedLines, name)) return fillTemplate(recordedLines[name as keyof typeof recordedLines], word);
  if (Object.hasOwn(sentences, name)) return sentences[name as keyof typeof sentences]({ all, word });
  return [name.replaceAll("-", " "), ...Object.values(all).filter(isText)].join(" ");
}

/** An argument as people read it: a task that is only a number is called one, a commit is known by its first characters. */
function inWords(argument: string, text: string): string {
  if (argument === "task") return taskInWords(text);
  return argument === "commit" && /^[0-9a-f]{40,64}$/.test(text) ? text.slice(0, 12) : text;
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
