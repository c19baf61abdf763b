/**
 * The hooks by which a program asks Baton, as its settings or a plugin hold them: of each what is written there, and the
 * line of the shell where it is one. Source: docs/protocol/doors.md, section 7.
 */
import type { JsonObject } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shellLine } from "../../doors/cli/kernel/next-command.ts";
import {
  type HookEvent,
  type HookProgram,
  hookEvents,
  hookFields,
  hookTool,
  serverName,
} from "../../messages/program-hooks.ts";
import { hookSocketStart } from "../../perform/workspace/agent-sessions.ts";
import { programFacts, type Setup } from "./program-settings.ts";

/** The groups of hooks of each event. Refuses `wrong-usage` where a path holds what cannot be shown as it is. */
export function wantedHooks(setup: Setup): Result<Readonly<Record<string, readonly JsonObject[]>>, Problem> {
  const { program, words, sessions, server = serverName } = setup;
  const groups: (readonly [event: string, group: JsonObject])[] = [];
  for (const event of hookEvents[program]) {
    const { name, matcher, asks } = event;
    const line = shellLine([...words, "hook", name, "--program", program, ...(asks === "wake" ? [wakeFlag] : [])]);
    if (line === null) return err(unshowable(words));
    const { timeout } = programFacts[program];
    const own = event.blocks ? `${line}${orBlocked}` : line;
    const command = {
      // Where a hook fails Gemini CLI shows its name, else the whole line.
      ...(program === "gemini" ? { name: serverName } : {}),
      type: "command",
      command: quickLine(program, sessions, event, own) ?? pluginLine(setup, event, line) ?? own,
      timeout,
    };
    const waiter = { ...command, command: `${inPlace}${line}`, timeout: wakeSeconds, asyncRewake: true };
    const called = event.by === "command" ? command : hookCall(program, event, server);
    groups.push([name, { ...(matcher === null ? {} : { matcher }), hooks: [asks === "wake" ? waiter : called] }]);
  }
  const events = Map.groupBy(groups, ([event]) => event);
  return ok(Object.fromEntries([...events].map(([event, all]) => [event, all.map(([, group]) => group)])));
}

/** What a line of `baton hook` has that waits for mail. */
export const wakeFlag = "--wake";
/** The shell gives its place to the waiting process, so that the program is its parent and ends it. */
const inPlace = "exec ";
/** How long one waits: a day. The next turn starts another. */
const wakeSeconds = 86_400;
/** Programs take exit code 2 alone for a refusal; a command that cannot even start ends with others. */
const orBlocked = " || exit 2";

/**
 * Where the program has nothing but lines, curl asks the session's own server: it starts quicker than Node. Without an
 * answer the command decides; what the program said is kept for it, because curl reads its input before it connects.
 */
function quickLine(
  program: HookProgram,
  sessions: string | undefined,
  { name }: HookEvent,
  command: string,
): string | null {
  // A shell of Windows reads no such line, and has no such sockets.
  if (program !== "gemini" || sessions === undefined || process.platform === "win32") return null;
  const start = shellLine([hookSocketStart(sessions)]);
  if (start === null) return null;
  // Without TLS curl needs none of OpenSSL's settings, whose reading takes it a sixth of its time.
  const ask = `OPENSSL_CONF=/dev/null curl -q -sf --max-time 3 --unix-socket "$s" --data-binary @- http://baton/hooks/${name}`;
  const asked = `[ -S "$s" ] && o=$(${handedOn}${ask}) && { printf %s "$o"; exit; }`;
  return `i=$(cat); s=${start}$PPID; ${asked}; ${handedOn}${command}`;
}

const handedOn = 'printf %s "$i" | ';

/**
 * The line of a plugin, which is in projects without a team too. Where Baton gives no answer, as without a Node that runs
 * it, the line denies only what decides, and only where a team is; the session's start says so once. Gemini CLI takes every
 * code but 0 and 1 for a refusal.
 */
function pluginLine({ program, words }: Setup, { asks, blocks }: HookEvent, line: string): string | null {
  if (program !== "gemini" || words.length > 1) return null;
  const team = '[ -n "$BATON_HUB" ] || [ -d .baton ] || [ -d "$(git rev-parse --git-common-dir 2>/dev/null)/baton" ]';
  const remedy = "Baton gives no answer: put it on the PATH, with a Node that runs it";
  const said = `${team} || exit 0; echo '${remedy}' >&2; exit ${blocks ? 2 : 1}`;
  return `${line} || { [ $? = 2 ] && exit 2; ${blocks || asks === "begin" ? said : "exit 0"}; }`;
}

/** A hook that calls the tool of the session's own server, with the fields of the event. */
function hookCall(program: HookProgram, event: HookEvent, server: string): JsonObject {
  return {
    type: "mcp_tool",
    server,
    tool: hookTool,
    input: Object.fromEntries(hookFields(program, event).map((field) => [field, `\${${field}}`])),
    timeout: programFacts[program].timeout,
    ...(event.blocks ? { onFailure: "block" } : {}),
  };
}

function unshowable(words: readonly string[]): Problem {
  return makeProblem("wrong-usage", "PATH", "Baton's path has invisible characters, which no settings should hold.", {
    received: words.join(" "),
    hint: "Move the clone to a path of visible characters, then install again.",
  });
}
