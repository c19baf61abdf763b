/**
 * Registering and retiring agents by command. The roster's truth is the journal: these write entries, never the file.
 * The owner and leads may do it.
 * Source: guarantees.md section 0.
 */
import type { Json } from "../base/json.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok } from "../base/result.ts";
import { decideDeparture } from "../coordination/deciders.ts";
import type { Moment } from "../journal/journal.ts";
import { ownerName, type Principal } from "../message/principal.ts";
import { decideTeam, type TeamCommand } from "../team/revision.ts";
import { asJson } from "./content.ts";
import type { Actor, Context } from "./context.ts";
import { type AskedAct, recordAct } from "./recorded-act.ts";
import type { TeamState } from "./state.ts";
import type { Registration, Reply } from "./team.ts";

/** Adds an agent, or brings a retired one back in a new session. The same agent again changes nothing. */
export function register(
  context: Context,
  actor: Actor,
  agent: Registration,
  options: { readonly id?: string } = {},
): Promise<Reply> {
  return command(context, actor, { command: "register-agent", ...agent }, options.id);
}

/** Takes an agent out: it may send nothing more. Retiring a retired agent changes nothing. */
export function retire(
  context: Context,
  actor: Actor,
  agent: string,
  options: { readonly id?: string; readonly reason?: string } = {},
): Promise<Reply> {
  const reason = options.reason === undefined ? {} : { reason: options.reason };
  return command(context, actor, { command: "retire-agent", agent, ...reason }, options.id);
}

function command(context: Context, actor: Actor, asked: TeamCommand, named: string | undefined): Promise<Reply> {
  return recordAct(context, actor, {
    name: asked.command,
    asked,
    // A command holds strings only, so it is plain JSON.
    compared: asked as unknown as Json,
    named,
    // Recorded as it comes: a deadline that has passed may be recorded after it.
    commit: ({ journal, team }, attempt) => journal.commit(team, attempt),
    decide: (state, moment, { principal }) => decide(context, { asked, principal }, state, moment),
  });
}

interface Asked {
  readonly asked: TeamCommand;
  readonly principal: Principal;
}

function decide(
  context: Context,
  { asked, principal }: Asked,
  state: TeamState,
  moment: Moment,
): ReturnType<AskedAct["decide"]> {
  const denied = mayChangeRoster(principal, state);
  if (denied !== null) return err([denied]);
  const decided = decideTeam(asked, state.team);
  if (!decided.ok) return decided;
  // Whoever is taken out cannot answer any more: a round that waits for it must not wait in vain.
  const events =
    asked.command === "retire-agent" && decided.value.length > 0
      ? decideDeparture(state.coordination, { agent: asked.agent, seq: moment.seq, atMs: context.clock.now() })
      : [];
  const subject = asked.command === "revise-team" ? asked.definition.name : asked.agent;
  const unchanged = { code: "already-so", path: subject, message: "It was so already; nothing changed." };
  return ok({
    receivers: [],
    content: asJson({
      command: { name: asked.command, ...argumentsOf(asked) },
      team: decided.value,
      ...(events.length === 0 ? {} : { events }),
      ...(decided.value.length === 0 ? { notes: [unchanged] } : {}),
    }),
  });
}

/** What the command was asked with; all its arguments are texts. */
function argumentsOf(asked: TeamCommand): { readonly [argument: string]: string } {
  const told: { [argument: string]: string } = {};
  for (const [name, value] of Object.entries(asked)) {
    if (name !== "command" && typeof value === "string") told[name] = value;
  }
  return told;
}

function mayChangeRoster(principal: Principal, state: TeamState): Problem | null {
  if (state.team.roster.get(principal.agent)?.status === "retired") {
    return problem("retired-agent", principal.agent, `${principal.agent} is retired and may do nothing more.`, {
      hint: "The owner or an active lead can register it again.",
    });
  }
  if (principal.agent === ownerName || principal.role === "lead") return null;
  return problem("sender-not-authorised", principal.agent, `${principal.agent} may not change who is in the team.`, {
    expected: "the owner or a lead",
    received: principal.role ?? "an unknown agent",
    hint: "Ask the lead, or run the command without --as as the owner.",
  });
}
