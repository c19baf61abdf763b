/** One need with the decision that a person is writing about it, and the request that the decision becomes. */
import type { Problem } from "../../../base/problem.ts";
import { type Need, type NeedVerb, undoMs } from "../../../needs/view/need-ranking.ts";
import { newActId, teamPath } from "../hub/request.ts";

/** Seconds until what waits until `atMs` is sent; the page's time may be a second behind. */
export function secondsLeft(atMs: number, now: number): number {
  return Math.min(Math.max(1, Math.ceil((atMs - now) / 1000)), undoMs / 1000);
}

/** One need with what the person is writing about it. */
export class InboxItem {
  readonly id: string;
  need = $state.raw() as Need;
  /** The reason of an answer, or the decision on an escalation. */
  reason = $state("");
  /** One a line. */
  conditions = $state("");
  modifications = $state("");
  isEdited = $state(false);
  /** What follows from an answer to a request, as the hub foresees it. */
  foreseen = $state.raw<{ readonly [Each in "approve" | "deny"]: readonly string[] } | null>(null);
  /** The paths that a yes would allow, one a line, as they were shown; null: none were shown. */
  #proposed = $state<string | null>(null);
  /** How many questions were asked about it here. */
  asked = $state(0);
  wantsReason = $state(false);
  problems = $state.raw<readonly Problem[]>([]);
  /** What is about to be sent, and when; null: nothing is. */
  pending = $state.raw<{ readonly verb: NeedVerb; readonly atMs: number; readonly stop: AbortController } | null>(null);
  busy = $state(false);
  /** Whether a decision was sent and no answer came, so that it may have been recorded. */
  isUnknown = $state(false);
  /** What became of it; null: it waits. */
  ended = $state<string | null>(null);
  /** The entry of the person's own decision; null: none is known. */
  recorded = $state<number | null>(null);
  /** Up to which entry what was shown counted when the decision was made: something newer refuses it. */
  #shownSeq = 0;
  /** The last decision that was tried, and the id under which: a repeat of one has its effect once. */
  #tried: { readonly text: string; readonly id: string; readonly verb: NeedVerb } | null = null;

  constructor(need: Need) {
    this.id = need.id;
    this.need = need;
  }

  /** Begins the time in which a decision can be taken back. */
  begin(verb: NeedVerb, atMs: number, stop: AbortController): void {
    this.#shownSeq = this.need.ifSeq;
    this.pending = { verb, atMs, stop };
  }

  /** Opens the fields of an answer's conditions or closes them. */
  edit(): void {
    this.isEdited = !this.isEdited;
    this.wantsReason = false;
  }

  /** Shows the paths that a yes would allow, where the person has not written others. */
  propose(paths: readonly string[]): void {
    if (this.modifications === (this.#proposed ?? "")) this.modifications = paths.join("\n");
    this.#proposed = paths.join("\n");
  }

  /** The paths that the person wrote instead of those that were shown; null: they stand. */
  get editedPaths(): readonly string[] | null {
    return this.#proposed === null || this.modifications === this.#proposed ? null : linesOf(this.modifications);
  }

  /** Whether it can be decided now. */
  get isOpen(): boolean {
    return this.ended === null && this.pending === null && !this.busy && !this.isUnknown;
  }

  /** The decision that was last sent; null: none was. */
  get tried(): { readonly id: string; readonly verb: NeedVerb } | null {
    return this.#tried;
  }

  /** Where a decision is sent, and what. */
  requestFor(team: string, verb: NeedVerb): { readonly path: string; readonly body: object } {
    const { target } = this.need;
    const reason = this.reason.trim();
    const [conditions, modifications] = [linesOf(this.conditions), linesOf(this.modifications)];
    const bodies: { readonly [Each in NeedVerb]: () => readonly [path: string, body: object] } = {
      approve: () => [`approvals/${encodeURIComponent(target)}`, answer(true)],
      deny: () => [`approvals/${encodeURIComponent(target)}`, answer(false)],
      decide: () => [`escalations/${encodeURIComponent(target)}`, { decision: reason }],
      lift: () => ["phase/lift", { stop: target, reason }],
      ship: () => ["phase/end", { phase: target }],
      confirm: () => ["revision/confirm", { proposal: target }],
      once: () => ["checks/answer", { check: target, as: "once" }],
      no: () => ["checks/answer", { check: target, as: "no" }],
      always: () => ["checks/answer", { check: target, as: "always" }],
      decline: () => ["revision/decline", { proposal: target, ...(reason === "" ? {} : { reason }) }],
    };
    const answer = (approved: boolean) => ({
      approved,
      reason: reason === "" ? "approved" : reason,
      ...(conditions.length === 0 ? {} : { conditions }),
      // What was shown is what is allowed, also where the person took every path away.
      ...(modifications.length > 0 || (approved && this.#proposed !== null) ? { modifications } : {}),
    });
    const [path, decision] = bodies[verb]();
    // A change of the team file is named by what it changes, and what ships is judged anew: more than an entry says.
    const isJudged = this.need.kind === "revision" || verb === "ship";
    const given = isJudged ? decision : { ...decision, ifSeq: this.#shownSeq };
    const text = JSON.stringify([path, given]);
    if (this.#tried?.text !== text) this.#tried = { text, id: newActId(), verb };
    return { path: teamPath(team, path), body: { ...given, id: this.#tried.id } };
  }

  /** The same as one of several in a request; null: it is sent alone. */
  decisionFor(team: string, verb: NeedVerb): object | null {
    const { target } = this.need;
    const { body } = this.requestFor(team, verb);
    const { approved: _, ...given } = body as { readonly approved?: boolean };
    if (verb === "approve" || verb === "deny") return { decide: verb, request: target, ...given };
    if (verb === "decide") return { decide: "resolve", escalation: target, ...given };
    return verb === "lift" ? { decide: "lift", ...given } : null;
  }
}

/** What is on each line, without blanks around it; empty lines say nothing. */
function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
