/**
 * Notifications of the browser: off until the person asks for them. While the page is hidden the hub is asked now and then
 * what needs the person, and something new and urgent is announced: how much of it there is and where, never in anybody's
 * words. At most one a minute.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Result } from "../../../base/result.ts";
import { counted } from "../../../base/text.ts";
import type { Need, Needs } from "../../../coordination/needs/need-ranking.ts";
import { ask, type Refused, teamPath } from "../hub/request.ts";
import { keep, keptIn } from "./theme.svelte.ts";

const key = "baton-notices";
/** A hidden page has no stream, so that its connection is free for others; it asks this often. */
const lookMs = 15_000;
const pauseMs = 60_000;
const urgent: ReadonlySet<string> = new Set(["critical", "high"]);

export class Notices {
  isOn = $state(false);
  /** Whether the browser refuses them. */
  isRefused = $state(false);

  constructor() {
    this.isOn = keptIn(key) === "on" && "Notification" in window;
  }

  /** Switches them on, which the browser may ask about, or off. */
  async toggle(): Promise<void> {
    const isAsked = !this.isOn && "Notification" in window;
    const permission = isAsked ? await Notification.requestPermission() : "denied";
    this.isRefused = !this.isOn && permission !== "granted";
    this.isOn = isAsked && permission === "granted";
    keep(key, this.isOn ? "on" : null);
  }

  /** Announces what comes while the page is hidden, until `signal` aborts. `count`: how much needs the person now. */
  async watch(team: string, clock: Clock, count: (total: number) => void, signal: AbortSignal): Promise<void> {
    let known: ReadonlySet<string> | null = null;
    let lastMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const isAsked: boolean = document.hidden || known === null;
      const needs: Result<Needs, Refused> | null = isAsked ? await ask<Needs>(teamPath(team, "needs")) : null;
      if (signal.aborted) return;
      if (needs?.ok === true) {
        const now: readonly Need[] = needs.value.needs.filter(({ severity }) => urgent.has(severity));
        const before: ReadonlySet<string> | null = known;
        const fresh = before === null ? 0 : now.filter(({ id }) => !before.has(id)).length;
        const isQuiet = clock.monotonic() - lastMs < pauseMs;
        // What is not announced within the minute is announced after it.
        if (fresh === 0 || !isQuiet || !document.hidden) known = new Set(now.map(({ id }) => id));
        if (document.hidden) count(needs.value.total);
        if (document.hidden && fresh > 0 && !isQuiet) {
          lastMs = clock.monotonic();
          announce(team, fresh);
        }
      }
      await clock.wait(lookMs, signal);
    }
  }
}

function announce(team: string, fresh: number): void {
  const notice = new Notification(`Baton · ${team}`, {
    body: `${counted(fresh, "urgent matter")} ${fresh === 1 ? "needs" : "need"} you.`,
    tag: `baton-${team}`,
  });
  notice.onclick = () => window.focus();
}
