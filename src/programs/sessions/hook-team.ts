/**
 * The team that a hook asks, as the agent that acts there: on the journal of this machine, or through a hub. A teammate
 * of the program whom nobody registered joins by the team's rule for such names, where it has one.
 */
import { agentName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import type { WorkingTeam } from "../../perform/team.ts";
import { ruleFor } from "../../team/state/roster.ts";
import { type ActingAgent, actingAgent, nobodyActs, startedAs, teammateName } from "../hooks/acting-agent.ts";
import type { HookInput } from "../hooks/hook-input.ts";
import type { NewBinding, SessionAgent } from "./session-agent.ts";

/** An open team, and who acts. Where nobody does, the handle may be asked and not acted by. */
export interface HookTeam extends ActingAgent {
  readonly team: WorkingTeam;
}

export interface HookTeamAsked {
  readonly program: HookProgram;
  readonly input: HookInput;
  /** Who the session is. */
  readonly session: SessionAgent;
  /** Ends waiting. */
  readonly signal: AbortSignal;
  /** Bounds waiting. */
  readonly msMax: number;
}

/** Which part of the time that a hook has one act may wait for a lock of the journal. */
const lockPart = 0.2;

/** No agent can be called so. */
export const nobody = "";

/**
 * Opens the team that the call means. Through a hub the acting agent is the token's agent: another name in addition is
 * not accepted. Refuses as opening a team does.
 */
export async function openHookTeam(call: Call, asked: HookTeamAsked): Promise<Result<HookTeam, readonly Problem[]>> {
  return hubOf(call) === null ? await openHere(call, asked) : await openOnHub(call, asked);
}

async function openHere(call: Call, asked: HookTeamAsked): Promise<Result<HookTeam, readonly Problem[]>> {
  const { program, input, session, msMax } = asked;
  const name = teammateName(program, input);
  const teammate = name === null || agentName(name) === null ? null : name;
  let who: Acting = { acting: nobodyActs, bound: null };
  const choose = (isMember: (name: string) => boolean): string => {
    who = actingHere(asked, teammate, isMember);
    const { agent, unknown } = who.acting;
    // A teammate that is not registered may join, and speaks for itself alone.
    return agent ?? (unknown === teammate ? teammate : null) ?? nobody;
  };
  const opened = await openLocal(call, choose, { via: "hook", waitMs: msMax * lockPart });
  if (!opened.ok) return opened;
  const team = opened.value;
  if (teammate !== null && who.acting.unknown === teammate && (await joined(team, teammate)))
    who = boundAs(teammate, session.says?.(teammate, "teammate"));
  await who.bound?.record();
  return ok({ team, ...who.acting });
}

/** Who acts, and how the name was bound that the program said; null: it said none that counts. */
interface Acting {
  readonly acting: ActingAgent;
  readonly bound: NewBinding | null;
}

/** Who acts on this machine. What the program says is bound as every name: it may be that of another session's agent. */
function actingHere(
  { program, input, session }: HookTeamAsked,
  teammate: string | null,
  isMember: (name: string) => boolean,
): Acting {
  const acting = actingAgent(program, input, [session.agent], isMember);
  if (teammate !== null) {
    // It speaks for itself, so who its session is does not matter.
    return acting.agent === null
      ? { acting, bound: null }
      : boundAs(acting.agent, session.says?.(teammate, "teammate"));
  }
  const kind = session.agent === null && session.refused === null ? startedAs(program, input) : null;
  if (kind !== null && isMember(kind)) return boundAs(kind, session.says?.(kind, "session"));
  return { acting: { ...acting, refused: session.refused }, bound: null };
}

/** The agent, if the name was bound to it or there is nothing to be bound to. */
function boundAs(agent: string, bound: NewBinding | null = null): Acting {
  const refused = bound?.refused ?? null;
  return { acting: refused === null ? { ...nobodyActs, agent } : { ...nobodyActs, refused }, bound };
}

/** As `joined`, in the team that the call means. */
export async function joinByRule(call: Call, agent: string): Promise<boolean> {
  if (agentName(agent) === null) return false;
  const opened = await openLocal(call, agent);
  if (!opened.ok) return false;
  await using team = opened.value;
  return await joined(team, agent);
}

/** Registers an agent by the rule that names it; false: there is none, or the team does not let it in. */
async function joined(team: WorkingTeam, name: string): Promise<boolean> {
  const status = await team.status();
  const rule = status.ok ? ruleFor(status.value.definition?.names, name) : null;
  if (rule === null) return false;
  const { role, department, dialect } = rule;
  const place = { ...(department === undefined ? {} : { department }), ...(dialect === undefined ? {} : { dialect }) };
  const reply = await team.register({ agent: name, role, ...place });
  return reply.outcome === "accepted";
}

async function openOnHub(
  call: Call,
  { program, input, session, signal, msMax }: HookTeamAsked,
): Promise<Result<HookTeam, readonly Problem[]>> {
  const hub = hubOf(call);
  if (hub === null) return err([]);
  const connected = await call.connectHub({ ...hub, agent: null, signal, answerMsMax: msMax });
  if (!connected.ok) return err([connected.error]);
  const team = connected.value.team();
  if (!team.ok) return err([team.error]);
  const status = await team.value.status();
  if (!status.ok) return err([status.error]);
  const proven = connected.value.agent;
  const known = new Set(status.value.agents.map(({ agent }) => agent));
  const own = session.provenAs?.(proven) ?? session;
  if (own.refused !== null) return ok({ team: team.value, ...nobodyActs, refused: own.refused });
  const acting = actingAgent(program, input, [session.agent, proven], (name) => known.has(name));
  const isProven = (acting.agent ?? acting.helps) === proven;
  return ok({ team: team.value, ...(isProven ? acting : { ...nobodyActs, unknown: acting.unknown }) });
}
