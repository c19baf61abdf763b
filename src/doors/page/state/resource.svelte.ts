/** An answer of the hub that a component shows, asked for while it is there; and what a person does by a button. */
import { untrack } from "svelte";
import type { Result } from "../../../base/result.ts";
import { ask, hubClock, newActId, type Refused } from "../hub/request.ts";
import { Joined } from "./refetching.ts";

interface Asking<Answer> {
  /** Where entries make it ask again: milliseconds after each asking in which none begins. It waits for its turn then. */
  readonly restMs?: (answer: Answer | null) => number;
  /** What is asked for a key; absent: the key is a path. */
  readonly fetch?: (key: string, signal: AbortSignal) => Promise<Result<Answer, Refused>>;
}

/**
 * The answer to GET `key`, or to what `fetch` makes of it; null asks for nothing. Made with a component, with which it ends.
 * Another key empties it; the same is asked for again when `again` is another, and an answer that came too late is dropped.
 *
 * @example const story = new Resource<TaskStory>(() => teamPath(view.name, `tasks/${id}`), () => verdict.seq)
 */
export class Resource<Answer> {
  answer = $state.raw<Answer | null>(null);
  refused = $state.raw<Refused | null>(null);
  readonly problems = $derived(this.refused?.problems ?? []);

  constructor(
    key: () => string | null,
    again: () => unknown = () => null,
    { restMs, fetch = (path, signal) => ask<Answer>(path, { signal }) }: Asking<Answer> = {},
  ) {
    // What is read to make them may be new objects that say the same: only another key or word asks again.
    const asked = $derived(key());
    const version = $derived(again());
    let shown: string | null = null;
    let over = new AbortController();
    const load = async () => {
      over.abort();
      over = new AbortController();
      const { signal } = over;
      if (shown === null) return;
      const reply = await fetch(shown, signal);
      if (signal.aborted) return;
      if (reply.ok) this.answer = reply.value;
      this.refused = reply.ok ? null : reply.error;
    };
    const joined = restMs === undefined ? null : new Joined(load, hubClock, () => restMs(this.answer));
    $effect(() => {
      void version;
      if (asked === shown && joined !== null) return void joined.soon();
      if (asked !== shown) [this.answer, this.refused, shown] = [null, null, asked];
      untrack(() => void load());
    });
    $effect(() => () => {
      shown = null;
      over.abort();
    });
  }
}

/**
 * What a person does by a button: whether it is under way, what came of it, and why the last try was refused. A repeat of
 * one try carries the same id, so that one whose answer did not arrive has its effect once.
 */
export class Act<Answer = unknown> {
  busy = $state(false);
  done = $state.raw<Answer | null>(null);
  refused = $state.raw<Refused | null>(null);
  readonly problems = $derived(this.refused?.problems ?? []);
  #tried: { readonly text: string; readonly id: string } | null = null;

  /** POSTs `body` to `path` with the try's id, unless it has none. Null: it was refused, or one is under way. */
  async send(path: string, body: object, { hasId = true }: { readonly hasId?: boolean } = {}): Promise<Answer | null> {
    if (this.busy) return null;
    [this.busy, this.done] = [true, null];
    const text = JSON.stringify([path, body]);
    if (this.#tried?.text !== text) this.#tried = { text, id: newActId() };
    const named = hasId ? { ...body, id: this.#tried.id } : body;
    const reply = await ask<Answer>(path, { method: "POST", body: named });
    this.busy = false;
    this.refused = reply.ok ? null : reply.error;
    if (!reply.ok) return null;
    this.#tried = null;
    this.done = reply.value;
    return reply.value;
  }
}
