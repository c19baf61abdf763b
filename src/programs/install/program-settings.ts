/**
 * What agent programs read of Baton: how each is called and started, and Baton as its MCP server.
 * Source: docs/protocol/doors.md, section 7; the settings references of the three programs.
 */
import type { JsonObject } from "../../base/json.ts";
import { type HookProgram, hookPrograms, programTitles } from "../../messages/program-hooks.ts";

interface ProgramFacts {
  readonly title: string;
  /** The command that starts it, and its package on npm. */
  readonly command: string;
  readonly packageName: string;
  /**
   * How long it waits for a hook, in its own unit: longer than BATON_HOOK_SECONDS can say, for then it would go on
   * unasked.
   */
  readonly timeout: number;
  /**
   * What in its JSON settings makes it hand on Baton's variables to a server that it starts, and what else its server
   * needs.
   */
  readonly handsOn: JsonObject;
  readonly server: JsonObject;
  /** What becomes of an edit where Baton gives no answer, for people. */
  readonly open: string;
  /** What its person does once the plugin is in. */
  readonly next: string;
  /** What it asks its person in a new folder before it works, and which answer lets Baton's hooks run. */
  readonly asks: string;
}

/** The variable that says who the agent is. */
const agentVariable = "BATON_AGENT";

/** What a server needs of its session's surroundings: who the agent is, and the hub with its credential. */
const variables: readonly string[] = [agentVariable, "BATON_HUB", "BATON_TOKEN"];

/** Where Codex keeps its queue, which its server needs to wake the session. */
const codexHomeVariable = "CODEX_HOME";

/** The programs, each with what only it has. */
export const programFacts: Readonly<Record<HookProgram, ProgramFacts>> = {
  "claude-code": {
    title: programTitles["claude-code"],
    command: "claude",
    packageName: "@anthropic-ai/claude-code",
    timeout: 120,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code fills it in; without the dash it would appear unchanged.
    handsOn: { env: { [agentVariable]: "${BATON_AGENT:-}" } },
    // The agent reads of its tools at once, and need not search for them.
    server: { alwaysLoad: true },
    open: "without an answer of Baton an edit is blocked",
    next: "The project's .claude/settings.json names the plugin; a colleague runs this line once, too.",
    asks: "whether you trust the folder: yes",
  },
  codex: {
    title: programTitles.codex,
    command: "codex",
    packageName: "@openai/codex",
    timeout: 120,
    handsOn: {},
    server: {},
    open: "without an answer of Baton an edit passes, and is judged after it",
    next: "Review Baton's hooks at its next start, or by /hooks: Codex skips them until then. It loads the plugin in all your projects.",
    asks: "about the folder (trust it) and, once, Baton's hooks (trust all): it skips them until then",
  },
  gemini: {
    title: programTitles.gemini,
    command: "gemini",
    packageName: "@google/gemini-cli",
    timeout: 120_000,
    handsOn: { env: Object.fromEntries(variables.map((name) => [name, `$${name}`])) },
    // Without a person who says yes it could call none of the tools. It heeds this of its settings, and not of a plugin.
    server: { trust: true },
    open: "where Baton cannot start an edit is blocked; one that Gemini CLI no longer waits for passes, and is judged after it",
    next: "It asks before each call of Baton's tools.",
    asks: "whether you trust the folder: yes, its hooks run only there",
  },
};

/** How many agents of a program join by its name where all share one folder: `claude-1`, `claude-2` and so on. */
export const sharingMax = 8;

/** The program of that name or command; null: it is none. */
export function programCalled(word: string): HookProgram | null {
  return hookPrograms.find((each) => each === word || programFacts[each].command === word) ?? null;
}

/** What hooks and server of a program call. */
export interface Setup {
  readonly program: HookProgram;
  /** The words that start Baton. */
  readonly words: readonly string[];
  /** The folder of the sessions, where the server of a session answers its hooks; absent: only the command answers. */
  readonly sessions?: string;
  /** What the program calls the server; absent: `baton`. */
  readonly server?: string;
}

/** The MCP server as JSON settings hold it. */
export function wantedServer(setup: Setup): JsonObject {
  const { handsOn, server } = programFacts[setup.program];
  return { command: setup.words[0] ?? "", args: serverArguments(setup), ...handsOn, ...server };
}

/** The MCP server as Codex has it. It gives up on a tool after 60 seconds, and `wait` may wait for 300. */
export function codexServer(setup: Setup): JsonObject {
  return {
    command: setup.words[0] ?? "",
    args: serverArguments(setup),
    env_vars: [...variables, codexHomeVariable],
    tool_timeout_sec: 330,
    startup_timeout_sec: 60,
  };
}

function serverArguments({ program, words }: Setup): readonly string[] {
  return [...words.slice(1), "mcp", "--program", program];
}
