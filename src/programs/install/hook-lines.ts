/**
 * The hooks by which a program asks Baton: what of each is written into the settings, the line of the shell where it is one,
 * and which lines found there are Baton's. Source: docs/protocol/doors.md, section 7.
 */
import type { JsonObject } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shellLine, shellWords } from "../../doors/cli/kernel/next-command.ts";
import {
  type HookEvent,
  type HookProgram,
  hookEvents,
  hookFields,
  hookTool,
  serverName,
} from "../../messages/program-hooks.ts";
import { hookSocketStart } from "../../perform/workspace/agent-sessions.ts";
import { agentAndHub, isLauncher, isOption, programFacts, type Setup } from "./program-settings.ts";

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
    const more = [...agentAndHub({ agent, hub }), ...(asks === "wake" ? [wakeFlag] : [])];
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

/** Without TLS curl needs none of OpenSSL's settings, whose reading takes it a sixth of its time. */
const plainly = "OPENSSL_CONF=/dev/null ";

/** How curl is called for `url`: without the user's own settings, and past no proxy where the hub is on this machine. */
function curlTo(url: URL): string {
  return `${url.protocol === "http:" ? plainly : ""}curl -q${isHere(url) ? " --noproxy '*'" : ""} -sf`;
}

/** Whether the hub is on this machine. */
function isHere({ hostname }: URL): boolean {
  return /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/.test(hostname);
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
  const ask = `${plainly}curl -q -sf --max-time 3 --unix-socket "$s" --data-binary @- http://baton/hooks/${name}`;
  return `${kept}s=${start}$PPID; [ -S "$s" ] && o=$(${handedOn}${ask}) && ${withoutServer}${command}`;
}

/*
 * A hub is asked by curl, which starts quicker than Node; where there is no curl, the command asks the same hub. Where the
 * hub gives no answer, what it decides is denied: no way leads past it. The token is in no argument of a process.
 */
const byCurl =
  /^(?:eval "baton_token=\\\$"BATON_TOKEN; )?(?:read -r p 2>\/dev\/null <\/proc\/\$PPID\/stat; )?(?:OPENSSL_CONF=\/dev\/null )?curl /;
/** Gemini CLI fills variables of its settings in, and shows the line; the shell reads the token by what is none for it. */
const takesToken = 'eval "baton_token=\\$"BATON_TOKEN; ';
/** How a line begins by which an earlier Baton had bash ask. */
const byShell = `${takesToken}${kept}b() { `;
/**
 * The line says to a hub of this machine which program asks: the shell's parent, with what Linux says of it after its name.
 * The number alone may be that of another process, where the hub does not share the program's processes.
 */
const takesProcess = "read -r p 2>/dev/null </proc/$PPID/stat; ";
const processWords = `$PPID \${p##*\\) }`;
const withoutCurl = "[ $c = 127 ] && { ";
const thenOver = "; exit; }";
const noAnswer =
  "echo 'Baton: the hub gave no answer (curl '$c', where 7 is that nothing listens, 22 that it refuses BATON_TOKEN and 28 that it took three seconds), so this is denied. BATON_HUB names it; baton up starts it.' >&2; exit 2";

/** Whether a handler of a hook makes Gemini CLI fill the token into its line, as an earlier Baton wrote it. */
export function showsToken({ command }: JsonObject): boolean {
  return typeof command === "string" && /\$\{?BATON_TOKEN/.test(command);
}

function hubLine(hub: string, { name, blocks }: HookEvent, agent: string | null, command: string): string | null {
  const url = new URL(`${hub.replace(/\/$/, "")}/hooks/gemini/${name}`);
  const whole = shellLine([url.href]);
  const named = agent === null ? '"X-Baton-Agent: $BATON_AGENT"' : shellLine([`X-Baton-Agent: ${agent}`]);
  if (whole === null || named === null) return null;
  const isNear = isHere(url) && url.protocol === "http:";
  const who = isNear ? ` -H "X-Baton-Process: ${processWords}"` : "";
  return [
    `${takesToken}${isNear ? takesProcess : ""}${curlTo(url)} --max-time 3 -H @/dev/fd/5 -H ${named}${who} -H 'Content-Type: application/json' --data-binary @- ${whole} 5<<TOKEN; c=$?`,
    "Authorization: Bearer $baton_token",
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
  if (!line.startsWith(byShell) && !byCurl.test(line)) return line;
  const from = line.indexOf(withoutCurl) + withoutCurl.length;
  const command = line.slice(from, line.indexOf(thenOver, from));
  return command.startsWith(handedOn) ? command.slice(handedOn.length) : command;
}

function unshowable(words: readonly string[]): Problem {
  return makeProblem("wrong-usage", "PATH", "Baton's path has invisible characters, which no settings should hold.", {
    received: words.join(" "),
    hint: "Move the clone to a path of visible characters, then install again.",
  });
}
