/**
 * What a person chooses for this browser, where it is kept: light or dark (as the system says until then), and whether keys
 * that are one character do anything; and whether the browser announces what needs the person.
 */

import type { Clock } from "../../../base/clock.ts";
import type { Result } from "../../../base/result.ts";
import { forInvited, type Need, type Needs } from "../../../needs/view/need-ranking.ts";
import { keep, keptIn } from "../hub/kept.ts";
import { ask, type Refused, teamPath } from "../hub/request.ts";

export type Theme = "system" | "light" | "dark";

const key = "baton-theme";
const singleKeysKey = "baton-single-keys";

/** The theme, shown on the document's root; kept only where the browser lets it. */
export class ThemeChoice {
  theme = $state<Theme>("system");
  singleKeys = $state(true);

  constructor() {
    const kept = keptIn(key);
    if (kept === "light" || kept === "dark") this.choose(kept);
    this.singleKeys = keptIn(singleKeysKey) !== "off";
  }

  useSingleKeys(use: boolean): void {
    this.singleKeys = use;
    keep(singleKeysKey, use ? null : "off");
  }

  choose(theme: Theme): void {
    this.theme = theme;
    if (theme === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = theme;
    keep(key, theme === "system" ? null : theme);
  }

  /** The next of system, light and dark. */
  next(): void {
    const order: readonly Theme[] = ["system", "light", "dark"];
    this.choose(order[(order.indexOf(this.theme) + 1) % order.length] ?? "system");
  }
}

/*
 * Notifications of the browser: off until the person asks for them. While the page is hidden the hub is asked now and then
 * what needs the person, and something new and urgent is announced, in Baton's words, never in an agent's; several by their
 * number. A click opens it. At most one a minute.
 */

const noticesKey = "baton-notices";
/** A hidden page has no stream, so that its connection is free for others; it asks this often. */
const lookMs = 15_000;
const pauseMs = 60_000;
/** Trouble, what others wait for, and what only the person can answer. */
const isUrgent = ({ triage, blocksTotal, requestType }: Need) =>
  triage === "broken" || triage === "stuck" || blocksTotal > 0 || requestType === "gate_override";

export class Notices {
  isOn = $state(false);
  /** Whether the browser refuses them. */
  isRefused = $state(false);

  constructor() {
    this.isOn = keptIn(noticesKey) === "on" && "Notification" in window;
  }

  /** Switches them on, which the browser may ask about, or off. */
  async toggle(): Promise<void> {
    const isAsked = !this.isOn && "Notification" in window;
    const permission = isAsked ? await Notification.requestPermission() : "denied";
    this.isRefused = !this.isOn && permission !== "granted";
    this.isOn = isAsked && permission === "granted";
    keep(noticesKey, this.isOn ? "on" : null);
  }

  /** Announces what comes while the page is hidden, until `signal` aborts. `count` gets how much needs the person now. */
  async watch(
    { name: team, clock, person }: { readonly name: string; readonly clock: Clock; readonly person: string | null },
    { count, open }: { count(total: number): void; open(need: string | null): void },
    signal: AbortSignal,
  ): Promise<void> {
    let known: ReadonlySet<string> | null = null;
    let lastMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted) {
      const isAsked: boolean = document.hidden || known === null;
      const needs: Result<Needs, Refused> | null = isAsked ? await ask<Needs>(teamPath(team, "needs")) : null;
      if (signal.aborted) return;
      if (needs?.ok === true) {
        const all: Needs = person === null ? needs.value : forInvited(needs.value);
        const now: readonly Need[] = all.needs.filter(isUrgent);
        const before: ReadonlySet<string> | null = known;
        const fresh = before === null ? [] : now.filter(({ id }) => !before.has(id));
        const isQuiet = clock.monotonic() - lastMs < pauseMs;
        // What is not announced within the minute is announced after it.
        if (fresh.length === 0 || !isQuiet || !document.hidden) known = new Set(now.map(({ id }) => id));
        if (document.hidden) count(all.total);
        if (document.hidden && fresh.length > 0 && !isQuiet) {
          lastMs = clock.monotonic();
          announce(team, fresh, open);
        }
      }
      await clock.wait(lookMs, signal);
    }
  }
}

function announce(team: string, fresh: readonly Need[], open: (need: string | null) => void): void {
  const [only, ...others] = fresh;
  const body = others.length === 0 ? only?.subject : `${fresh.length} urgent matters need you.`;
  const notice = new Notification(`Baton · ${team}`, { body: body ?? "", tag: `baton-${team}` });
  notice.onclick = () => {
    window.focus();
    open(others.length === 0 ? (only?.id ?? null) : null);
  };
}
