/**
 * The hooks of agent programs that Baton answers: for each program its events, by the names that the program gives them,
 * what Baton is asked there, and which of the program's tools the event is wanted for. `baton hook` answers them, and what
 * is written into a program's settings is derived from them.
 * Source: docs/protocol/doors.md, section 7; the hooks references of the three programs.
 */

/** The programs, by their names on the command line. */
export const hookPrograms = ["claude-code", "codex", "gemini"] as const;
export type HookProgram = (typeof hookPrograms)[number];

/**
 * What Baton is asked: `begin`: who the agent is, and what waits for it; `before-tool`: may this message be sent, this
 * file be written, this command be run, the program's team end (the only one that decides); `after-tool`: is there new
 * mail; `stop`, `idle`: may the agent stop; `task`: may the program's task count as done.
 */
export type HookQuestion = "begin" | "before-tool" | "after-tool" | "stop" | "idle" | "task";

/** One event of a program. */
export interface HookEvent {
  /** As the program spells it, in its settings and in what it tells a hook. */
  readonly name: string;
  readonly asks: HookQuestion;
  /** The program's tools that the event is wanted for, as its settings match them; null: the event is about no tool. */
  readonly matcher: string | null;
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

/** The tool by which Claude Code's lead ends the program's own team. */
export const teamEndTool = "TeamDelete";

/** The tool of each program that runs shell commands. */
export const shellTools: Readonly<Record<HookProgram, string>> = {
  "claude-code": "Bash",
  codex: "Bash",
  gemini: "run_shell_command",
};

const everyTool = ".*";

/** The events that Baton answers, in the order in which a session meets them. */
export const hookEvents: Readonly<Record<HookProgram, readonly HookEvent[]>> = {
  "claude-code": [
    { name: "SessionStart", asks: "begin", matcher: null },
    { name: "SubagentStart", asks: "begin", matcher: null },
    { name: "PreToolUse", asks: "before-tool", matcher: toolsAskedAbout("claude-code", [messageTool, teamEndTool]) },
    { name: "PostToolUse", asks: "after-tool", matcher: everyTool },
    { name: "Stop", asks: "stop", matcher: null },
    { name: "SubagentStop", asks: "stop", matcher: null },
    { name: "TeammateIdle", asks: "idle", matcher: null },
    { name: "TaskCompleted", asks: "task", matcher: null },
  ],
  codex: [
    { name: "SessionStart", asks: "begin", matcher: null },
    { name: "PreToolUse", asks: "before-tool", matcher: toolsAskedAbout("codex") },
    { name: "PostToolUse", asks: "after-tool", matcher: everyTool },
    { name: "Stop", asks: "stop", matcher: null },
  ],
  gemini: [
    { name: "SessionStart", asks: "begin", matcher: null },
    { name: "BeforeTool", asks: "before-tool", matcher: toolsAskedAbout("gemini") },
    { name: "AfterTool", asks: "after-tool", matcher: everyTool },
    { name: "AfterAgent", asks: "stop", matcher: null },
  ],
};

function toolsAskedAbout(program: HookProgram, own: readonly string[] = []): string {
  return [...own, ...writingTools[program], shellTools[program]].join("|");
}

/** Within how many milliseconds a hook has answered. A program's own time-out for it must be longer. */
export const hookMsMax = 2000;

/** Every event's name, once. */
export const hookEventNames: readonly string[] = [
  ...new Set(Object.values(hookEvents).flatMap((events) => events.map(({ name }) => name))),
];

/** The event of that name, or null: Baton does not answer it. */
export function hookEvent(program: HookProgram, name: string): HookEvent | null {
  return hookEvents[program].find((event) => event.name === name) ?? null;
}

/*
 * Names that an agent program gives the members of a team, where they are not the team's own: Claude Code calls the one
 * who leads `team-lead`, and names a member with the session it belongs to (`worker@session-1a2b3c4d`).
 * Source: docs/protocol/reading.md, section 11.
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
