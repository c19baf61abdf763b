/** The team that a hook asks, as the agent that acts there: on the journal of this machine, or through a hub. */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import { type ActingAgent, actingAgent } from "../../doors/hooks/acting-agent.ts";
import type { HookInput } from "../../doors/hooks/hook-input.ts";
import type { HookProgram } from "../../message/program-hooks.ts";
import type { WorkingTeam } from "../../runtime/team/team.ts";

/** An open team, and who acts. Where nobody does, the handle may be asked and not acted by. */
export interface HookTeam extends ActingAgent {
  readonly team: WorkingTeam;
}

/** Which part of the time that a hook has one act may wait for a lock of the journal. */
const lockPart = 0.2;

/**
 * Opens the team that the call means. `signal` ends waiting, and `msMax` bounds it. Through a hub whoever acts is the
 * token's agent: another name beside it is nobody's. Refuses as opening a team does.
 */
export async function openHookTeam(
  call: Call,
  program: HookProgram,
  input: HookInput,
  { signal, msMax }: { readonly signal: AbortSignal; readonly msMax: number },
): Promise<Result<HookTeam, readonly Problem[]>> {
  const said = [call.given.text("as") ?? null, call.config.agent];
  const hub = hubOf(call);
  if (hub !== null) {
    const connected = await call.connectHub({ ...hub, agent: null, signal, answerMsMax: msMax });
    if (!connected.ok) return err([connected.error]);
    const team = connected.value.team();
    if (!team.ok) return err([team.error]);
    const status = await team.value.status();
    if (!status.ok) return err([status.error]);
    const proven = connected.value.agent;
    const known = new Set(status.value.agents.map(({ agent }) => agent));
    const acting = actingAgent(program, input, [...said, proven], (name) => known.has(name));
    const isProven = acting.agent === proven;
    return ok({ team: team.value, agent: isProven ? proven : null, unknown: isProven ? null : acting.unknown });
  }
  let acting: ActingAgent = { agent: null, unknown: null };
  const choose = (isMember: (name: string) => boolean): string => {
    acting = actingAgent(program, input, said, isMember);
    return acting.agent ?? nobody;
  };
  const opened = await openLocal(call, choose, { via: "hook", waitMs: msMax * lockPart });
  return opened.ok ? ok({ team: opened.value, ...acting }) : opened;
}

/** No agent can be called so. */
const nobody = "";
