/**
 * The command at a terminal: a pseudo-terminal of util-linux's `script`, typed at as a person types, who reads a question
 * before answering it. What is typed depends on what is on the screen, never on time.
 */
import { spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { commandMsMax, commandNode, environment, mainBundle } from "./command.ts";

/** Why there is no terminal to be had here; false: there is. */
export const withoutTerminal =
  spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") === true
    ? false
    : "the command script of util-linux is not here";

export const keys = { enter: "\r", down: "\u001b[B", space: " ", interrupt: "\u0003", end: "\u0004" } as const;

/** What is waited for on the screen, and what is typed then. */
export type Step = readonly [question: string, typed: string];

export interface AtTerminal {
  readonly code: number | null;
  /** All that was shown, without colours and movements. */
  readonly screen: string;
  /** As the terminal got it. */
  readonly raw: string;
}

/** Runs `baton` in `directory` and goes through the steps in order; a question that does not come ends it by time-out. */
export function atTerminal(directory: string, words: readonly string[], steps: readonly Step[]): Promise<AtTerminal> {
  const quoted = [commandNode, mainBundle, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols 120 rows 40; exec ${quoted}`, "/dev/null"], {
    cwd: directory,
    env: environment({ TERM: "xterm", NO_COLOR: "1" }),
    timeout: commandMsMax,
  });
  let screen = "";
  let raw = "";
  let seen = 0;
  let next = 0;
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (text: string) => {
    raw += text;
    screen += stripVTControlCharacters(text);
    const [question, typed] = steps[next] ?? [];
    const at = question === undefined ? -1 : screen.indexOf(question, seen);
    if (at < 0 || typed === undefined) return;
    // What is typed is looked for behind this question, so that one that is drawn again is not answered twice.
    seen = screen.length;
    next += 1;
    child.stdin.write(typed);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, screen, raw }));
  });
}
