/**
 * Who a session of an agent program is, whichever way the program asks: the agent that the session is bound to. A claim
 * that is refused is recorded once, and the session acts as nobody.
 * Source: docs/protocol/doors.md, section 7.
 */
import type { Problem } from "../../base/problem.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import { type HookEvent, type HookProgram, shellTools } from "../../messages/program-hooks.ts";
import {
  noteShell,
  noteShellEnded,
  noteStopped,
  noteWorking,
  processesAbove,
  sessionsFolder,
} from "../../perform/workspace/agent-sessions.ts";
import { agentOfShell } from "../../perform/workspace/config.ts";
import { lookForPlace, placeOf } from "../../perform/workspace/place.ts";
import type { HookInput } from "../hooks/hook-input.ts";
import { bindSession, type SessionClaim } from "./session-binding.ts";

/** The agent of a session; null: nobody is named, or the claim is `refused`. */
export interface SessionAgent {
  readonly agent: string | null;
  readonly refused: Problem | null;
  /** Who the session is once a hub has proven an agent; absent: no hub is meant, or it is known already. */
  readonly provenAs?: (agent: string) => SessionAgent;
  /**
   * Binds a name that the program says: that of a teammate in the session, or the session's own. Absent: a hub is meant,
   * or there is nothing to be bound to.
   */
  readonly says?: (agent: string, whose: "teammate" | "session") => NewBinding;
}

/** What binding a name said. */
export interface NewBinding extends SessionAgent {
  /** Records a refusal that is new. */
  record(): Promise<void>;
}

/** A session that asks; `takes` as of a claim. */
export type SessionAsked = Pick<SessionClaim, "program" | "session" | "takes">;

/** Who the session is. Through a hub the token proves the agent, and the session is bound to that one. */
export async function sessionAgent(call: Call, asked: SessionAsked): Promise<SessionAgent> {
  const names = [call.given.text("as") ?? null, agentOfShell(call.config)].filter((name) => name !== null);
  const [first = null] = names;
  const unbound = { agent: first, refused: null };
  if (hubOf(call) !== null) return { ...unbound, provenAs: (agent) => boundAs(call, asked, agent) };
  const place = await placeOf(call);
  // Where there is no team there is nothing to be bound to; where it cannot be written, opening it says so.
  if (!place.ok || place.value.refusal !== null) return unbound;
  const folder = sessionsFolder(place.value.journal);
  const claim = { ...asked, folder, names, processes: processesAbove() };
  const says = (agent: string, whose: "teammate" | "session"): NewBinding => {
    const session = whose === "session" ? asked.session : teammateSession(asked.session, agent);
    return bindNow(call, { ...claim, session, names: [agent] });
  };
  return { ...(await bindRecorded(call, claim)), says };
}

/**
 * A teammate is a separate session within that of its lead, also once the lead's is resumed in another process. Its name
 * is in its id, and some events say the name alone.
 */
function teammateSession(session: string | null, name: string): string | null {
  return session === null ? null : `${session}/${name}`;
}

/** Binds it as any session in a project of this machine; elsewhere there is no such place. Nothing is recorded. */
function boundAs(call: Call, asked: SessionAsked, agent: string): SessionAgent {
  const place = lookForPlace(call);
  if (!place.ok || place.value.refusal !== null) return { agent, refused: null };
  const folder = sessionsFolder(place.value.journal);
  const bound = bindSession({ ...asked, folder, names: [agent], processes: processesAbove() });
  return "agent" in bound ? { agent, refused: null } : { agent: null, refused: bound.refused };
}

/**
 * Notes which teammates and helpers work in Claude Code's sessions: from the first hook of one to the hook that says that it
 * stops. In a session with any, commands of its shell act for nobody that they do not name.
 */
export function workNotes(call: Call): (program: HookProgram, event: HookEvent, input: HookInput) => void {
  const noted = new Set<string>();
  return (program, event, { session, agentId }) => {
    if (program !== "claude-code" || session === null || agentId === null) return;
    const process = processesAbove()?.[0];
    if (process === undefined) return;
    const key = JSON.stringify([session, agentId]);
    const hasStopped = event.name === "SubagentStop";
    if (!hasStopped && noted.has(key)) return;
    const place = lookForPlace(call);
    if (!place.ok) return;
    const folder = sessionsFolder(place.value.journal);
    const about = { session, agent: agentId };
    if (hasStopped) {
      noteStopped(folder, about);
      noted.delete(key);
      return;
    }
    noteWorking(folder, about, process);
    noted.add(key);
  };
}

/**
 * Notes which agent runs a command in the shell of a Claude Code session, from the hook before it to the one after it: git's
 * hooks, which run in that shell, learn from it whose commit they judge.
 */
export function shellNotes(
  call: Call,
): (program: HookProgram, event: HookEvent, input: HookInput, agent: string | null) => void {
  // The program that started this server: it does not change.
  const [process] = processesAbove() ?? [];
  return (program, { asks }, { session, agentId, toolName }, agent) => {
    if (program !== "claude-code" || session === null || process === undefined) return;
    const begins = asks === "before-tool" && toolName === shellTools[program] && agent !== null;
    // After one tool of a batch, another command of the same agent may still run.
    const ends = asks === "after-tool" && toolName === null;
    const place = begins || ends ? lookForPlace(call) : null;
    if (place === null || !place.ok) return;
    const [folder, use] = [sessionsFolder(place.value.journal), { session, runner: agentId }];
    if (begins) noteShell(folder, use, agent, process);
    else noteShellEnded(folder, use);
  };
}

/** Binds as `bindSession`, and records a refusal the first time in the name that was claimed. */
export async function bindRecorded(call: Call, claim: SessionClaim): Promise<SessionAgent> {
  const { agent, refused, record } = bindNow(call, claim);
  await record();
  return { agent, refused };
}

/** As `bindRecorded`; the caller records. */
function bindNow(call: Call, claim: SessionClaim): NewBinding {
  const bound = bindSession(claim);
  if ("agent" in bound) return { agent: bound.agent, refused: null, record: async () => undefined };
  const { refused, claimed, isNew } = bound;
  const record = async (): Promise<void> => {
    if (!isNew) return;
    const opened = await openLocal(call, claimed, { via: "hook" });
    // What cannot be recorded is refused all the same.
    if (!opened.ok) return;
    await using team = opened.value;
    await team.refuseProgram({ session: claim.session, refused });
  };
  return { agent: null, refused, record };
}
