/**
 * The team for an MCP server that one session of an agent program started: each call acts as the agent that makes it. In
 * Claude Code the session, its teammates and its helpers share the server; the hook before one of Baton's tools tells who
 * uses it, and the call that follows has the same id. In Codex each thread has its server, and says which thread it is.
 * Source: docs/protocol/doors.md, section 7.
 */

import { type Clock, systemClock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { newMessageId } from "../../base/new-ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { callerOf, hubOf } from "../../doors/cli/place/hub-address.ts";
import { openFor, openLocal, warnOf, withOwnCommit } from "../../doors/cli/place/session.ts";
import type { CallOrigin, TeamSource } from "../../doors/mcp/index.ts";
import { type HookEvent, type HookProgram, hookEvent, isOwnTool, wakesBy } from "../../messages/program-hooks.ts";
import type { Team } from "../../perform/team.ts";
import type { ActingAgent } from "../hooks/acting-agent.ts";
import { callAnswer, type HookAnswer, hubAnswer } from "../hooks/hook-answer.ts";
import { type HookInput, hookInputOf, readHookInput } from "../hooks/hook-input.ts";
import { noPlans } from "../hooks/plan-claims.ts";
import { answerQueue } from "./answer-queue.ts";
import { askHook, type HookAsked, type HookOutcome } from "./hook-asking.ts";
import type { LineAnswer } from "./hook-socket.ts";
import { keptTeams } from "./kept-teams.ts";
import { type SessionAgent, sessionAgent, shellNotes, workNotes } from "./session-agent.ts";
import { unseenChanges } from "./unseen-changes.ts";
import { queueWaker } from "./waking.ts";

export interface SessionTeams extends AsyncDisposable {
  readonly source: TeamSource;
  /** Answers a hook that the program calls as a tool. */
  hook(input: JsonObject, origin: CallOrigin): Promise<JsonObject>;
  /** Answers a hook that the program asks by a command; null: the command is to answer. */
  line: LineAnswer;
}

type Opened = Awaited<ReturnType<TeamSource>>;

export interface SessionKind {
  /** Mail wakes the session's idle agent, where the program has its server do that. */
  readonly wakes: boolean;
  /** Whether the server ends while its program goes on. */
  isKilled(): boolean;
}

/** The team, for each agent opened when it is first needed and kept; a failed opening is tried again by the next call. */
export function sessionTeams(call: Call, program: HookProgram | null, kind: SessionKind): SessionTeams {
  const handles = new Map<string | null, Promise<Opened>>();
  const uses = toolCallers();
  // Claude Code says the session to its server; Codex does so at each call, and Gemini CLI at its hooks.
  const first = program === "claude-code" ? call.config.session : null;
  let latest: string | null = null;
  const answers = answerQueue();
  const kept = keptTeams(call);
  const waker = queueWaker(call);
  const isWoken = kind.wakes && program !== null && wakesBy(program) === "queue";

  const opened = (agent: string | null): Promise<Opened> => openedOnce(call, handles, agent);
  const agentOf = boundAgents(call, program);
  const begins = program === "codex" ? begunOnce(opened) : opened;
  const note = workNotes(call);

  /** Who the session's own agent is, where a call needs one. */
  const sessionCaller = async (named: string | null): Promise<Caller> => {
    const session = named ?? latest;
    // Several sessions of Codex may have the surroundings of the first one.
    if (program === "codex" && session === null) return { nobody: noThread() };
    const { agent, refused } = await provenSession(await agentOf(session), opened);
    if (refused !== null) return { nobody: refused };
    return agent === null && hubOf(call) === null ? { nobody: unnamed() } : { agent };
  };

  const callerIn = async (origin: CallOrigin): Promise<Caller> => {
    if (program === "claude-code") return uses.take(origin.toolUse);
    latest = origin.session ?? origin.thread ?? latest;
    const caller = await sessionCaller(latest);
    const helps = isHelper(program, origin.thread ?? "", origin.session);
    return helps && "agent" in caller ? { helps: caller.agent } : caller;
  };

  const ownTeam = async (session: string | null): Promise<Opened> => {
    const caller = await sessionCaller(session);
    return "agent" in caller ? await begins(caller.agent) : err([]);
  };
  const unseen = unseenChanges(call, program, kind.isKilled);
  const ask = hookAsker(call, {
    open: kept.open,
    agentOf,
    acting: uses.remember,
    plans: noPlans(),
    unseen: unseen.look,
  });

  const answered: Answered = async (of, event, told, origin) => {
    const session = origin.session ?? told.session ?? origin.thread;
    latest = session ?? latest;
    const helps = isHelper(of, origin.thread, told.session);
    const input = helps ? { ...told, agentId: origin.thread } : told;
    note(of, event, input);
    if (isWoken && !helps) waker.follow(event, session, ownTeam);
    const then = async () => (event.asks === "begin" && !helps ? await ownTeam(session) : null);
    return await answers.next(async () => followed(await ask(of, event, { input, session }), then));
  };

  return {
    source: async (origin) => {
      const caller = origin === undefined ? await sessionCaller(first) : await callerIn(origin);
      if ("nobody" in caller) return err([caller.nobody]);
      if ("agent" in caller) return await begins(caller.agent);
      return origin?.looks === true ? await opened(caller.helps) : err([helperActs(caller.helps)]);
    },
    ...waysIn(program, answered),
    [Symbol.asyncDispose]: () => endAll([waker, unseen, answers, kept], handles.values()),
  };
}

/** The answer to an event of the program, of which `origin` says whose it is. */
type Answered = (
  program: HookProgram,
  event: HookEvent,
  input: HookInput,
  origin: Pick<CallOrigin, "session" | "thread">,
) => Promise<HookAnswer>;

/** The ways in which a program asks its session's server, each with the form of its answers. */
function waysIn(program: HookProgram | null, answered: Answered): Pick<SessionTeams, "hook" | "line"> {
  return {
    hook: async (given, origin) => {
      const name = given.hook_event_name;
      const event = program === null || typeof name !== "string" ? null : hookEvent(program, name);
      if (program === null || event === null) return {};
      return callAnswer(program, event, await answered(program, event, hookInputOf(given), origin));
    },
    line: async (name, bytes) => {
      const event = program === null ? null : hookEvent(program, name);
      const input = readHookInput(bytes);
      if (program === null || event === null || !input.ok) return null;
      return hubAnswer(program, event, await answered(program, event, input.value, { session: null, thread: null }));
    },
  };
}

/**
 * The session as a hub proves it, before its program begins: that of another session of the agent must not be taken for one
 * that ended.
 */
async function provenSession(
  session: SessionAgent,
  open: (agent: string | null) => Promise<Opened>,
): Promise<SessionAgent> {
  const { agent, provenAs } = session;
  const team = provenAs === undefined ? null : await open(agent);
  return team?.ok === true ? { agent, refused: provenAs?.(team.value.actor.agent).refused ?? null } : session;
}

/** Whether a helper asks: Codex tells one by its thread alone, which is not that of the session. */
function isHelper(program: HookProgram | null, thread: string | null, session: string | null): boolean {
  return program === "codex" && thread !== null && session !== null && thread !== session;
}

interface Asker extends Pick<HookAsked, "open" | "acting" | "plans" | "unseen"> {
  agentOf(session: string | null): Promise<SessionAgent>;
}

interface SessionAsked {
  readonly input: HookInput;
  readonly session: string | null;
}

/** Asks Baton what a call of the program asks, for the agent of the session. */
function hookAsker(call: Call, { agentOf, acting, open: opens, plans, unseen }: Asker) {
  const noteShell = shellNotes(call);
  return async (program: HookProgram, event: HookEvent, { input, session }: SessionAsked) =>
    await askHook(call, {
      ...(opens === undefined ? {} : { open: opens }),
      ...(plans === undefined ? {} : { plans }),
      ...(unseen === undefined ? {} : { unseen }),
      acting: (about, who) => {
        acting?.(about, who);
        noteShell(program, event, about, who.agent ?? who.helps);
      },
      program,
      event,
      session: async () => await agentOf(session),
      input: async () => ({ ok: true, value: input }),
    });
}

/** The outcome of a hook, and `then` after its end. */
function followed({ answer, end }: HookOutcome, then: () => Promise<unknown>): HookOutcome {
  return { answer, end: () => end().then(async () => void (await then())) };
}

/**
 * Opens the team as an agent and lets the server's program begin once: in Codex it speaks for its agent from the session's
 * start, not from its first heartbeat. What keeps it from beginning is the answer to what it does next.
 */
function begunOnce(open: (agent: string | null) => Promise<Opened>): (agent: string | null) => Promise<Opened> {
  const begun = new Map<string | null, Promise<unknown>>();
  return async (agent) => {
    const team = await open(agent);
    if (!team.ok) return team;
    const beginning = begun.get(agent) ?? team.value.attend();
    begun.set(agent, beginning);
    await beginning;
    return team;
  };
}

/** Ends one after the other, then closes the teams. */
async function endAll(ending: readonly AsyncDisposable[], openings: Iterable<Promise<Opened>>): Promise<void> {
  for (const each of ending) await each[Symbol.asyncDispose]();
  for (const opening of openings) {
    const team = await opening;
    if (team.ok) await team.value[Symbol.asyncDispose]();
  }
}

function openedOnce(call: Call, handles: Map<string | null, Promise<Opened>>, agent: string | null): Promise<Opened> {
  const before = handles.get(agent);
  if (before !== undefined) return before;
  const opening = open(call, agent).then((team) => {
    if (!team.ok) handles.delete(agent);
    return team;
  });
  handles.set(agent, opening);
  return opening;
}

/** Who a session is. One that is bound stays so; one that is refused is looked at again, because the name may be free. */
function boundAgents(call: Call, program: HookProgram | null): (session: string | null) => Promise<SessionAgent> {
  const bound = new Map<string | null, SessionAgent>();
  return async (session) => {
    const before = bound.get(session);
    if (before !== undefined) return before;
    const found =
      program === null
        ? { agent: callerOf(call), refused: null }
        : await sessionAgent(call, { program, session, takes: "server" });
    if (found.agent !== null) bound.set(session, found);
    return found;
  };
}

async function open(call: Call, agent: string | null): Promise<Result<Team, readonly Problem[]>> {
  // One for the life of this process and agent, however often the team is opened.
  const program = newMessageId();
  const team = hubOf(call) === null ? await openLocal(call, agent, { program }) : await openFor(call, program);
  if (!team.ok) {
    call.output.problems(team.error);
    return team;
  }
  warnOf(call, team.value.condition());
  return hubOf(call) === null ? ok(withOwnCommit(call, team.value)) : team;
}

function helperActs(agent: string | null): Problem {
  const whom = agent ?? "the agent that started you";
  return makeProblem("sender-not-authorised", agent ?? "", `A helper of ${whom} may look, and does not act for it.`, {
    hint: `Report to ${whom}, which acts itself.`,
  });
}

function noThread(): Problem {
  return makeProblem("unknown-agent", "", "Codex has not said yet which session this is.", {
    hint: "Call the tool again.",
  });
}

/** Who makes a call: an agent (null: the one whom the hub proves), the helper of one, or nobody, with the reason. */
type Caller = { readonly agent: string | null } | { readonly helps: string | null } | { readonly nobody: Problem };

interface ToolCallers {
  /** Keeps who uses a tool of Baton's; other tools, and what names no use, are left out. */
  remember(input: Pick<HookInput, "toolName" | "toolUseId">, acting: ActingAgent): void;
  /** Who made the call of this use: known once, and within a minute of its hook. */
  take(use: string | null): Caller;
}

/** How long a use waits for its call after the hook before it. */
const useMsMax = 60_000;

/** Who uses which tool of Baton's, from the hook before it to the call, which takes it once. */
export function toolCallers(clock: Pick<Clock, "monotonic"> = systemClock): ToolCallers {
  const callers = new Map<string, { readonly caller: Caller; readonly atMs: number }>();
  return {
    remember: ({ toolName, toolUseId }, { agent, helps, unknown, refused }) => {
      if (toolUseId === null || toolName === null || !isOwnTool(toolName)) return;
      const nowMs = clock.monotonic();
      for (const [use, { atMs }] of callers) if (nowMs - atMs > useMsMax) callers.delete(use);
      const known: Caller = agent === null ? { nobody: refused ?? unnamed(unknown) } : { agent };
      // A use has one caller: a second word about it changes nothing.
      if (!callers.has(toolUseId)) callers.set(toolUseId, { caller: helps === null ? known : { helps }, atMs: nowMs });
    },
    take: (use) => {
      const found = use === null ? undefined : callers.get(use);
      if (use === null || found === undefined) return { nobody: unseen() };
      callers.delete(use);
      return found.caller;
    },
  };
}

/** Why nobody acts: nobody is named, or the team does not know the name `unknown`. */
function unnamed(unknown: string | null = null): Problem {
  return makeProblem("unknown-agent", unknown ?? "", "Baton does not know which agent of the team this is.", {
    hint:
      unknown === null
        ? "Have the session started by `baton run NAME`, or with BATON_AGENT set to an agent's name."
        : "The person or the lead registers this name, or adds a rule for such names to the team file.",
  });
}

function unseen(): Problem {
  return makeProblem(
    "unknown-agent",
    "",
    "Baton's hook was not asked before this call, so it is not known who makes it.",
    {
      hint: "Call the tool again. If that does not help, the person runs `baton doctor`.",
    },
  );
}
