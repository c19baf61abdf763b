/**
 * The hooks of agent programs that Baton answers: for each program its events, by the names that the program gives them,
 * what Baton is asked there, which of the program's tools the event is wanted for, and how the program asks. What
 * the commands `install` and `doctor` write and look for is derived from them.
 * Source: docs/protocol/doors.md, section 7; the hooks references of the three programs.
 */

/** The programs, by their names on the command line. */
export const hookPrograms = ["claude-code", "codex", "gemini"] as const;
export type HookProgram = (typeof hookPrograms)[number];

/** What people call each of them. */
export const programTitles = {
  "claude-code": "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
} as const satisfies Readonly<Record<HookProgram, string>>;

/**
 * What Baton is asked: `begin`: who the agent is, and what waits for it; `before-tool`: may this message be sent, this
 * file be written, this command be run, the program's team end (the only one that decides); `after-tool`: is there new
 * mail; `prompt`: the same, when the user has written; `stop`, `idle`: may the agent stop; `task`: may the program's task
 * count as done; `wake`: that the agent is woken when mail comes for it while it is idle.
 */
export type HookQuestion = "begin" | "before-tool" | "after-tool" | "prompt" | "stop" | "idle" | "task" | "wake";

/** How a program asks: `call`: the tool `hook` of the session's own MCP server; `command`: a process, `baton hook`. */
export type HookTransport = "call" | "command";

/** One event of a program. */
export interface HookEvent {
  /** As the program spells it, in its settings and in what it tells a hook. */
  readonly name: string;
  readonly asks: HookQuestion;
  /** The program's tools that the event is wanted for, as its settings match them; null: the event is about no tool. */
  readonly matcher: string | null;
  readonly by: HookTransport;
  /** Without an answer the tool is blocked, where the program can do that; else it goes on. */
  readonly blocks: boolean;
}

/** What the programs call Baton's MCP server in their settings. */
export const serverName = "baton";

/** The tool that Claude Code asks for leave where it runs no hooks. */
export const permitTool = "permit";

/** What Claude Code calls it where a plugin brings it. */
export const pluginServer = "plugin:baton:baton";

/** The tool of that server that hooks call, and no model. */
export const hookTool = "hook";

/** How Claude Code names Baton's tools, of the settings' server and of the plugin's. */
const ownTools = "mcp__(plugin_baton_)?baton__.*";

/** Whether Claude Code's tool of this name is one of Baton's. */
export function isOwnTool(toolName: string): boolean {
  return /^mcp__(plugin_baton_)?baton__/.test(toolName);
}

/** The tool by which Claude Code's agents write to each other. */
export const messageTool = "SendMessage";

/**
 * The tools of each program that write files and pass the paths to the hook. No hook sees the files of a shell command.
 */
export const writingTools: Readonly<Record<HookProgram, readonly string[]>> = {
  "claude-code": ["Write", "Edit", "MultiEdit", "NotebookEdit"],
  codex: ["apply_patch"],
  gemini: ["write_file", "replace"],
};

/** What the names of tools of other MCP servers say where they write files. */
const writingVerbs = ["write", "edit", "create", "replace", "insert", "move", "rename", "delete"] as const;

/** How settings match such tools, and some others: `mcp__files__write_file`, in Gemini CLI `mcp_files_write_file`. */
const otherServers = `mcp_.*(${writingVerbs.map((verb) => `[${verb[0]?.toUpperCase()}${verb[0]}]${verb.slice(1)}`).join("|")}).*`;

/** Whether a tool of another MCP server writes files, as far as its name says so. */
export function isOtherWriting(toolName: string): boolean {
  if (!toolName.startsWith("mcp_") || isOwnTool(toolName)) return false;
  const joint = toolName.startsWith("mcp__") ? "__" : "_";
  const tool = toolName.split(joint).slice(2).join(joint);
  const words = tool.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).split(/[^a-z]+/);
  const isFolder = words.some((word) => ["directory", "folder", "dir"].includes(word));
  return !isFolder && words.some((word) => writingVerbs.some((verb) => verb === word));
}

/** The tool by which Claude Code's lead ends the program's own team. */
export const teamEndTool = "TeamDelete";

/** The tools by which Claude Code's agents start others, and keep the program's own list of tasks. */
export const spawnTools: readonly string[] = ["Agent", "Task"];
export const taskTools = { create: "TaskCreate", update: "TaskUpdate" } as const;

/** The tool of each program that runs shell commands. */
export const shellTools: Readonly<Record<HookProgram, string>> = {
  "claude-code": "Bash",
  codex: "Bash",
  gemini: "run_shell_command",
};

const everyTool = ".*";

/**
 * The events that Baton answers, in the order in which a session meets them. A program may be asked to tell the same
 * event twice, for different tools: a tool that writes is blocked where Baton gives no answer, and a shell is not,
 * because Baton itself is repaired by one.
 */
export const hookEvents: Readonly<Record<HookProgram, readonly HookEvent[]>> = {
  "claude-code": [
    // No server is connected yet when a session starts.
    { ...event("SessionStart", "begin"), by: "command" },
    event("UserPromptSubmit", "prompt"),
    event("SubagentStart", "begin"),
    // Its own tools too: the hook says who calls, which the call itself does not.
    {
      ...event("PreToolUse", "before-tool", decidedTools("claude-code", [messageTool, teamEndTool, ownTools])),
      blocks: true,
    },
    event("PreToolUse", "before-tool", [shellTools["claude-code"], ...spawnTools, taskTools.update].join("|")),
    // How the program calls a new task, which its later updates name.
    event("PostToolUse", "after-tool", taskTools.create),
    // Once for all tools that were called together, also where one of them failed or was denied.
    event("PostToolBatch", "after-tool"),
    event("Stop", "stop"),
    // A process that stays until there is mail: nothing else wakes the session.
    { ...event("Stop", "wake"), by: "command" },
    event("SubagentStop", "stop"),
    { ...event("TeammateIdle", "idle"), by: "command" },
    { ...event("TaskCompleted", "task"), by: "command" },
  ],
  codex: [
    event("SessionStart", "begin"),
    event("UserPromptSubmit", "prompt"),
    event("PreToolUse", "before-tool", decidedTools("codex", [shellTools.codex])),
    event("PostToolUse", "after-tool", everyTool),
    event("Stop", "stop"),
  ],
  gemini: [
    event("SessionStart", "begin"),
    event("BeforeAgent", "prompt"),
    { ...event("BeforeTool", "before-tool", decidedTools("gemini", [])), blocks: true },
    event("BeforeTool", "before-tool", shellTools.gemini),
    event("AfterTool", "after-tool", everyTool),
    // Its `PreCompress` comes before each request, so it does not say that a context was summed up.
    event("AfterAgent", "stop"),
  ].map((each) => ({ ...each, by: "command" as const })),
};

function event(name: string, asks: HookQuestion, matcher: string | null = null): HookEvent {
  return { name, asks, matcher, by: "call", blocks: false };
}

function decidedTools(program: HookProgram, more: readonly string[]): string {
  return [...more, ...writingTools[program], otherServers].join("|");
}

/**
 * The fields of an event that a call hands on, each by the program's own name. Codex makes no call at all for a hook that
 * names a field without a value, so only those are named that every such event has.
 */
export function hookFields(program: HookProgram, { asks, matcher }: HookEvent): readonly string[] {
  const agent = program === "claude-code" ? ["agent_id", "agent_type"] : [];
  // Claude Code blocks what Baton does not answer; after a tool it asks once for several.
  const isTold = asks === "before-tool" || (asks === "after-tool" && matcher !== null);
  const tool = isTold ? ["tool_name", "tool_use_id", "tool_input"] : [];
  const answer = asks === "after-tool" && isTold && program === "claude-code" ? ["tool_response"] : [];
  const stop = asks === "stop" ? ["stop_hook_active"] : [];
  // Codex has no transcript in some sessions, so it is found by the session's id there.
  const path = program === "claude-code" && asks !== "before-tool" ? ["transcript_path"] : [];
  const transcript = [...path, ...(asks === "stop" && path.length > 0 ? ["agent_transcript_path"] : [])];
  return ["hook_event_name", "session_id", "cwd", ...agent, ...tool, ...answer, ...stop, ...transcript];
}

/** Whether the program lets a tool go on that Baton was not asked about: its settings cannot say that it blocks it. */
export function goesOnUnasked(program: HookProgram): boolean {
  return !hookEvents[program].some(({ blocks }) => blocks);
}

/** The option that leaves waking out, of `install` and of the server that it writes. */
export const noWakeWord = "no-wake";

/**
 * What wakes an idle agent of the program when mail comes for it: a process that a hook starts, or the program's queue, in
 * which its server puts a prompt; null: nothing can.
 */
export function wakesBy(program: HookProgram): "hook" | "queue" | null {
  if (program === "codex") return "queue";
  return hookEvents[program].some(({ asks }) => asks === "wake") ? "hook" : null;
}

/** Within how many milliseconds a hook has answered. A program's own time-out for it must be longer. */
export const hookMsMax = 2_000;

/** The same where its answer decides, or says who the agent is: on a busy machine a wait is better than a wrong denial. */
export const decidedMsMax = 10_000;

/** Every event's name, once. */
export const hookEventNames: readonly string[] = [
  ...new Set(
    Object.values(hookEvents)
      .flat()
      .map(({ name }) => name),
  ),
];

/** The event of that name, the first where there are several for different tools; null: Baton does not answer it. */
export function hookEvent(program: HookProgram, name: string): HookEvent | null {
  return hookEvents[program].find((each) => each.name === name) ?? null;
}

/*
 * Names that an agent program gives the members of a team, where they are not the team's own: Claude Code calls the one
 * who leads `team-lead`, and names a member with the session it belongs to (`worker@session-1a2b3c4d`).
 * Source: docs/protocol/messages.md, section 16.
 */

/** What Claude Code calls the agent that leads a team. */
export const programLeadName = "team-lead";

/** The name without the session behind it; no agent's name and no role holds an `@`. */
export function withoutSession(name: string): string {
  const at = name.indexOf("@");
  return at > 0 ? name.slice(0, at) : name;
}

/**
 * Names by which agent programs call a member of the role, in addition to its own: `team-lead` for a lead, unless an
 * agent of the team is called so, who then is the only one it names (`isAgent`).
 */
export function namesInPrograms(role: string | null, isAgent: (name: string) => boolean): readonly string[] {
  return role === "lead" && !isAgent(programLeadName) ? [programLeadName] : [];
}
