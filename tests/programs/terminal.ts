/** One session of an agent program in a terminal: what a person types, what is shown, what the model is asked. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import type { HookProgram } from "../../src/messages/program-hooks.ts";
import { programWords } from "./installed.ts";
import { type ModelTurn, startModel } from "./model.ts";
import { bareEnvironment, findable, type Project } from "./project.ts";
import { type Asked, providers, sessionMsMax, starts } from "./session.ts";

/** The processes of this machine whose words, each ended by a NUL, and whose environment are such. */
export function processesOf(isSo: (words: string, environment: string) => boolean): readonly number[] {
  return readdirSync("/proc").flatMap((id) => {
    if (!/^\d+$/.test(id)) return [];
    try {
      const [words, environment] = [`/proc/${id}/cmdline`, `/proc/${id}/environ`].map((file) =>
        readFileSync(file, "utf8"),
      );
      return isSo(words ?? "", environment ?? "") ? [Number(id)] : [];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

/** The server of the one session of the program that runs in the project. */
export function serversOf(project: Project, program: HookProgram): readonly number[] {
  const isServer = (words: string) => words.includes(`\0mcp\0--program\0${program}\0`);
  const servers = processesOf((words, env) => isServer(words) && env.includes(`HOME=${project.home}\0`));
  assert.equal(servers.length, 1, "control: it has one server");
  return servers;
}

/** Waits until `isSo`, which is asked again every few milliseconds; `shown` is in the error where it does not come. */
export async function eventually(what: string, isSo: () => boolean, shown = () => ""): Promise<void> {
  const endMs = performance.now() + sessionMsMax / 2;
  while (!isSo()) {
    if (performance.now() > endMs) throw new Error(`${what} did not happen: ${shown()}`);
    await setTimeout(10);
  }
}

export interface TerminalSession extends AsyncDisposable {
  readonly turns: readonly ModelTurn[];
  /** What was on the screen so far, without colours and blanks. */
  screen(): string;
  /** Types `text` and leaves it in the prompt. */
  draft(text: string): Promise<void>;
  /** Presses a key that answers a question of the program, again and again until `isSo`: one that comes too soon is lost. */
  choose(key: string, what: string, isSo: () => boolean): Promise<void>;
  /** Types a line, and ends it once it is on the screen. */
  type(line: string): Promise<void>;
  /** Waits until `isSo`, which is asked again every few milliseconds. */
  until(what: string, isSo: () => boolean): Promise<void>;
}

/** How long a terminal may stay open, in milliseconds: several sessions of others may pass meanwhile. */
const terminalMsMax = 4 * sessionMsMax;

/**
 * What ends a line. In Gemini CLI an Enter within 30 ms of a letter is a line break, as in a paste; one after a key that
 * writes nothing, as End, is not.
 */
const lineEnds = { "claude-code": "\r", codex: "\r", gemini: "\x1b[F\r" } as const;

/** What is on the screen once the program waits for the first line. */
const prompts = { "claude-code": "shift+tabtocycle", codex: "forshortcuts", gemini: "Typeyourmessage" } as const;

/** What each shows first where its user has not said yet whether the folder is trusted. */
const questions = { "claude-code": "trustthisfolder", codex: "Trustthisfolder", gemini: "trust" } as const;

/** Whether `text` has these letters in this order: a slow program shows a word in parts, with other words between them. */
function hasInOrder(text: string, letters: string): boolean {
  let from = 0;
  for (const letter of letters) {
    const at = text.indexOf(letter, from);
    if (at < 0) return false;
    from = at + 1;
  }
  return true;
}

/** Starts the program in a terminal and waits for its prompt. */
export async function inTerminal(
  project: Project,
  program: keyof typeof prompts,
  asked: Asked,
): Promise<TerminalSession> {
  const model = await startModel(providers[program], asked.script);
  const { env } = starts[program](project, model.url, asked);
  const { agent, words = [], isLaunched = false } = asked;
  const start = isLaunched
    ? [process.execPath, project.launcher, "run", agent, "--program", program, ...(words.length === 0 ? [] : ["--"])]
    : programWords(program);
  const line = [...start, ...words].map((word) => `'${word}'`).join(" ");
  // Agents that are started by a name are members of a team.
  const teams = { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" };
  const environment = { ...bareEnvironment(project.home), ...teams, ...env };
  if (isLaunched) findable(project.home, program);
  const who = isLaunched ? {} : { BATON_AGENT: agent };
  const child = spawn("script", ["-qec", `stty cols 120 rows 40; exec ${line}`, "/dev/null"], {
    cwd: project.root,
    env: { ...environment, ...who },
    timeout: terminalMsMax,
  });
  const ended = new Promise((resolve) => {
    child.once("close", resolve);
  });
  let screen = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    screen += text;
    // A terminal says where its cursor is.
    if (text.includes("\x1b[6n")) child.stdin.write("\x1b[1;1R");
  });
  const shown = () => stripVTControlCharacters(screen).replaceAll(/\s/g, "");
  const until = (what: string, isSo: () => boolean) => eventually(what, isSo, shown);
  const draft = async (text: string): Promise<void> => {
    const from = shown().length;
    child.stdin.write(text);
    await until(text, () => hasInOrder(shown().slice(from), text.replaceAll(/\s/g, "")));
  };
  const { isTrusted = true } = asked;
  await until("the prompt", () => shown().includes((isTrusted ? prompts : questions)[program]));
  return {
    turns: model.turns,
    screen: shown,
    until,
    draft,
    choose: async (key, what, isSo) => {
      const press = () => child.stdin.write(key);
      press();
      const pressing = setInterval(press, 2000);
      await until(`${what} after ${JSON.stringify(key)}`, isSo).finally(() => clearInterval(pressing));
    },
    type: async (text) => {
      await draft(text);
      // The end of the line comes by itself: together with the text it would be a paste.
      child.stdin.write(lineEnds[program]);
    },
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await ended;
      // Codex leaves its daemon behind, and a process that looks for updates of it, which runs the same file.
      if (asked.isLeft !== true)
        for (const id of processesOf((words) => words.startsWith(`${project.home}/.codex/`)))
          process.kill(id, "SIGKILL");
      await model[Symbol.asyncDispose]();
    },
  };
}
