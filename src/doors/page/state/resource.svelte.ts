/** An answer of the hub that a component shows, asked for while it is there. */
import { ask, type Refused } from "../hub/request.ts";

/**
 * The answer to GET `path`; null asks for nothing. Made with a component, with which it ends. It is asked for again when
 * the path is another, which empties it, or when `again` is; an answer that somebody else's took the place of is dropped.
 *
 * @example const story = new Resource<TaskStory>(() => teamPath(view.name, `tasks/${id}`), () => verdict.seq)
 */
export class Resource<Answer> {
  answer = $state.raw<Answer | null>(null);
  refused = $state.raw<Refused | null>(null);

  constructor(path: () => string | null, again: () => unknown = () => null) {
    // What is read to make them may be new objects that say the same: only another path or word asks again.
    const asked = $derived(path());
    const version = $derived(again());
    let shown: string | null = null;
    $effect(() => {
      void version;
      if (asked !== shown) [this.answer, this.refused] = [null, null];
      shown = asked;
      if (asked === null) return;
      const over = new AbortController();
      void ask<Answer>(asked, { signal: over.signal }).then((reply) => {
        if (over.signal.aborted) return;
        if (reply.ok) this.answer = reply.value;
        this.refused = reply.ok ? null : reply.error;
      });
      return () => over.abort();
    });
  }
}
