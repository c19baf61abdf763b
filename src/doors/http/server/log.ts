/**
 * What the hub tells those who run it. Never tokens, codes, cookies or bodies. Lines that anybody can cause without
 * a credential are let through a few at a time.
 */
import type { Clock } from "../../../base/clock.ts";

/** The part of a logger that the hub uses; pino's is one. */
export interface HubLog {
  debug(facts: object, words: string): void;
  info(facts: object, words: string): void;
  warn(facts: object, words: string): void;
  error(facts: object, words: string): void;
}

/** A log that says nothing. */
export const silentLog: HubLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

const linesPerWindow = 10;
const windowMs = 60_000;

/** Lets `linesPerWindow` lines of a minute through and says later how many were left out. */
export function fewLines(log: HubLog, clock: Clock): (facts: object, words: string) => void {
  let startedAt = clock.monotonic();
  let count = 0;
  return (facts, words) => {
    if (clock.monotonic() - startedAt > windowMs) {
      const left = count - linesPerWindow;
      if (left > 0) log.warn({ left }, "lines of unauthenticated requests were left out");
      startedAt = clock.monotonic();
      count = 0;
    }
    count += 1;
    if (count <= linesPerWindow) log.warn(facts, words);
  };
}
