/**
 * What needs the person, as the inbox shows it: the hub's needs in its order, each with the decision that is being
 * written. A decision waits five seconds before it is sent, in which it can be taken back; the journal keeps what was sent.
 * What is decided, here or elsewhere, says for a moment what became of it before it leaves. Several are sent in one request
 * that answers each; where no answer came, the hub is asked for each decision by its id once it is back.
 */

import type { ApprovalState } from "../../../approvals/decide/approvals.ts";
import type { Clock } from "../../../base/clock.ts";
import { makeProblem } from "../../../base/problem.ts";
import type { Escalation } from "../../../escalations/state.ts";
import type { Receipt } from "../../../journal/entry.ts";
import type { DecisionResult } from "../../../needs/operations.ts";
import {
  invitedVerbs,
  type Need,
  type Needs,
  type NeedVerb,
  needVerbs,
  titleOf,
  triages,
  undoMs,
  verbsWithReason,
} from "../../../needs/view/need-ranking.ts";
import type { LogLine } from "../../../record/operations/entries.ts";
import { ask, teamPath } from "../hub/request.ts";
import { verbWords } from "../shown/need-text.ts";
import { approvalWords, escalationWords } from "../shown/outcome-text.ts";
import { InboxItem } from "./inbox-item.svelte.ts";

/** Most decisions of one request. */
const decisionsMax = 100;

/** How long an ended need stays: one's own answer needs a glance; what somebody else did is read. */
const stayMs = { own: 2_500, others: 6_000 } as const;

/** Needs that were decided in one go. */
export interface Batch {
  readonly verb: NeedVerb;
  readonly items: readonly InboxItem[];
}

interface LastDecision {
  readonly words: string;
  /** What it was about. */
  readonly subject: string;
  /** What the person wrote: the decision itself, or the reason of an answer; empty: nothing. */
  readonly text: string;
  readonly isDecision: boolean;
  readonly follows: readonly string[];
  readonly seq: number;
}

const lost = makeProblem("hub-unreachable", "hub", "The hub went away before it recorded this.", {
  hint: "Decide it again.",
});

type Answer = Pick<Needs, "needs" | "total" | "triage" | "seq">;

export class Inbox {
  items = $state.raw<readonly InboxItem[]>([]);
  /** How many there are at the hub, which lists the most urgent. */
  total = $state(0);
  /** Ids of those that are marked, to be decided together. */
  marked = $state.raw<ReadonlySet<string>>(new Set());
  /** Ids of those that are put off in this window, until when. */
  snoozed = $state.raw<ReadonlyMap<string, number>>(new Map());
  /** How many there are of each matter. */
  triage = $state.raw<Needs["triage"]>({ broken: 0, stuck: 0, decide: 0, ready: 0 });
  /** What was decided together last, until it is put away. */
  batch = $state.raw<Batch | null>(null);
  /** What was decided alone last, and what follows from it: it has left the list by then. */
  last = $state.raw<LastDecision | null>(null);
  /** Whether nothing can be decided: it shows the past, or is read by a link. */
  readonly isReadOnly: boolean;
  /** Whether the person was invited, who decides less than the owner. */
  readonly isInvited: boolean;

  readonly #team: string;
  readonly #clock: Clock;
  /** The entries of the decisions that were made here, by need. */
  #last: Answer | null = null;
  readonly #decided = new Map<string, number>();

  constructor(team: string, clock: Clock, { isReadOnly, isInvited }: Pick<Inbox, "isReadOnly" | "isInvited">) {
    this.#team = team;
    this.#clock = clock;
    this.isReadOnly = isReadOnly;
    this.isInvited = isInvited;
  }

  /** What can be decided here of such a need, the decision that lets it go on first. */
  verbsOf({ kind }: Pick<Need, "kind">): readonly NeedVerb[] {
    return this.isInvited ? needVerbs[kind].filter((verb) => invitedVerbs.has(verb)) : needVerbs[kind];
  }

  /** Takes what needs the person now. Those that are gone say so and leave; nothing else changes its place by itself. */
  take(answer: Answer): void {
    const { needs: listed, total, triage, seq } = answer;
    this.#last = answer;
    // An answer from before a decision was recorded lists what is decided by now.
    const needs = listed.filter(({ id }) => (this.#decided.get(id) ?? 0) <= seq);
    this.total = total - (listed.length - needs.length);
    this.triage = Object.fromEntries(
      triages.map((each) => [
        each,
        triage[each] - listed.filter((need) => need.triage === each && !needs.includes(need)).length,
      ]),
    ) as Needs["triage"]; // one each
    const known = new Map(this.items.map((item) => [item.id, item]));
    const left = new Set(needs.map(({ id }) => id));
    for (const item of this.items) {
      if (item.isUnknown) void this.#find(item);
      else if (!left.has(item.id) && item.ended === null && !item.busy) void this.#endElsewhere(item);
    }
    const next = needs.map((need) => {
      const item = known.get(need.id);
      if (item === undefined) return new InboxItem(need);
      // An answer that was on its way when it ended lists it still.
      if (item.ended === null) item.need = need;
      return item;
    });
    // An ended one stays where it was until it leaves.
    const leaving = this.items.flatMap((item, at) => (left.has(item.id) ? [] : [[at, item] as const]));
    const all = [...next];
    for (const [at, item] of leaving) all.splice(at, 0, item);
    this.#lay(all);
  }

  find(id: string | null): InboxItem | null {
    return this.items.find((item) => item.id === id) ?? null;
  }

  /** Begins a decision on items, each of which is sent after the time to take it back. `wants-reason`: one is missing. */
  decide(items: readonly InboxItem[], verb: NeedVerb): "begun" | "wants-reason" | "read-only" {
    if (this.isReadOnly) return "read-only";
    const open = items.filter((item) => item.isOpen && this.verbsOf(item.need).includes(verb));
    const wanting = open.filter(({ reason }) => verbsWithReason.has(verb) && reason.trim() === "");
    for (const item of open) item.wantsReason = wanting.includes(item);
    if (wanting.length > 0) return "wants-reason";
    const stop = new AbortController();
    for (const item of open) item.begin(verb, this.#clock.now() + undoMs, stop);
    if (open.length > 0) void this.#sendLater(open, verb, stop.signal);
    return "begun";
  }

  /** What was decided last and can still be taken back; null: nothing can. */
  get latest(): InboxItem | null {
    const open = this.items.filter(({ pending }) => pending !== null);
    return open.toSorted((a, b) => (b.pending?.atMs ?? 0) - (a.pending?.atMs ?? 0))[0] ?? null;
  }

  /** Takes back what was not sent yet, the last by itself, with all that was decided together with it. */
  undo({ pending } = this.latest ?? { pending: null }): void {
    if (pending === null) return;
    pending.stop.abort();
    for (const item of this.items) if (item.pending?.stop === pending.stop) item.pending = null;
  }

  mark(id: string): void {
    const marked = new Set(this.marked);
    if (!marked.delete(id)) marked.add(id);
    this.marked = marked;
  }

  /** Puts it off in this window for a while. */
  snooze(id: string, ms: number): void {
    this.snoozed = new Map(this.snoozed).set(id, this.#clock.now() + ms);
  }

  async #sendLater(items: readonly InboxItem[], verb: NeedVerb, signal: AbortSignal): Promise<void> {
    await this.#clock.wait(undoMs, signal);
    if (signal.aborted) return;
    this.batch = items.length > 1 ? { verb, items } : null;
    const decisions = items.flatMap((item) => {
      const decision = items.length > 1 ? item.decisionFor(this.#team, verb) : null;
      return decision === null ? [] : [{ item, decision }];
    });
    if (decisions.length < items.length) for (const item of items) await this.#send(item, verb);
    else
      for (let at = 0; at < decisions.length; at += decisionsMax)
        await this.#sendSeveral(decisions.slice(at, at + decisionsMax), verb);
  }

  /** In one request, which answers each. Without an answer each may have been recorded. */
  async #sendSeveral(
    several: readonly { readonly item: InboxItem; readonly decision: object }[],
    verb: NeedVerb,
  ): Promise<void> {
    for (const { item } of several) [item.pending, item.busy] = [null, true];
    const path = teamPath(this.#team, "decisions");
    const body = { decisions: several.map(({ decision }) => decision) };
    const reply = await ask<{ readonly results: readonly DecisionResult[] }>(path, { method: "POST", body });
    for (const [at, { item }] of several.entries()) {
      const result = reply.ok ? reply.value.results[at] : undefined;
      item.busy = false;
      item.isUnknown = !reply.ok && reply.error.status === 0;
      item.problems = reply.ok ? (result?.problems ?? []) : item.isUnknown ? [] : reply.error.problems;
      if (result?.outcome === "accepted" && result.receipt !== null) this.#done(item, verb, result.receipt.seq);
    }
  }

  /** Finds out by its id whether a decision that was not answered was recorded. */
  async #find(item: InboxItem): Promise<void> {
    const { tried } = item;
    if (tried === null || item.busy) return;
    item.busy = true;
    const path = teamPath(this.#team, `messages/${encodeURIComponent(tried.id)}`);
    const found = await ask<Pick<LogLine, "seq" | "kind">>(path);
    item.busy = false;
    if (!found.ok && found.error.status === 0) return;
    item.isUnknown = false;
    if (found.ok && found.value.kind !== "refusal") this.#done(item, tried.verb, found.value.seq);
    else item.problems = [lost];
  }

  #done(item: InboxItem, verb: NeedVerb, seq: number): void {
    this.#decided.set(item.id, seq);
    item.recorded = seq;
    const follows = verb === "approve" || verb === "deny" ? (item.foreseen?.[verb] ?? []) : [];
    this.last = {
      words: verbWords[verb][2],
      subject: titleOf(item.need),
      text: item.reason.trim(),
      isDecision: verb === "decide",
      follows,
      seq,
    };
    void this.#end(item, `${verbWords[verb][2]}, entry ${seq}`, "own");
  }

  async #send(item: InboxItem, verb: NeedVerb): Promise<void> {
    item.pending = null;
    item.busy = true;
    const { path, body } = item.requestFor(this.#team, verb);
    const reply = await ask<{ readonly receipt: Receipt }>(path, { method: "POST", body });
    item.busy = false;
    item.isUnknown = !reply.ok && reply.error.status === 0;
    item.problems = reply.ok || item.isUnknown ? [] : reply.error.problems;
    if (reply.ok) this.#done(item, verb, reply.value.receipt.seq);
  }

  /** Says who answered, after asking the hub; the person's own answer comes first if it arrives meanwhile. */
  async #endElsewhere(item: InboxItem): Promise<void> {
    const words = await this.#wordsOfEnd(item.need);
    if (item.busy || item.ended !== null) return;
    item.pending?.stop.abort();
    item.pending = null;
    await this.#end(item, words, "others");
  }

  async #wordsOfEnd({ kind, target, agent }: Need): Promise<string> {
    if (kind === "approval") {
      const found = await ask<{ approvals: readonly ApprovalState[] }>(
        teamPath(this.#team, "approvals", { request: target }),
      );
      return approvalWords(found.ok ? found.value.approvals.find(({ requester }) => requester === agent) : undefined);
    }
    if (kind !== "escalation") return "It no longer needs you";
    const found = await ask<{ escalations: readonly Escalation[] }>(
      teamPath(this.#team, "escalations", { escalation: target }),
    );
    return escalationWords(found.ok ? found.value.escalations[0] : undefined);
  }

  async #end(item: InboxItem, words: string, by: keyof typeof stayMs): Promise<void> {
    if (item.ended !== null) return;
    item.ended = words;
    await this.#clock.wait(stayMs[by]);
    this.#lay(this.items.filter((each) => each !== item));
    // It may wait again, in another way.
    if (this.#last !== null) this.take(this.#last);
  }

  #lay(items: readonly InboxItem[]): void {
    const isSame = items.length === this.items.length && items.every((item, at) => item === this.items[at]);
    if (!isSame) this.items = items;
  }
}
