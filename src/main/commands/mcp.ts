/** `baton mcp`: the team as an MCP server on standard input and output, for one agent. */

import { systemClock } from "../../base/clock.ts";
import { closing } from "../../base/closing.ts";
import type { Problem } from "../../base/problem.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { chosen } from "../../doors/cli/kernel/time-argument.ts";
import { callerOf, hubOf } from "../../doors/cli/place/hub-address.ts";
import { exitCodeOf, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { serveMcpOnStdio } from "../../doors/mcp/index.ts";
import { personHere } from "../../doors/mcp/person-here.ts";
import { rootAround } from "../../handoffs/text/handoff-file.ts";
import { fileAddress } from "../../journal/engines.ts";
import { isOwnersOrBatons } from "../../messages/principal.ts";
import { goesOnUnasked, type HookProgram, hookEvents, hookPrograms, noWakeWord } from "../../messages/program-hooks.ts";
import { packageFacts } from "../../perform/workspace/package-root.ts";
import { findWorkspace } from "../../perform/workspace/workspace.ts";
import type { LineAnswer } from "../../programs/sessions/hook-socket.ts";
import { ownersSession } from "../../programs/sessions/owners-session.ts";
import { permitOf } from "../../programs/sessions/permits.ts";
import { sessionTeams } from "../../programs/sessions/session-teams.ts";
import { settling } from "../settling.ts";

export const command: Command = {
  description:
    "Speaks MCP on standard input and output until the client closes it: nothing but JSON-RPC goes to standard output, words for\n" +
    "people go to standard error. Both eras of the protocol are served. The agent acts as the one that --as names, else BATON_AGENT,\n" +
    "or on a hub as the one whose token it is. A team that cannot be opened does not end the server: every tool says what is\n" +
    "wrong, and works as soon as it is repaired.",
  options: [
    {
      name: "program",
      kind: "text",
      value: "PROGRAM",
      choices: hookPrograms,
      summary: "the agent program that starts it; its hooks are then calls of a tool, and tell who acts",
    },
    { name: noWakeWord, kind: "flag", summary: "do not wake an idle agent of Codex when mail comes for it" },
  ],
  examples: [
    { line: "baton mcp --as dev-1", meaning: "serve the team of the nearest .baton/ to dev-1's program" },
    {
      line: `baton mcp --as dev-1 --journal ${fileAddress("/srv/app/.git/baton/journal.db")}`,
      meaning: "the same from any folder",
    },
    {
      line: "BATON_TOKEN=baton_... baton mcp --hub http://127.0.0.1:4777",
      meaning: "through a hub, as the token's agent",
    },
  ],
  next: "claude mcp add baton -- baton mcp --as dev-1 makes Claude Code start it; docs/guides/mcp.md has others.",
  run: async (call) => {
    const problem = callerProblem(call);
    if (problem !== null) {
      // Not by output.fail: standard output is the client's, and it expects JSON-RPC there.
      call.output.problems([problem]);
      return exitCodeOf(problem);
    }
    const program = call.given.text("program") === undefined ? null : chosen(call.given.text("program"), hookPrograms);
    const end = ending(call.signal, program);
    await using teams = sessionTeams(call, program, { wakes: !call.given.flag(noWakeWord), isKilled: end.isKilled });
    // Opened while the client still says hello, and so that an error is on standard error at once.
    void teams.source();
    await using _line = program === null || hasCalls(program) ? null : await hookLine(call, teams.line);
    await using start = closing();
    await serveMcpOnStdio(teams.source, {
      version: packageFacts().version,
      files: rootAround(call.config.directory),
      isQuiet: program !== null && isWithoutTeam(call),
      say: (text) => call.output.say(text),
      greeted: () => void start.use(settling()),
      signal: end.signal,
      ...(program === null ? {} : { person: personHere(ownersSession(call, program)) }),
      ...(program === null || !hasCalls(program) ? {} : { hook: teams.hook }),
      ...(program === "claude-code" ? { permit: (asked) => permitOf(teams.hook, asked, call.config.session) } : {}),
    });
    return exitCodes.done;
  },
};

/** Whether no team is meant, here or elsewhere: a program loads its plugin in each project. */
function isWithoutTeam(call: Call): boolean {
  const isNamed = hubOf(call) !== null || call.given.text("journal") !== undefined;
  return !isNamed && findWorkspace(call.config.directory) === null;
}

/**
 * Why the client cannot be served: nobody says which agent it is, or it must be the owner. What an agent's program asks
 * for is never the person's word, so a shell whose commits are the person's (`BATON_AGENT=owner`) names no agent here.
 */
function callerProblem(call: Call): Problem | null {
  const caller = callerOf(call);
  if (caller !== null && isOwnersOrBatons(caller)) {
    return usageProblem("--as", `An MCP server acts for an agent, and ${caller} is none.`, "baton mcp --as AGENT");
  }
  // A hub knows the agent by its token; for a file the caller must name it. A session of a program that its settings
  // started is served without a name too: its hooks are answered, and its calls are refused.
  if (call.given.text("program") !== undefined) return null;
  if (caller !== null || hubOf(call) !== null) return null;
  return usageProblem(
    "--as",
    "The agent that the client acts as is missing.",
    "baton mcp --as AGENT, or BATON_AGENT in the environment",
  );
}

/** Whether the program asks by calls of this server. */
function hasCalls(program: HookProgram): boolean {
  return hookEvents[program].some(({ by }) => by === "call");
}

/** The socket for a program whose hooks are lines; the others do without an HTTP server. */
async function hookLine(call: Call, answer: LineAnswer): Promise<AsyncDisposable | null> {
  return await (await import("../../programs/sessions/hook-socket.ts")).hookSocket(call, answer);
}

/** How long a client that ends its server may take to let go of its input, which Codex does as it sends SIGTERM. */
const letsGoMsMax = 1_000;

/**
 * The server's end: with the call, and on SIGTERM, by which clients end a server when closing its input was not enough.
 * `isKilled`: somebody else sent that signal, because the input stays open.
 */
function ending(
  signal: AbortSignal,
  program: HookProgram | null,
): { readonly signal: AbortSignal; readonly isKilled: () => boolean } {
  const terminated = new AbortController();
  let isKilled = false;
  const letGo = new AbortController();
  process.stdin.once("end", () => letGo.abort());
  process.once("SIGTERM", () => {
    // Only where it makes a difference: others are killed for good soon after.
    const tells = program !== null && goesOnUnasked(program);
    const waited = tells ? systemClock.wait(letsGoMsMax, letGo.signal) : Promise.resolve();
    void waited.then(() => {
      isKilled = tells && !letGo.signal.aborted;
      terminated.abort();
    });
  });
  return { signal: AbortSignal.any([signal, terminated.signal]), isKilled: () => isKilled };
}
