/**
 * Ctrl-C while a shutdown round goes on: the hub stays until the round is over, because its agents can only answer and be
 * asked again where there is a hub. A second Ctrl-C, or SIGTERM, ends the waiting.
 * Source: semantics.md section 3, Shutdown ("the round always ends").
 */
import { systemClock } from "../base/clock.ts";
import { visible } from "../base/text.ts";
import type { ShutdownView } from "../runtime/shutdown-certificate.ts";

/** How often it is looked whether the rounds are over, in milliseconds. */
const lookMs = 200;
/** How long the hub stays after them, so that whoever waits through it for a round sees its end. */
const afterMs = 1_000;

/** Waits until `open` names no round and a moment longer, or `signal` aborts; each that is waited for is told once. */
export async function drainRounds(
  open: () => Promise<readonly ShutdownView[]>,
  tell: (words: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const told = new Set<string>();
  for (;;) {
    const rounds = signal.aborted ? [] : await open();
    if (rounds.length === 0) {
      if (told.size > 0) await systemClock.wait(afterMs, signal);
      return;
    }
    for (const round of rounds) {
      const key = `${round.requester}/${round.round}`;
      if (!told.has(key)) tell(waitingWords(round));
      told.add(key);
    }
    await systemClock.wait(lookMs, signal);
  }
}

function waitingWords({ round, agents, asked, askingsMax, dueAt }: ShutdownView): string {
  const left = agents.filter(({ outcome }) => outcome === null).map(({ agent }) => visible(agent));
  return (
    `Shutdown ${visible(round)} goes on: ${left.join(", ")} ${left.length === 1 ? "has" : "have"} not stopped ` +
    `(asking ${asked} of ${askingsMax}, until ${dueAt ?? "now"}). The hub ends after it; Ctrl-C again ends it at once.`
  );
}
