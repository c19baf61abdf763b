/** The hub's log, by pino: lines of JSON on standard error, and for people at a terminal one plain line each. */
import { pino } from "pino";
import { systemClock, timestampOf } from "../base/clock.ts";
import { visible } from "../base/text.ts";
import { writeError } from "../doors/cli/terminal/process-streams.ts";
import { localTime } from "../doors/cli/terminal/terminal-text.ts";
import type { HubLog } from "../doors/http/index.ts";

/** Levels of `--log-level`, the most talkative first. */
export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The log at `level`; `plain` for people at a terminal. */
export function hubLog(level: LogLevel, plain: boolean): HubLog {
  return plain ? plainLog(level) : jsonLog(level);
}

function jsonLog(level: LogLevel): HubLog {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${timestampOf(systemClock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: writeError },
  );
}

/** What is in a line is shown, never executed by the terminal. */
function plainLog(level: LogLevel): HubLog {
  const least = logLevels.indexOf(level);
  const say = (at: LogLevel) => (facts: object, words: string) => {
    if (logLevels.indexOf(at) < least) return;
    const told = Object.entries(facts).map(([name, value]) => `${name}=${String(value)}`);
    const line = [localTime(systemClock.now()), at, words, ...told].join(" ");
    writeError(`${visible(line)}\n`);
  };
  return { debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") };
}
