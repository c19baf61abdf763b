/**
 * Mail by the entries alone: what was addressed to an agent and not acknowledged, in order.
 * Written from docs/protocol/record.md, section 5.
 */
import type { InboxPage } from "../../../src/mail/operations.ts";
import type { Seen, Wrong } from "./seen.ts";

export interface MailModel {
  take(seen: Seen): void;
  /** What an agent has not acknowledged. */
  waiting(agent: string): readonly number[];
  acknowledged(agent: string): number;
  /** These do not wait for the agent any more, from the entry `at` on. */
  over(agent: string, seqs: readonly number[], at: number): void;
  /** Compares a page that an agent got with what was addressed to it. `head`: where the team was when it asked. */
  checkPage(agent: string, page: InboxPage, asked: { readonly head: number; readonly limit: number }): void;
}

/** No mail. `retold`: entries whose messages are not shown, because there are none. */
export function newMailModel(wrong: Wrong): MailModel {
  const addressed = new Map<string, number[]>();
  const cursors = new Map<string, number>();
  /** By agent and request: the entry since which the request waits no more. */
  const overSince = new Map<string, number>();
  const of = (agent: string) => addressed.get(agent) ?? [];
  const cursor = (agent: string) => cursors.get(agent) ?? 0;
  return {
    waiting: (agent) => of(agent).filter((seq) => seq > cursor(agent)),
    acknowledged: cursor,
    over(agent, seqs, at) {
      addressed.set(
        agent,
        of(agent).filter((seq) => !seqs.includes(seq)),
      );
      for (const seq of seqs) overSince.set(`${agent} ${seq}`, at);
    },
    take({ entry, content }) {
      const { receivers, seq, principal } = entry;
      if (new Set(receivers).size !== receivers.length) wrong(`entry ${seq} is addressed twice to one agent`);
      if (receivers.includes(principal.agent)) wrong(`${principal.agent} is sent its own entry ${seq}`);
      for (const agent of receivers) addressed.set(agent, [...of(agent), seq]);
      if (content.acknowledged === undefined) return;
      const isAsked = entry.id?.endsWith(`/${content.acknowledged}`) === true;
      if (!isAsked) wrong(`${principal.agent} asked for ${entry.id}, and acknowledges ${content.acknowledged}`);
      if (content.acknowledged >= seq) wrong(`${principal.agent} acknowledges ${content.acknowledged} at ${seq}`);
      cursors.set(principal.agent, Math.max(cursor(principal.agent), content.acknowledged));
    },
    checkPage(agent, page, { head, limit }) {
      const seqs = page.deliveries.map(({ seq }) => seq);
      // A page may have been read before a request was over.
      const before = seqs.filter((seq) => (overSince.get(`${agent} ${seq}`) ?? 0) > head);
      const after = [...of(agent), ...before].filter((seq) => seq > page.acknowledged).toSorted((a, b) => a - b);
      const expected = after.slice(0, seqs.length);
      if (seqs.join() !== expected.join()) {
        wrong(`${agent} is shown ${seqs.join(", ")} after ${page.acknowledged}, expected ${expected.join(", ")}`);
      }
      const sure = of(agent).filter((seq) => seq > page.acknowledged && seq <= head).length;
      if (seqs.length < Math.min(sure, limit)) wrong(`${agent} is shown ${seqs.length} of at least ${sure} messages`);
      if (page.acknowledged > cursor(agent))
        wrong(`the cursor of ${agent} is ${page.acknowledged}, told ${cursor(agent)}`);
    },
  };
}
