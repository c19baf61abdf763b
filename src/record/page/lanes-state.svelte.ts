/**
 * What the lanes show: the record as the hub gives it, the part of its time that is in view, what that is narrowed to, and
 * the time cursor. All but the record is in the address; a gesture that goes on is there once it rests.
 */
import { teamPath } from "../../doors/page/hub/request.ts";
import type { Order } from "../../doors/page/shown/keys.ts";
import type { Query } from "../../doors/page/shown/places.ts";
import { longPauses, wholeTime } from "../../doors/page/shown/time-axis.ts";
import { cutTo, type Span, shifted, zoomed } from "../../doors/page/shown/time-span.ts";
import { Resource } from "../../doors/page/state/resource.svelte.ts";
import type { TeamView } from "../../doors/page/state/team-view.svelte.ts";
import type { Lanes } from "../operations/lanes.ts";
import { activityIn, isShown, modelOf, nextShown, placeOfSeq, within, withNarrowPauses } from "./lanes-model.ts";

/** Claims that are held are drawn up to the present, unless the record ended long ago, or by a clock that is wrong. */
const openEndMs = 300_000;
/** Of what is drawn, so much at most is the time since the last entry. */
const openEndShare = 0.25;
/** How long a gesture rests before it is in the address. */
const settleMs = 200;
/** Between two askings at least, and at most where the record is long: the outcomes of old entries change too. */
const [pauseMs, pauseMsMax] = [300, 15_000] as const;

export class LanesState {
  /** The record as the hub gives it. */
  readonly record: Resource<Lanes>;
  /** The part that a gesture is about to choose; null: the address says which. */
  #gesture = $state.raw<Span | null>(null);

  readonly view: TeamView;
  readonly query = $derived.by((): Query => {
    const { place } = this.view.router;
    return place?.view === "lanes" ? place.query : {};
  });
  readonly narrowing = $derived({ outcome: this.query.outcome ?? "", agent: this.query.agent ?? "" });
  /** The entry that the time cursor is at; null: the present. */
  readonly cursor = $derived.by(() => this.view.past?.seq ?? null);
  readonly #order = $derived.by(() => (this.view.present.status?.agents ?? []).map(({ agent }) => agent).join("\n"));
  readonly #whole = $derived.by(() => {
    const { answer } = this.record;
    return answer === null ? null : modelOf(answer, this.#order.split("\n"));
  });
  /** The pauses that are so long that the work is hard to see next to them. */
  readonly pauses = $derived(this.#whole === null ? [] : longPauses(this.#whole.times));
  /** Whether pauses are drawn as long as they were. */
  readonly hasWholePauses = $derived(this.query.pauses === "whole");
  /** With pauses drawn narrow, unless they are wanted whole. Null: it is not there yet. */
  readonly model = $derived(
    this.#whole === null || this.hasWholePauses ? this.#whole : withNarrowPauses(this.#whole, this.pauses),
  );
  readonly #axis = $derived(this.model?.axis ?? wholeTime);
  /** All of the time, as it is drawn; so are all its parts. */
  readonly bounds = $derived.by((): Span => {
    const { model } = this;
    if (model === null) return { from: 0, to: 1 };
    const present = this.#axis.drawnOf(this.view.clock.now());
    const endMs = Math.max((model.to - model.from) * openEndShare, 10_000);
    const to = present >= model.to && present - model.to < openEndMs ? Math.min(present, model.to + endMs) : model.to;
    return { from: model.from, to: Math.max(to, model.from + 1_000) };
  });
  readonly span = $derived(this.#gesture ?? this.#spanOf(this.query));
  /** By place, whether the entry has the outcome that the view is narrowed to. An agent narrows the arrows only. */
  readonly shown = $derived.by(() => {
    const [{ model }, { outcome }] = [this, this.narrowing];
    if (model === null || outcome === "") return null;
    return Uint8Array.from(model.times, (_, place) => Number(isShown(model, place, { outcome, agent: "" })));
  });
  /** The place of the cursor's entry; -1: it is at none. */
  readonly place = $derived(this.model === null || this.cursor === null ? -1 : placeOfSeq(this.model, this.cursor));

  /** By lane, what its agent did in the part that the address says: a gesture moves no lane. */
  readonly #activity = $derived(this.model === null ? [] : [...activityIn(this.model, this.#spanOf(this.query))]);
  /** The agents that did nothing and were not written to, which share a row until somebody wants to see them. */
  readonly idle = $derived(this.#activity.filter((each) => each === 0).length);
  readonly hasIdle = $derived(this.query.idle === "shown");
  /** The lanes that are shown, from the top on: those whose agents did something first. */
  readonly order = $derived.by(() => {
    const all = this.#activity.map((activity, lane) => ({ activity, lane }));
    const isShown = ({ activity, lane }: (typeof all)[number]) =>
      activity > 0 || this.hasIdle || this.model?.lanes[lane]?.agent === this.narrowing.agent;
    return all
      .filter(isShown)
      .toSorted((one, other) => other.activity - one.activity)
      .map(({ lane }) => lane);
  });

  #turn = 0;

  /** To be made with a component, with which it ends. */
  constructor(view: TeamView) {
    this.view = view;
    this.record = new Resource(
      () => teamPath(view.name, "lanes"),
      () => view.lastSeq,
      { restMs: (answer) => Math.min(pauseMs + (answer?.entries.seq.length ?? 0) / 10, pauseMsMax) },
    );
  }

  /** Changes what the address says of the view. */
  goTo(more: Query, options: { readonly replace?: boolean } = {}): void {
    this.view.router.go(this.view.at("lanes", null, { ...this.query, ...more }), options);
  }

  /** Shows another part of the time. `settled`: at once as a step of the history, else once the gesture rests. */
  choose(part: Span, settled: boolean): void {
    this.#gesture = part;
    if (settled) this.#settle(part, false);
    else void this.#settleLater(part, ++this.#turn);
  }

  /** Does what a key orders; whether it did something. */
  obey(order: Order): boolean {
    const { model, span, bounds, place, cursor } = this;
    if (model === null) return false;
    const [length, middle] = [span.to - span.from, (span.from + span.to) / 2];
    const time = model.times[place] ?? middle;
    const around = time >= span.from && time <= span.to ? time : middle;
    const start = place >= 0 ? place : within(model.times, span.from, span.to)[1];
    const step = (from: number, by: 1 | -1) => this.#lookAt(nextShown(model, from, by, this.narrowing));
    if (order === "zoom in" || order === "zoom out")
      this.choose(zoomed(span, order === "zoom in" ? 0.5 : 2, around, bounds), false);
    else if (order === "earlier" || order === "later")
      this.choose(shifted(span, (order === "earlier" ? -length : length) / 4, bounds), false);
    else if (order === "before") step(start, -1);
    else if (order === "behind") step(start, 1);
    else if (order === "newest") step(-1, 1);
    else if (order === "oldest") step(model.times.length, -1);
    else if (order === "up" || order === "down") this.#stepLane(order === "down" ? 1 : -1);
    else if (order === "focus")
      this.choose(length >= bounds.to - bounds.from - 1 ? zoomed(span, 0.1, around, bounds) : bounds, true);
    else if (order === "open" && cursor !== null) this.view.show(cursor);
    else if (order === "close" && cursor !== null) this.view.toPresent();
    else return false;
    return true;
  }

  #stepLane(step: number): void {
    const lanes = this.order.flatMap((at) => this.model?.lanes[at] ?? []);
    const at = lanes.findIndex(({ agent }) => agent === this.narrowing.agent);
    const next = lanes[Math.min(Math.max(at + step, 0), lanes.length - 1)];
    if (next !== undefined) this.goTo({ agent: next.agent }, { replace: this.narrowing.agent !== "" });
  }

  /** Moves the cursor; its time is brought into view where it is not. */
  #lookAt(place: number | null): void {
    const { model, span, bounds } = this;
    if (model === null || place === null) return;
    const [seq, time] = [model.seqs[place] ?? 0, model.times[place] ?? 0];
    const half = (span.to - span.from) / 2;
    const isInView = time >= span.from && time <= span.to;
    const part = isInView ? {} : this.#words(shifted({ from: time - half, to: time + half }, 0, bounds));
    this.goTo({ ...part, at: String(seq) }, { replace: this.cursor !== null });
  }

  #spanOf({ from = "", to = "", span = "" }: Query): Span {
    const [{ bounds }, { drawnOf, timeOf }] = [this, this.#axis];
    const ms = Number(span) * 1_000;
    const at = (text: string, otherwise: number) => (text === "" ? otherwise : drawnOf(Date.parse(text)));
    const part =
      ms > 0
        ? { from: drawnOf(timeOf(bounds.to) - ms), to: bounds.to }
        : { from: at(from, bounds.from), to: at(to, bounds.to) };
    if (part.from >= part.to) return bounds;
    return this.hasWholePauses ? part : cutTo(part, bounds);
  }

  async #settleLater(part: Span, mine: number): Promise<void> {
    await this.view.clock.wait(settleMs);
    if (mine === this.#turn) this.#settle(part, true);
  }

  #settle(part: Span, replace: boolean): void {
    this.#turn += 1;
    // Somebody may be elsewhere by now.
    if (this.view.router.place?.view === "lanes") this.goTo(this.#words(part), { replace });
    this.#gesture = null;
  }

  #words({ from, to }: Span): Query {
    const isWhole = from <= this.bounds.from && to >= this.bounds.to;
    const words = (ms: number) => (isWhole ? "" : new Date(this.#axis.timeOf(ms)).toISOString());
    return { from: words(from), to: words(to), span: "" };
  }
}
