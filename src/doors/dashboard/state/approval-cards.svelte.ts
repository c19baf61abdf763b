/**
 * The requests as they lie before a person. What is answered keeps its place for a moment and says what became of it,
 * and whenever the cards have moved no click answers for a moment: nobody answers what slid under the pointer.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import type { ApprovalState } from "../../../coordination/approvals/approvals.ts";
import type { Receipt } from "../../../journal/entry.ts";
import { ask, newActId, teamPath } from "../hub/request.ts";
import { approvalWords } from "../shown/outcome-text.ts";
import { Ending } from "./decision.svelte.ts";

/** How long no click answers after cards moved: longer than a double-click takes, and than the eye needs. */
const settleMs = 700;

export class ApprovalCard {
  readonly key: string;
  readonly approval: ApprovalState;
  readonly answer: ApprovalAnswer;
  readonly ending = new Ending();

  constructor(team: string, approval: ApprovalState) {
    this.key = keyOf(approval);
    this.approval = approval;
    this.answer = new ApprovalAnswer(team, approval.requestId);
  }
}

export class ApprovalCards {
  list = $state.raw<readonly ApprovalCard[]>([]);
  /** Whether the cards moved just now, so that a click may be meant for another. */
  moving = $state(false);

  readonly #team: string;
  readonly #clock: Clock;
  /** Counts moves: only the end of the last one ends the moving. */
  #moves = 0;

  constructor(team: string, clock: Clock) {
    this.#team = team;
    this.#clock = clock;
  }

  /** Takes what is open now, in the order it came: new requests go to the end, those that are gone say so and leave. */
  take(open: readonly ApprovalState[]): void {
    const stillOpen = new Set(open.map(keyOf));
    for (const card of this.list) {
      if (!stillOpen.has(card.key) && !card.answer.busy) void this.#endElsewhere(card);
    }
    const known = new Set(this.list.map(({ key }) => key));
    const fresh = open.filter((approval) => !known.has(keyOf(approval)));
    if (fresh.length > 0) this.#lay([...this.list, ...fresh.map((each) => new ApprovalCard(this.#team, each))]);
  }

  /** Gives a person's answer. `moving`: it was not given, as the card may not be the one that was meant. */
  async give(card: ApprovalCard, approved: boolean): Promise<"given" | "no-reason" | "failed" | "moving"> {
    if (this.moving || card.ending.words !== null) return "moving";
    const given = await card.answer.give(approved);
    if (typeof given === "string") return given;
    void this.#end(card, `${approved ? "Approved" : "Denied"}, entry ${given.seq}`, "own");
    return "given";
  }

  /** Says who answered, after asking the hub; the person's own answer comes first if it arrives meanwhile. */
  async #endElsewhere(card: ApprovalCard): Promise<void> {
    if (card.ending.words !== null) return;
    const path = teamPath(this.#team, "approvals", { request: card.approval.requestId });
    const found = await ask<{ approvals: readonly ApprovalState[] }>(path);
    const now = found.ok ? found.value.approvals.find((each) => keyOf(each) === card.key) : undefined;
    if (!card.answer.busy) await this.#end(card, approvalWords(now), "others");
  }

  #end(card: ApprovalCard, words: string, by: "own" | "others"): Promise<void> {
    return card.ending.say(words, by, this.#clock, () => this.#lay(this.list.filter((each) => each !== card)));
  }

  #lay(cards: readonly ApprovalCard[]): void {
    this.list = cards;
    this.moving = true;
    void this.#settle(++this.#moves);
  }

  async #settle(move: number): Promise<void> {
    await this.#clock.wait(settleMs);
    if (move === this.#moves) this.moving = false;
  }
}

function keyOf({ requester, requestId }: ApprovalState): string {
  return `${requester}/${requestId}`;
}

/*
 * The answer a person is giving to one request: reason, conditions and changes while they are written, and what became
 * of it. Retries of one answer carry one id, so that an answer whose outcome was not heard has its effect once.
 */
class ApprovalAnswer {
  reason = $state("");
  /** One a line, as they are written. */
  conditions = $state("");
  modifications = $state("");
  busy = $state(false);
  wantsReason = $state(false);
  problems = $state.raw<readonly Problem[]>([]);

  readonly #team: string;
  readonly #requestId: string;
  /** The last answer that was tried, and the id under which. */
  #tried: { readonly text: string; readonly id: string } | null = null;

  constructor(team: string, requestId: string) {
    this.#team = team;
    this.#requestId = requestId;
  }

  /** Gives the answer; the seq is its entry's. A yes needs no reason, a no does: the requester acts on it. */
  async give(approved: boolean): Promise<{ readonly seq: number } | "no-reason" | "failed"> {
    const written = this.reason.trim();
    this.wantsReason = !approved && written === "";
    if (this.wantsReason || this.busy) return this.wantsReason ? "no-reason" : "failed";
    const reason = written === "" ? "approved" : written;
    this.busy = true;
    const path = `approvals/${encodeURIComponent(this.#requestId)}`;
    const [conditions, modifications] = [linesOf(this.conditions), linesOf(this.modifications)];
    const given = {
      approved,
      reason,
      ...(conditions.length === 0 ? {} : { conditions }),
      ...(modifications.length === 0 ? {} : { modifications }),
    };
    const body = { ...given, id: this.#idOf(JSON.stringify(given)) };
    const reply = await ask<{ readonly receipt: Receipt }>(teamPath(this.#team, path), { method: "POST", body });
    this.busy = false;
    this.problems = reply.ok ? [] : reply.error.problems;
    return reply.ok ? { seq: reply.value.receipt.seq } : "failed";
  }

  #idOf(text: string): string {
    if (this.#tried?.text !== text) this.#tried = { text, id: newActId() };
    return this.#tried.id;
  }
}

/** What is on each line, without blanks around it; empty lines say nothing. */
function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}
