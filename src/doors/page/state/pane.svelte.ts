/**
 * What is open in a view: an entry, a phase or a handoff, asked for when it is opened and again when something came that
 * may have changed it.
 */
import type { Clock } from "../../../base/clock.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { PhaseView } from "../../../phases/view/phase-view.ts";
import type { LogLine, LogPage, Shown } from "../../../record/operations/entries.ts";
import { ask, type Refused, teamPath } from "../hub/request.ts";
import { type HandoffStory, handoffStory } from "./handoff-list.svelte.ts";
import { Joined, touchesHandoffs, touchesPhases } from "./refetching.ts";

export type Opened =
  /** `key`: the entry's number, or the id of its message. */
  | { readonly what: "entry"; readonly key: string }
  | { readonly what: "phase"; readonly phase: string }
  | { readonly what: "handoff"; readonly id: string };

/** Sets what was found, if what it was asked for is still open. */
type Keep = <Found>(found: Result<Found, Refused>, set: (value: Found) => void) => Result<null, Refused>;

/** How many entries from the beginning of a thread on are looked at for its others. */
const threadLooks = 500;

export class Pane {
  opened = $state.raw<Opened | null>(null);
  /** What is opened, once it came. At most one of the three is there. */
  entry = $state.raw<Shown | null>(null);
  phase = $state.raw<PhaseView | null>(null);
  handoff = $state.raw<HandoffStory | null>(null);
  /** The entries of the opened entry's thread, oldest first, as far as they are near its beginning. */
  thread = $state.raw<readonly LogLine[]>([]);
  /** Whether the entry's raw form is unfolded: it stays so from one entry to the next. */
  isRawOpen = $state(false);
  /** Why it could not be had. */
  problem = $state.raw<Refused | null>(null);
  /** The entry that is open; null: none is. */
  readonly seq = $derived(this.opened?.what === "entry" ? (this.entry?.seq ?? numberOf(this.opened.key)) : null);

  readonly #team: string;
  readonly #joined: Joined;
  #isThreadOld = true;

  constructor(team: string, clock: Clock) {
    this.#team = team;
    this.#joined = new Joined(
      () => this.#ask(),
      clock,
      () => 0,
      2,
    );
  }

  /** Shows it; null: nothing. */
  async open(opened: Opened | null): Promise<void> {
    if (keyOf(this.opened) === keyOf(opened)) return;
    this.#clear();
    this.opened = opened;
    await this.#ask();
  }

  /** Refetches what is open. */
  refresh(): Promise<void> {
    return this.#joined.run();
  }

  /** An entry came: what is open is refetched if it may have changed. The delivery of an entry always may. */
  follow(line: LogLine): void {
    const what = this.opened?.what;
    if (what === "phase" && !touchesPhases(line)) return;
    if (what === "handoff" && !touchesHandoffs(line)) return;
    if (line.thread !== null && line.thread === this.entry?.thread) this.#isThreadOld = true;
    if (what !== undefined) void this.#joined.soon();
  }

  async #ask(): Promise<void> {
    const { opened } = this;
    if (opened === null) return;
    const key = keyOf(opened);
    const answer = await this.#answer(opened);
    // It was closed, or another opened, while the hub answered.
    if (keyOf(this.opened) !== key) return;
    this.problem = answer.ok ? null : answer.error;
  }

  async #answer(opened: Opened): Promise<Result<null, Refused>> {
    const keep: Keep = (found, set) => {
      if (!found.ok) return err(found.error);
      if (keyOf(this.opened) === keyOf(opened)) set(found.value);
      return ok(null);
    };
    switch (opened.what) {
      case "entry":
        return this.#entryAnswer(opened, keep);
      case "phase":
        return keep(await this.#phase(opened.phase), (phase) => {
          this.phase = phase;
        });
      case "handoff":
        return keep(await handoffStory(this.#team, opened.id), (handoff) => {
          this.handoff = handoff;
        });
    }
  }

  async #entryAnswer(opened: Opened & { readonly what: "entry" }, keep: Keep): Promise<Result<null, Refused>> {
    const found = await ask<Shown>(teamPath(this.#team, `messages/${encodeURIComponent(opened.key)}`));
    const kept = keep(found, (entry) => {
      this.entry = entry;
    });
    const root = found.ok ? found.value.thread : null;
    if (root === null || !this.#isThreadOld) return kept;
    keep(await threadLines(this.#team, root), (lines) => {
      this.thread = lines;
      this.#isThreadOld = false;
    });
    return kept;
  }

  async #phase(phase: string): Promise<Result<PhaseView | null, Refused>> {
    const found = await ask<{ readonly phases: readonly PhaseView[] }>(teamPath(this.#team, "phase", { phase }));
    return found.ok ? ok(found.value.phases[0] ?? null) : found;
  }

  #clear(): void {
    this.entry = null;
    this.thread = [];
    this.#isThreadOld = true;
    this.phase = null;
    this.handoff = null;
    this.problem = null;
  }
}

/** The entries of the thread that began with the entry `root`, oldest first, as far as they are near its beginning. */
export async function threadLines(team: string, root: number): Promise<Result<readonly LogLine[], Refused>> {
  const path = teamPath(team, "messages", { after: root - 1, order: "asc", limit: threadLooks });
  const page = await ask<LogPage>(path);
  return page.ok ? ok(page.value.entries.filter(({ thread }) => thread === root)) : page;
}

function keyOf(opened: Opened | null): string {
  return JSON.stringify(opened);
}

function numberOf(key: string): number | null {
  return /^[1-9][0-9]{0,15}$/.test(key) ? Number(key) : null;
}
