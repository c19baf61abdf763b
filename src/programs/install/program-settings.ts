/**
 * What Baton writes into the settings of agent programs: where each program reads them, the hooks that it wants to be asked
 * by (derived from the table of events), and itself as the MCP server `baton`.
 * Source: docs/protocol/doors.md, section 7; the settings references of the three programs.
 */
import { isAbsolute, relative, sep } from "node:path";
import type { Json, JsonObject } from "../../base/json.ts";
import { tomlValue } from "../../base/text-formats/toml.ts";
import {
  type HookProgram,
  hookPrograms,
  noWakeWord,
  programTitles,
  serverName,
  wakesBy,
} from "../../messages/program-hooks.ts";

/** One file of a program's settings in a project, and what of ours is in it. */
export interface SettingsFile {
  /** From the project's folder. */
  readonly path: string;
  readonly holds: readonly ("hooks" | "server" | "server block" | "permissions")[];
  /** In a linked worktree the program reads the main worktree's file instead; absent: that of the worktree. */
  readonly isMains?: true;
}

/** A rule in a program's settings of what is allowed without a question, denied, or closed to its sandbox. */
export interface Permission {
  /** The list in the settings. */
  readonly path: readonly string[];
  readonly rule: string;
  /** Whether a rule of the list may be one that Baton wrote for another folder; absent: only this very rule is Baton's. */
  readonly isOwn?: (rule: Json) => boolean;
  /** An older Baton wrote it: it is taken out, and not written any more. */
  readonly isOld?: true;
}

interface ProgramFacts {
  readonly title: string;
  /** The command that starts it, and its package on npm. */
  readonly command: string;
  readonly packageName: string;
  readonly files: readonly SettingsFile[];
  /** Whether it reads JSON settings with comments and a comma at an end; one that does not loads nothing of such a file. */
  readonly readsComments: boolean;
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
  /** What it may do with Baton's tools without asking, and what is hidden from its model, as its settings list it. */
  readonly permissions: readonly Permission[];
  /** What becomes of an edit where Baton gives no answer, for people. */
  readonly open: string;
  /** What its person does then. */
  readonly next: string;
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
    files: [
      { path: ".claude/settings.json", holds: ["hooks", "permissions"] },
      { path: ".mcp.json", holds: ["server"] },
    ],
    readsComments: false,
    timeout: 120,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Code fills it in; without the dash it would appear unchanged.
    handsOn: { env: { [agentVariable]: "${BATON_AGENT:-}" } },
    // The agent reads of its tools at once, and need not search for them.
    server: { alwaysLoad: true },
    permissions: [
      // Its hook allows Baton's tools, and its server hides the hook's own.
      { path: ["permissions", "allow"], rule: `mcp__${serverName}`, isOld: true },
      { path: ["permissions", "deny"], rule: `mcp__${serverName}__hook`, isOld: true },
      // Its sandbox lets a shell write in git's folder. Codex's does not; Gemini CLI has no such list.
      { path: ["sandbox", "filesystem", "denyWrite"], rule: "./.git/baton", isOwn: isStateFolder },
    ],
    open: "without an answer of Baton an edit is blocked",
    next: 'It asks whether you trust the folder, and whether it may use the server baton: choose "Use this MCP server", which is not the marked answer. Without it edits are blocked. /hooks and /mcp show both.',
  },
  codex: {
    title: programTitles.codex,
    command: "codex",
    packageName: "@openai/codex",
    files: [
      { path: ".codex/hooks.json", holds: ["hooks"], isMains: true },
      { path: ".codex/config.toml", holds: ["server block"] },
    ],
    readsComments: false,
    timeout: 120,
    handsOn: {},
    server: {},
    permissions: [],
    open: "without an answer of Baton an edit passes, and is judged after it",
    next: "It reads a project's settings once you trust the folder, and runs new hooks once you have reviewed them: /hooks.",
  },
  gemini: {
    title: programTitles.gemini,
    command: "gemini",
    packageName: "@google/gemini-cli",
    files: [{ path: ".gemini/settings.json", holds: ["hooks", "server"] }],
    readsComments: true,
    timeout: 120_000,
    handsOn: { env: Object.fromEntries(variables.map((name) => [name, `$${name}`])) },
    // Without a person who says yes it could call none of the tools.
    server: { trust: true },
    permissions: [],
    open: "where Baton cannot start an edit is blocked; one that Gemini CLI no longer waits for passes, and is judged after it",
    next: "It reads a project's settings once you trust the folder. /hooks and /mcp show both.",
  },
};

/** How many agents of a program join by its name where all share one folder: `claude-1`, `claude-2` and so on. */
export const sharingMax = 8;

/** The program of that name or command; null: it is none. */
export function programCalled(word: string): HookProgram | null {
  return hookPrograms.find((each) => each === word || programFacts[each].command === word) ?? null;
}

/** Codex's own settings, which are those of all projects of its user, by their names in `$CODEX_HOME`. */
export const codexUserFiles: readonly SettingsFile[] = programFacts.codex.files.map(({ path, holds }) => ({
  path: path.replace(".codex/", ""),
  holds,
}));

/** The permissions of the program in the project at `root`, whose journal is in the folder `state`. */
export function permissionsIn(root: string, state: string, program: HookProgram): readonly Permission[] {
  const inside = relative(root, state);
  const folder = inside.startsWith("..") || isAbsolute(inside) ? state : `./${inside.split(sep).join("/")}`;
  const wanted = programFacts[program].permissions.filter(({ isOld }) => isOld === undefined);
  return wanted.map((each) => (each.isOwn === undefined ? each : { ...each, rule: folder }));
}

/** Whether a rule names a folder as Baton's state folders are called. */
function isStateFolder(rule: Json): boolean {
  if (typeof rule !== "string" || !(rule.startsWith("./") || isAbsolute(rule))) return false;
  const inGit = rule.includes("/.git/") && (rule.endsWith("/baton") || rule.includes("/baton/folders/"));
  return inGit || rule === "./.baton";
}

/** Where the MCP server is in JSON settings, and in TOML. */
export const serverPath = ["mcpServers", "baton"] as const;
export const serverTable = ["mcp_servers", "baton"] as const;

const noWake = `--${noWakeWord}`;

/** Who is set up: the words that start Baton, and the agent; null: the program's BATON_AGENT says it. */
export interface Setup {
  readonly program: HookProgram;
  readonly words: readonly string[];
  readonly agent: string | null;
  /** The address of the hub; absent: the program's BATON_HUB says it, or there is none. */
  readonly hub?: string | undefined;
  /** Whether an idle agent is woken when mail comes for it; absent: it is. */
  readonly wakes?: boolean;
  /** The folder of the sessions, where the server of a session answers its hooks; absent: only the command answers. */
  readonly sessions?: string | undefined;
  /** The settings are those of all projects of a user, which must not depend on Baton; absent: they are a project's. */
  readonly isUsers?: boolean;
}

/** The MCP server as JSON settings hold it. */
export function wantedServer(setup: Setup): JsonObject {
  const { handsOn, server } = programFacts[setup.program];
  return { command: setup.words[0] ?? "", args: serverArguments(setup), ...handsOn, ...server };
}

/**
 * The MCP server as TOML has it, each value a part of JSON. Codex gives up on a tool after 60 seconds, and `wait` may wait
 * for 300. It goes on where a hook gives no answer, so it does not start without the server that answers its hooks.
 */
export function wantedServerFacts(setup: Setup): JsonObject {
  return {
    command: setup.words[0] ?? "",
    args: serverArguments(setup),
    env_vars: [...variables, codexHomeVariable],
    tool_timeout_sec: 330,
    ...(setup.isUsers === true ? {} : { startup_timeout_sec: 60, required: true }),
  };
}

/** The same as lines of TOML. */
export function wantedServerLines(setup: Setup): readonly string[] {
  const facts = Object.entries(wantedServerFacts(setup));
  return [`[${serverTable.join(".")}]`, ...facts.map(([key, value]) => `${key} = ${tomlValue(value)}`)];
}

/** The options that name agent and hub in a line. */
export function agentAndHub({ agent, hub }: Pick<Setup, "agent" | "hub">): readonly string[] {
  return [...(agent === null ? [] : ["--as", agent]), ...(hub === undefined ? [] : ["--hub", hub])];
}

function serverArguments({ program, words, agent, hub, wakes = true }: Setup): readonly string[] {
  const more = [...agentAndHub({ agent, hub }), ...(wakes || wakesBy(program) !== "queue" ? [] : [noWake])];
  return [...words.slice(1), "mcp", "--program", program, ...more];
}

/** The words that start Baton in a server that Baton wrote; null: it is somebody else's. */
export function ownServerWords(server: JsonObject): readonly string[] | null {
  const { command, args } = server;
  if (typeof command !== "string" || !Array.isArray(args)) return null;
  const [launcher, name, ...rest] = (args as readonly unknown[]).filter((word) => word !== noWake);
  const isOurs = isLauncher(launcher) && name === "mcp" && rest.length % 2 === 0 && rest.every(isOption);
  return isOurs ? [command, String(launcher)] : null;
}

/** Whether a word is in its place in a list of options that Baton writes, each with its value. */
export function isOption(option: unknown, index: number): boolean {
  return index % 2 === 1 || option === "--as" || option === "--program" || option === "--hub";
}

/** Whether a word is the path of Baton's launcher, wherever it lies or lay. */
export function isLauncher(word: unknown): boolean {
  return typeof word === "string" && /[\\/]bin[\\/]baton\.js$/.test(word);
}
