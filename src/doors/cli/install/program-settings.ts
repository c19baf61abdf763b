/**
 * What Baton writes into the settings of agent programs: where each program reads them, the hooks that it wants to be asked
 * by (derived from the table of events), and itself as the MCP server `baton`.
 * Source: docs/protocol/doors.md, section 7; the settings references of the three programs.
 */
import { isAbsolute, relative, sep } from "node:path";
import type { Json, JsonObject } from "../../../base/json.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { tomlString } from "../../../base/text-formats/toml-statements.ts";
import {
  type HookEvent,
  type HookProgram,
  hookEvents,
  hookFields,
  hookTool,
  noWakeWord,
  serverName,
  toolPrefix,
  wakesBy,
} from "../../../message/program-hooks.ts";
import { hookSocketStart } from "../../../workspace/agent-sessions.ts";
import { shellLine, shellWords } from "../kernel/next-command.ts";

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
    title: "Claude Code",
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
      { path: ["permissions", "allow"], rule: toolPrefix.slice(0, -2) },
      { path: ["permissions", "deny"], rule: `${toolPrefix}${hookTool}` },
      // Its sandbox lets a shell write in git's folder. Codex's does not; Gemini CLI has no such list.
      { path: ["sandbox", "filesystem", "denyWrite"], rule: "./.git/baton", isOwn: isStateFolder },
    ],
    open: "without an answer of Baton an edit is blocked",
    next: "It asks once whether it may use the server baton of .mcp.json: say yes. /hooks and /mcp show both.",
  },
  codex: {
    title: "Codex",
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
    title: "Gemini CLI",
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

/** Codex's own settings, which are those of all projects of its user, by their names in `$CODEX_HOME`. */
export const codexUserFiles: readonly SettingsFile[] = programFacts.codex.files.map(({ path, holds }) => ({
  path: path.replace(".codex/", ""),
  holds,
}));

/** The permissions of the program in the project at `root`, whose journal is in the folder `state`. */
export function permissionsIn(root: string, state: string, program: HookProgram): readonly Permission[] {
  const inside = relative(root, state);
  const folder = inside.startsWith("..") || isAbsolute(inside) ? state : `./${inside.split(sep).join("/")}`;
  return programFacts[program].permissions.map((each) => (each.isOwn === undefined ? each : { ...each, rule: folder }));
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

/** One hook as settings hold it: an event, and what is in its list. */
export interface HookGroup {
  readonly event: string;
  readonly group: JsonObject;
}

/** The hooks to be written. Refuses `wrong-usage` where a path holds what cannot be shown as it is. */
export function wantedHooks({
  program,
  words,
  agent,
  hub,
  wakes = true,
  sessions,
}: Setup): Result<readonly HookGroup[], Problem> {
  const groups: HookGroup[] = [];
  for (const event of hookEvents[program]) {
    const { name, matcher, asks } = event;
    if (asks === "wake" && !wakes) continue;
    const more = [...named({ agent, hub }), ...(asks === "wake" ? [wakeFlag] : [])];
    const line = shellLine([...words, "hook", name, "--program", program, ...more]);
    if (line === null) return err(unshowable(words));
    const { timeout } = programFacts[program];
    const own = event.blocks ? `${line}${orBlocked}` : line;
    const command = {
      type: "command",
      command: quickLine({ program, agent, hub, sessions }, event, own) ?? own,
      timeout,
    };
    const waiter = { ...command, command: `${inPlace}${line}`, timeout: wakeSeconds, asyncRewake: true };
    const called = event.by === "command" ? command : hookCall(program, event);
    const handler = asks === "wake" ? waiter : called;
    groups.push({ event: name, group: { ...(matcher === null ? {} : { matcher }), hooks: [handler] } });
  }
  return ok(groups);
}

const noWake = `--${noWakeWord}`;

/** What a line of `baton hook` has that waits for mail. */
export const wakeFlag = "--wake";
/** The shell gives its place to the waiting process, so that the program is its parent and ends it. */
const inPlace = "exec ";
/** How long one waits: a day. The next turn starts another. */
const wakeSeconds = 86_400;
/** Programs take exit code 2 alone for a refusal; a command that cannot even start ends with others. */
const orBlocked = " || exit 2";

/** The line that asks by curl, where the program has nothing but lines; null: only the command asks. */
function quickLine(
  { program, agent, hub, sessions }: Omit<Setup, "words">,
  event: HookEvent,
  command: string,
): string | null {
  if (program !== "gemini") return null;
  return hub === undefined ? sessionLine(sessions, event, command) : hubLine(hub, event, agent, command);
}

/*
 * On this machine the session's own server is asked. Without an answer the command decides; what the program said is kept
 * for it, because curl reads its input before it connects.
 */
const kept = "i=$(cat); ";
const handedOn = 'printf %s "$i" | ';
const withoutServer = `{ printf %s "$o"; exit; }; ${handedOn}`;

function sessionLine(sessions: string | undefined, { name }: HookEvent, command: string): string | null {
  // A shell of Windows reads no such line, and has no such sockets.
  if (sessions === undefined || process.platform === "win32") return null;
  const start = shellLine([hookSocketStart(sessions)]);
  if (start === null) return null;
  const ask = `curl -sf --max-time 3 --unix-socket "$s" --data-binary @- http://baton/hooks/${name}`;
  return `${kept}s=${start}$PPID; [ -S "$s" ] && o=$(${handedOn}${ask}) && ${withoutServer}${command}`;
}

/*
 * A hub is asked by curl, which starts quicker than Node; where there is no curl, the command asks the same hub. Where
 * the hub gives no answer, what it decides is denied: no way leads past it. The token is in no argument of a process.
 */
const byCurl = "curl -sf ";
const withoutCurl = "[ $c = 127 ] && { ";
const thenOver = "; exit; }";
const noAnswer =
  "echo 'Baton: the hub gave no answer (curl '$c', where 7 is that nothing listens and 22 that it refuses BATON_TOKEN), so this is denied. BATON_HUB names it; baton up starts it.' >&2; exit 2";

function hubLine(hub: string, { name, blocks }: HookEvent, agent: string | null, command: string): string | null {
  const url = shellLine([`${hub.replace(/\/$/, "")}/hooks/gemini/${name}`]);
  const named = agent === null ? '"X-Baton-Agent: $BATON_AGENT"' : shellLine([`X-Baton-Agent: ${agent}`]);
  if (url === null || named === null) return null;
  return [
    `${byCurl}--max-time 3 -H @/dev/fd/5 -H ${named} -H 'Content-Type: application/json' --data-binary @- ${url} 5<<TOKEN; c=$?`,
    "Authorization: Bearer $BATON_TOKEN",
    "TOKEN",
    `[ $c = 0 ] && exit; ${withoutCurl}${command}${thenOver}; ${blocks ? noAnswer : "exit 0"}`,
  ].join("\n");
}

/** A hook that calls the tool of the session's own server, with the fields of the event. */
function hookCall(program: HookProgram, event: HookEvent): JsonObject {
  return {
    type: "mcp_tool",
    server: serverName,
    tool: hookTool,
    input: Object.fromEntries(hookFields(program, event).map((field) => [field, `\${${field}}`])),
    timeout: programFacts[program].timeout,
    ...(event.blocks ? { onFailure: "block" } : {}),
  };
}

/** The MCP server as JSON settings hold it. */
export function wantedServer(setup: Setup): JsonObject {
  const { handsOn, server } = programFacts[setup.program];
  return { command: setup.words[0] ?? "", args: serverArguments(setup), ...handsOn, ...server };
}

/**
 * The MCP server as lines of TOML. Codex gives up on a tool after 60 seconds, and `wait` may wait for 300. It goes on where
 * a hook gives no answer, so it does not start without the server that answers its hooks.
 */
export function wantedServerLines(setup: Setup): readonly string[] {
  const list = (values: readonly string[]) => `[${values.map(tomlString).join(", ")}]`;
  return [
    `[${serverTable.join(".")}]`,
    `command = ${tomlString(setup.words[0] ?? "")}`,
    `args = ${list(serverArguments(setup))}`,
    `env_vars = ${list([...variables, codexHomeVariable])}`,
    "tool_timeout_sec = 330",
    ...(setup.isUsers === true ? [] : ["startup_timeout_sec = 60", "required = true"]),
  ];
}

/** The options that name agent and hub in a line. */
function named({ agent, hub }: Pick<Setup, "agent" | "hub">): readonly string[] {
  return [...(agent === null ? [] : ["--as", agent]), ...(hub === undefined ? [] : ["--hub", hub])];
}

function serverArguments({ program, words, agent, hub, wakes = true }: Setup): readonly string[] {
  const more = [...named({ agent, hub }), ...(wakes || wakesBy(program) !== "queue" ? [] : [noWake])];
  return [...words.slice(1), "mcp", "--program", program, ...more];
}

/** Whether a handler of a hook is Baton's call; an earlier or a later Baton may have named other fields. */
export function isOwnCall({ type, server, tool }: JsonObject): boolean {
  return type === "mcp_tool" && server === serverName && tool === hookTool;
}

/** The words that start Baton in a hook's command line that Baton wrote for `program`; null: it is not such a line. */
export function ownHookWords(line: unknown, program: HookProgram): readonly string[] | null {
  const words = typeof line === "string" ? shellWords(bareLine(line)) : null;
  if (words === null || words[2] !== "hook" || words[4] !== "--program" || words[5] !== program) return null;
  const rest = words.slice(6).filter((word) => word !== wakeFlag);
  const isOurs = isLauncher(words[1]) && rest.length % 2 === 0 && rest.every(isOption);
  return isOurs ? words.slice(0, 2) : null;
}

/** The line of `baton hook` without what the shell does around it. */
function bareLine(line: string): string {
  const own = withinQuick(line);
  const plain = own.startsWith(inPlace) ? own.slice(inPlace.length) : own;
  return plain.endsWith(orBlocked) ? plain.slice(0, -orBlocked.length) : plain;
}

/** The command in a line that asks by curl; any other line is a command itself. */
function withinQuick(line: string): string {
  if (line.startsWith(kept)) return line.slice(line.indexOf(withoutServer) + withoutServer.length);
  const from = line.startsWith(byCurl) ? line.indexOf(withoutCurl) + withoutCurl.length : 0;
  return from === 0 ? line : line.slice(from, line.indexOf(thenOver, from));
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
function isOption(option: unknown, index: number): boolean {
  return index % 2 === 1 || option === "--as" || option === "--program" || option === "--hub";
}

/** Whether a word is the path of Baton's launcher, wherever it lies or lay. */
function isLauncher(word: unknown): boolean {
  return typeof word === "string" && /[\\/]bin[\\/]baton\.js$/.test(word);
}

function unshowable(words: readonly string[]): Problem {
  return problem("wrong-usage", "PATH", "Baton's path has invisible characters, which no settings should hold.", {
    received: words.join(" "),
    hint: "Move the clone to a path of visible characters, then install again.",
  });
}
