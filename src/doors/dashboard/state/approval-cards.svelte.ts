/**
 * The requests as they lie before a person. What is answered keeps its place for a moment and says what became of it,
 * and whenever the cards have moved no click answers for a moment: nobody answers what slid under the pointer.
 */
import type { Clock } from "../../../base/clock.ts";
import type { ApprovalState } from "../../../coordination/approvals/approvals.ts";
import { ask, teamPath } from "../hub/request.ts";
import { approvalWords } from "../shown/ending-words.ts";
import { ApprovalAnswer } from "./approval-answer.svelte.ts";
import { Ending } from "./ending.svelte.ts";

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

  /** Says who answered, which is asked for; an answer of one's own that is heard of meanwhile comes first. */
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
