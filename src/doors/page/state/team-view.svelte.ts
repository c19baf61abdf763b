/**
 * One team as the page watches it: timeline, facts and the live stream that feeds both. Opened when the team is chosen,
 * closed when another is.
 */
import type { Clock } from "../../../base/clock.ts";
import { type Connection, followEntries } from "../hub/entry-stream.ts";
import type { Order } from "../shown/keys.ts";
import { type Place, pastSeqOf, type Query, type ViewName, viewNames } from "../shown/places.ts";
import { Facts } from "./facts.svelte.ts";
import { HandoffList } from "./handoff-list.svelte.ts";
import { type Opened, Pane } from "./pane.svelte.ts";
import { PastView, Recent } from "./past-view.svelte.ts";
import type { Router } from "./router.svelte.ts";
import { Timeline } from "./timeline.svelte.ts";
import { filterFrom, isSameFilter, placeQuery } from "./timeline-entries.ts";

const tickMs = 10_000;
/** How long a connection may be lost before the hub counts as gone: longer than a restart takes. */
const goneMs = 5_000;

/** Orders of the keyboard that the shown view takes before the page does. */
class ViewOrders {
  readonly #takers: ((order: Order) => boolean)[] = [];

  /** Takes orders until the answer is called. `taker`: whether it did something with the order. */
  take(taker: (order: Order) => boolean): () => void {
    this.#takers.push(taker);
    return () => void this.#takers.splice(this.#takers.indexOf(taker), 1);
  }

  /** Whether a view took the order; the one that came last is asked first. */
  give(order: Order): boolean {
    return this.#takers.toReversed().some((taker) => taker(order));
  }
}

/** What a team's page is given from outside. */
interface TeamSurroundings {
  readonly clock: Clock;
  /** The time as it passes. */
  readonly present: () => number;
  readonly onRefused: () => void;
  readonly readsUntil: string | null;
  readonly person: string | null;
}

export class TeamView {
  readonly name: string;
  readonly timeline: Timeline;
  /** How the team is. */
  readonly present: Facts;
  /** The past that is looked at; null: the present is. */
  past = $state.raw<PastView | null>(null);
  /** What the views show: the present, or the past that is looked at. */
  readonly facts = $derived.by(() => this.past?.facts ?? this.present);
  /** The last entry that came. */
  lastSeq = $state(0);
  connection = $state<Connection>("connecting");
  /** Whether the hub has not been heard for a while. */
  isGone = $state(false);
  /** Whether what is shown may have changed meanwhile: nothing comes at present. */
  readonly isStale = $derived(this.connection === "lost" || this.connection === "refused");
  readonly handoffs: HandoffList;
  /** What came last. */
  readonly recent = $derived.by(() => this.past?.recent ?? this.#recent);
  /** What is open in the view. */
  readonly pane: Pane;
  readonly router: Router;
  readonly orders = new ViewOrders();

  /** Whether the list of what needs the person takes the focus when it is there. */
  isListWanted = false;
  /** Whether the timeline is on its way for its search. */
  isSearchWanted = false;

  /** How far to the left and down what scrolls was, by its name (`keep-scroll.ts`). */
  readonly scrolls = new Map<string, readonly [left: number, top: number]>();
  readonly clock: Clock;
  /** What time it is for the ages shown: in the past it is as late as it was then. */
  readonly now = $derived.by(() => this.past?.timeMs ?? this.#present());
  /** Until when a link lets somebody read; null: it is the owner's page. */
  readonly readsUntil: string | null;
  /** Whom the owner has invited to decide by that link; null: nobody. */
  readonly person: string | null;
  readonly #recent: Recent;
  readonly #onRefused: () => void;
  readonly #present: () => number;
  readonly #closing = new AbortController();
  /** Counts losses, so that the end of an earlier one says nothing of the present. */
  #losses = 0;
  /** Whether nothing was received for a while, so that more than entries may have changed. */
  #isBehind = false;

  constructor(name: string, router: Router, { clock, present, onRefused, readsUntil, person }: TeamSurroundings) {
    this.name = name;
    this.router = router;
    this.readsUntil = readsUntil;
    this.person = person;
    this.timeline = new Timeline(name, clock);
    this.present = new Facts(name, clock, {
      isReadOnly: readsUntil !== null && person === null,
      isInvited: person !== null,
    });
    this.handoffs = new HandoffList(name, clock);
    this.#recent = new Recent(name);
    this.pane = new Pane(name, clock);
    this.clock = clock;
    this.#onRefused = onRefused;
    this.#present = present;
  }

  /** Whether nothing can be changed here but what needs the person: the past is looked at, or the page is read by a link. */
  get isReadOnly(): boolean {
    return this.past !== null || this.readsUntil !== null;
  }

  /** Loads the current state. */
  async load(): Promise<void> {
    await Promise.all([this.present.refresh(), this.#recent.refresh()]);
  }

  /** Loads the lists once the current state is `loaded`, then follows. */
  async open(loaded: Promise<void>): Promise<void> {
    const shown = this.router.place?.view;
    // The lists are long, so where no list is shown they come after what is.
    if (shown !== "timeline" && shown !== "handoffs") await loaded;
    await Promise.all([loaded, this.timeline.show(this.#filter()), this.handoffs.refresh()]);
    const { signal } = this.#closing;
    if (signal.aborted) return;
    followEntries(
      {
        team: this.name,
        // The oldest of the answers: what came after it is not in it.
        after: Math.min(this.timeline.list.looked, this.present.status?.head.seq ?? Number.POSITIVE_INFINITY),
        clock: this.clock,
        onEntry: (line) => {
          this.timeline.add(line);
          this.present.follow(line);
          this.handoffs.follow(line);
          this.#recent.follow(line);
          this.pane.follow(line);
          this.lastSeq = Math.max(this.lastSeq, line.seq);
        },
        onConnection: (connection) => this.#connected(connection),
      },
      signal,
    );
    while (!signal.aborted) {
      await this.clock.wait(tickMs, signal);
      if (!signal.aborted && this.connection === "live") await this.#look();
    }
  }

  /** Ends it: nothing is followed any more. */
  leave(): void {
    this.#closing.abort();
  }

  /** What a view is called here: what the owner has to decide needs nobody who only reads. */
  nameOf(view: ViewName): string {
    return view === "inbox" && this.readsUntil !== null && this.person === null ? "Needs the owner" : viewNames[view];
  }

  /** A place of this team; at the entry that is looked at where the view can show that. */
  at(view: ViewName, item: string | null = null, query: Query = {}): Place {
    const place = { team: this.name, view, item, query };
    if (this.past === null || "at" in query) return place;
    const past = { ...place, query: { ...query, at: String(this.past.seq) } };
    return pastSeqOf(past) === null ? place : past;
  }

  /** Shows the team as it was at an entry, in the same view. `replace`: in place of the entry that is shown. */
  toPast(seq: number): void {
    const { place } = this.router;
    if (place !== null)
      this.router.go({ ...place, query: { ...place.query, at: String(seq) } }, { replace: this.past !== null });
  }

  /** Back to the present, in the same view. */
  toPresent(): void {
    const { place } = this.router;
    if (place !== null) this.router.go({ ...place, query: { ...place.query, at: "" } });
  }

  /** Goes to a place of this team. */
  go(view: ViewName, item: string | null = null, query: Query = {}): void {
    this.router.go(this.at(view, item, query));
  }

  /** Opens another item of a list: instead of the one that is open there, so that closing leads back to the list. */
  choose(view: ViewName, item: string): void {
    const { place } = this.router;
    const isHere = place?.view === view;
    // A wide window shows the first of what needs the person before any is chosen: another is no further step.
    const isShown = place?.item !== null || (view === "inbox" && !matchMedia("(max-width: 760px)").matches);
    this.router.go(this.at(view, item, isHere ? place.query : {}), { replace: isHere && isShown });
  }

  /** Opens an entry; from the timeline, under what that is narrowed to. */
  show(seq: number | null): void {
    if (seq !== null) this.choose("timeline", String(seq));
  }

  /** Narrows the timeline. `replace`: letter by letter, which is one step back. */
  narrow(part: Partial<Timeline["filter"]>, options: { readonly replace?: boolean } = {}): void {
    const { place } = this.router;
    // Words that were typed are taken a moment later; by then somebody may be elsewhere.
    if (place?.view !== "timeline") return;
    this.router.go(this.at("timeline", place.item, placeQuery({ ...this.timeline.filter, ...part })), options);
  }

  /** Closes what is open: back to where it was opened, or to its list. Where nothing is, back to the view before. */
  close(): void {
    const { place } = this.router;
    if (place === null) return;
    if (place.item !== null) this.router.back({ ...place, item: null });
    else if (place.view !== "overview") this.router.back({ team: this.name, view: "overview", item: null, query: {} });
  }

  /** Shows what the place names. */
  arrive(place: Place): void {
    const { view, item } = place;
    this.#lookAt(pastSeqOf(place));
    const filter = this.#filter();
    if (view === "timeline" && !isSameFilter(filter, this.timeline.filter)) void this.timeline.show(filter);
    void this.pane.open(openedAt(view, item));
    if (view === "timeline" && this.pane.seq !== null) this.timeline.marked = this.pane.seq;
  }

  #lookAt(seq: number | null): void {
    if (seq === (this.past?.seq ?? null)) return;
    const isHurried = this.past?.isAsked ?? false;
    const past = seq === null ? null : new PastView(this.name, seq, this.clock, this.facts);
    this.past = past;
    void past?.open(isHurried, () => this.past !== past || this.#closing.signal.aborted);
  }

  /** What the timeline is narrowed to: as the address says where it is shown, otherwise as it was. */
  #filter(): Timeline["filter"] {
    const { place } = this.router;
    return place?.view === "timeline" ? filterFrom(place.query) : this.timeline.filter;
  }

  /** What changes without an entry: who reads, how far an opened entry got. */
  async #look(): Promise<void> {
    await this.present.refreshUnseen();
    if (this.pane.seq !== null) await this.pane.refresh();
  }

  /** Refetches everything that is shown, after nothing was received for a while. */
  async #catchUp(): Promise<void> {
    await Promise.all([this.present.refresh(), this.handoffs.refresh(), this.pane.refresh()]);
  }

  async #miss(loss: number): Promise<void> {
    await this.clock.wait(goneMs, this.#closing.signal);
    if (loss === this.#losses && !this.#closing.signal.aborted) this.isGone = true;
  }

  #connected(connection: Connection): void {
    const wasLost = this.isStale;
    this.connection = connection;
    if (connection === "live" || connection === "paused") {
      this.isGone = false;
      this.#losses += 1;
    } else if (this.isStale && !wasLost) void this.#miss(++this.#losses);
    if (this.isStale || connection === "paused") this.#isBehind = true;
    if (connection === "live" && this.#isBehind) {
      this.#isBehind = false;
      void this.#catchUp();
    }
    if (connection === "refused") this.#onRefused();
  }
}

function openedAt(view: ViewName, item: string | null): Opened | null {
  if (item === null) return null;
  if (view === "timeline") return { what: "entry", key: item };
  if (view === "phases") return { what: "phase", phase: item };
  return view === "handoffs" ? { what: "handoff", id: item } : null;
}
