/**
 * What Codex's words after `baton run codex --` begin: a thread whose id can be bound before its terminal starts, a separate
 * process, or nothing that is an agent's session, which is refused. Source: docs/protocol/doors.md, section 7.
 */
import { resolve } from "node:path";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import { nearestProject } from "../../programs/install/settings-text.ts";
import type { EarlierThread } from "../../programs/sessions/codex-thread.ts";

/** What begins. */
export type CodexStart =
  | {
      readonly kind: "thread";
      /** The thread to go on with; null: a new one. */
      readonly earlier: EarlierThread | null;
      /** What follows the thread's id: options and a prompt. */
      readonly words: readonly string[];
      /** All words as they were given. */
      readonly given: readonly string[];
      readonly directory: string;
    }
  | {
      readonly kind: "process";
      readonly words: readonly string[];
      /** What keeps a session in a terminal from the daemon; null: nothing, or the caller asks for it. */
      readonly because: string | null;
    };

/** A word that is no option, or an option with its value. */
interface Token {
  /** As they were given, with a `--` before it. */
  readonly raw: readonly string[];
  readonly word?: string;
  readonly option?: string;
  readonly value?: string | undefined;
}

/** Options that the daemon takes with a thread. */
const ofThreads = {
  flags: ["--no-alt-screen", "--dangerously-bypass-approvals-and-sandbox"],
  valued: ["-m", "--model", "-s", "--sandbox", "-a", "--ask-for-approval", "--add-dir", "-C", "--cd"],
};

/** Options of `resume` that choose the thread. */
const choosing = ["--last", "--all", "--include-non-interactive"];

/** Further options whose value is the next word. */
const valuedElsewhere =
  "-c --config --enable --disable -p --profile --local-provider --remote --remote-auth-token-env".split(" ");

const valued = [...ofThreads.valued, ...valuedElsewhere];

/** Subcommands that begin a session; `e` is short for `exec`. */
const sessions = ["exec", "e", "review", "fork"];

/** Subcommands that begin none, or others' sessions. */
const others = (
  "agents login logout mcp plugin app-server remote-control completion update doctor sandbox debug apply a queue archive delete " +
  "migrate-rollouts migrate-nfs-db unarchive cloud exec-server features help"
).split(" ");

/**
 * What the words begin in a terminal in `directory`. Refuses with `wrong-usage` subcommands that begin no session, and
 * options that lead to a session in another project, or in a process that Baton does not start.
 */
export function readCodexWords(words: readonly string[], directory: string): Result<CodexStart, Problem> {
  const tokens = tokensOf(words);
  const at = tokens.findIndex(({ option }) => option === undefined);
  const first = tokens[at]?.word ?? null;
  const refused = (first === null ? null : refusedCommand(first)) ?? refusedOption(tokens, directory);
  if (refused !== null) return err(refused);
  const process = (because: string | null) => ok({ kind: "process", words: noDaemon(tokens, words), because } as const);
  if (first !== null && sessions.includes(first)) return process(first === "fork" ? "fork" : null);
  const isResumed = first === "resume";
  const known = [...ofThreads.flags, ...ofThreads.valued, ...(isResumed ? choosing : [])];
  const other = tokens.find(({ option }) => option !== undefined && !known.includes(option))?.option;
  if (other !== undefined) return process(other === "--no-daemon" ? null : visible(other));
  const folder = tokens.findLast(({ option }) => option === "-C" || option === "--cd")?.value;
  const thread = {
    kind: "thread",
    given: words,
    directory: folder === undefined ? directory : resolve(directory, folder),
  } as const;
  const positionals = tokens.filter(({ option }) => option === undefined);
  if (!isResumed) {
    const isPrompt = positionals.length === 0 || (positionals.length === 1 && /\s/.test(first ?? ""));
    return isPrompt ? ok({ ...thread, earlier: null, words }) : process(null);
  }
  const isLast = tokens.some(({ option }) => option === "--last");
  const named = isLast ? undefined : positionals[1];
  // A person chooses the thread in the terminal.
  if (!isLast && named === undefined) return process("resume without an id");
  const chosen = tokens.filter(
    (token) => token !== tokens[at] && token !== named && !choosing.includes(token.option ?? ""),
  );
  const rest = chosen.flatMap(({ raw }) => raw);
  const earlier = named === undefined ? ({ isLast: true } as const) : { named: named.word ?? "" };
  return ok({ ...thread, earlier, words: rest });
}

function tokensOf(words: readonly string[]): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--")
      return [
        ...tokens,
        ...words.slice(at + 1).map((each, index) => ({ raw: index === 0 ? [word, each] : [each], word: each })),
      ];
    if (!word.startsWith("-") || word === "-") tokens.push({ raw: [word], word });
    else if (valued.includes(word)) {
      tokens.push({ raw: words.slice(at, at + 2), option: word, value: words[at + 1] });
      at += 1;
    } else {
      const isShort = !word.startsWith("--");
      const end = isShort ? 2 : word.indexOf("=");
      const value = end < 0 || end === word.length ? undefined : word.slice(end).replace(/^=/, "");
      tokens.push({ raw: [word], option: end < 0 ? word : word.slice(0, end), value });
    }
  }
  return tokens;
}

function noDaemon(tokens: readonly Token[], words: readonly string[]): readonly string[] {
  return tokens.some(({ option }) => option === "--no-daemon") ? words : ["--no-daemon", ...words];
}

function refusedCommand(name: string): Problem | null {
  if (!others.includes(name)) return null;
  return usageProblem(name, `codex ${name} begins no session of one agent.`, `run it without Baton: codex ${name}`);
}

function refusedOption(tokens: readonly Token[], directory: string): Problem | null {
  for (const { option, value } of tokens) {
    if (option === "--remote")
      return usageProblem(
        option,
        "This session would run in a server that Baton does not start.",
        "leave --remote out",
      );
    if (option === "--worktree")
      return usageProblem(option, "Codex's new worktree would be without Baton's hooks.", worktreeHint);
    if ((option === "-C" || option === "--cd") && value !== undefined) {
      const other = resolve(directory, value);
      if (nearestProject(other) !== nearestProject(directory))
        return usageProblem(
          option,
          `${visible(other)} is another project, or none.`,
          `cd there, and run this line again without ${option}`,
        );
    }
  }
  return null;
}

const worktreeHint = "an agent with a program in .baton/team.yaml has a worktree of its own: baton run AGENT";
