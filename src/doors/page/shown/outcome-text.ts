/**
 * What waits for the person who looks at the page, and what became of it, in words: approvals, escalations, claims and
 * handoffs.
 */

import type { ApprovalState } from "../../../approvals/decide/approvals.ts";
import { counted } from "../../../base/text.ts";
import type { Escalation } from "../../../escalations/state.ts";
import type { HandoffDetail } from "../../../handoffs/operations.ts";
import type { Handoff } from "../../../handoffs/state.ts";
import { personal } from "../../../messages/authority/chain-of-command.ts";
import { bodyOf, type FileState, filesToVerify } from "../../../messages/handoff-body.ts";

/** A file of a document as it was found last; null: nobody looked, or it is only known that it is not in the way. */
interface FoundFile {
  readonly path: string;
  readonly state: Extract<FileState, "ok" | "changed" | "missing" | "outside"> | null;
}

/** `Denied by lead-1, entry 12: not now`. */
export function approvalWords(approval: Pick<ApprovalState, "status" | "answer"> | undefined): string {
  if (approval?.status === "expired") return "Its deadline passed; that counts as denied";
  const answer = approval?.answer ?? null;
  if (answer === null) return "Answered elsewhere, or its deadline passed";
  const { approved, decidedBy, reason, seq } = answer;
  // A reason that only repeats the answer tells nothing more.
  const why = reason === "" || reason === "approved" ? "" : `: ${reason}`;
  return `${approved ? "Approved" : "Denied"} by ${decidedBy}, entry ${seq}${why}`;
}

/** `Decided by lead-1, entry 9: stub it`. */
export function escalationWords(escalation: Pick<Escalation, "status" | "decision"> | undefined): string {
  const decision = escalation?.decision ?? null;
  if (decision !== null) return `Decided by ${decision.decidedBy}, entry ${decision.seq}: ${decision.decision}`;
  return escalation?.status === "closed" ? "Over: the agent that was held up continued" : "It is no longer held up";
}

/** Whom an agent that is held up waits for, since when and why; null: nothing holds it up. */
export function waitOf(escalations: readonly Escalation[], agent: string) {
  const found = escalations.find(({ status, originators }) => status === "open" && originators.includes(agent));
  if (found === undefined) return null;
  const { level, issue, openedAtMs: sinceMs } = found;
  return { whom: `the ${personal.includes(level) ? "owner" : level}`, sinceMs, issue };
}

/** `1 needs you`, `3 need you`, `Nothing needs you`. */
export function waitingWords(number: number): string {
  if (number === 0) return "Nothing needs you";
  return number === 1 ? "1 needs you" : `${number} need you`;
}

/** A number where there is room for four characters; where there is more, it is exact: `999`, `10k+`. */
export function shortCount(number: number): string {
  return number < 1_000 ? String(number) : `${Math.floor(number / 1_000)}k+`;
}

/** What was found of its files, or that nobody looked yet. */
export function filesWord({ status, files, acceptance }: Pick<Handoff, "status" | "files" | "acceptance">): string {
  const count = (number: number) => counted(number, "file");
  if (acceptance !== null) {
    if (acceptance.files === 0) return "no files";
    const { weak } = acceptance;
    return weak === 0 ? `${count(acceptance.files)} ok` : `${count(acceptance.files - weak)} ok, ${weak} weak`;
  }
  if (files === 0) return "no files";
  return status === "issued" ? `${count(files)} to verify` : count(files);
}

const actWords: Readonly<Record<string, string>> = {
  "accept-handoff": "could not accept it",
  "complete-handoff": "could not complete it",
};

/** What an agent tried and was refused. */
export function refusedWord(act: string): string {
  return actWords[act] ?? act;
}

const stateOfProblem: Readonly<Record<string, FoundFile["state"]>> = {
  "file-changed": "changed",
  "file-missing": "missing",
  "file-outside": "outside",
};

/** Every file that is verified before the handoff is accepted, by what its acceptance or the last refused one found. */
export function foundFiles(
  { handoff, document }: Pick<HandoffDetail, "handoff" | "document">,
  refused: readonly {
    readonly act: string;
    readonly problems: readonly { readonly code: string; readonly path: string }[];
  }[],
): readonly FoundFile[] {
  const { acceptance } = handoff;
  // Which of them are weak is not told, so where one is, none is called ok.
  const otherwise = acceptance !== null && acceptance.weak === 0 ? "ok" : null;
  const tried = acceptance === null ? refused.find(({ act }) => act === "accept-handoff") : undefined;
  const states = new Map((tried?.problems ?? []).map(({ code, path }) => [path, stateOfProblem[code] ?? null]));
  return filesToVerify(bodyOf(document)).map(({ path }) => ({ path, state: states.get(path) ?? otherwise }));
}
