/**
 * Ctrl-C while a shutdown round goes on: the hub stays until the round is over, because its agents can only answer and
 * be asked again where there is a hub, and until each caller that waits for it learned how it ended. A second Ctrl-C,
 * or SIGTERM, ends the waiting. Source: docs/protocol/asking.md, sections 14 to 16.
 */
import { type Clock, systemClock } from "../base/clock.ts";
import { visible } from "../base/text.ts";
import { localTime } from "../doors/cli/terminal/terminal-text.ts";
import type { ShutdownView } from "../shutdown/operations.ts";

/** How often it is looked whether the rounds are over, in milliseconds. */
const roundLookMs = 200;
/** How long the hub stays after them at least, so that uncommitted files can be reported with them. */
const afterMs = 1_000;
/** How long it stays after them at most, for those who wait through it and ask slowly. */
const afterMsMax = 10_000;

/** What is drained. */
interface Draining {
  /** The rounds that go on. */
  openRounds(): Promise<readonly ShutdownView[]>;
  /** Whether somebody waits for the end of one, and has not seen it. */
  isRoundAwaited(): boolean;
}

/**
 * Waits until no round goes on, and then until each caller that waits for one has seen its end, or `signal` aborts;
 * each round that is waited for is reported once.
 */
export async function drainRounds(
  { openRounds, isRoundAwaited }: Draining,
  tell: (words: string) => void,
  { signal, clock = systemClock }: { readonly signal: AbortSignal; readonly clock?: Clock },
): Promise<void> {
  const told = new Set<string>();
  for (;;) {
    const rounds = signal.aborted ? [] : await openRounds();
    if (rounds.length === 0) break;
    for (const round of rounds) {
      const key = `${round.requester}/${round.round}`;
      if (!told.has(key)) tell(waitingWords(round));
      told.add(key);
    }
    await clock.wait(roundLookMs, signal);
  }
  const endedAtMs = clock.monotonic();
  if (told.size > 0) await clock.wait(afterMs, signal);
  while (!signal.aborted && isRoundAwaited() && clock.monotonic() - endedAtMs < afterMsMax)
    await clock.wait(roundLookMs, signal);
}

function waitingWords({ round, agents, dueAt }: ShutdownView): string {
  const left = agents.filter(({ outcome }) => outcome === null).map(({ agent }) => visible(agent));
  return (
    `Shutdown ${visible(round)} goes on: ${left.join(", ")} ${left.length === 1 ? "has" : "have"} not stopped ` +
    `(until ${dueAt === null ? "now" : localTime(dueAt)}). The hub ends after it; Ctrl-C again ends it at once.`
  );
}
