/**
 * An agent of the simulation: what it knows, what it waits for, and how honest it is. It knows what its answers and its
 * mail said; for the rest it looks at the team's board, as every agent may.
 */
import type { DialectId } from "../../../src/messages/message.ts";
import type { Department, Role } from "../../../src/messages/role.ts";
import type { Models } from "../models/models.ts";
import type { Chance } from "../world/chance.ts";
import type { Host } from "../world/host.ts";
import type { Act, Asked, Told } from "./act.ts";
import { type Sayings, type Writer, write } from "./wire.ts";

/** Most acts that an agent remembers to repeat them. */
const historyMax = 12;

export interface Agent {
  readonly name: string;
  readonly role: Role;
  readonly department: Department | undefined;
  /** Its own first, then the others of the team. */
  readonly dialects: readonly DialectId[];
  /** The process that it starts itself, in addition to the hub. */
  readonly host: Host;
  /** Whether its team has the dialect of handoff documents. */
  readonly writesHandoffs: boolean;
  /** How often it does what it must not, of all its turns. */
  readonly lies: number;
  /** How far its own clock is from the machine's. */
  readonly skewMs: number;
  /** Acts without an answer, by id. */
  readonly pending: Map<string, Act>;
  readonly history: Act[];
  /** Tokens that it got, newest last, expired ones too. */
  readonly tokens: { readonly task: string; readonly token: number }[];
  /** The program that stays and acts for it; null: it only starts ones that come and go. */
  program: string | null;
  /** The program before that, which may not know that it was replaced; null: there was none. */
  formerProgram: string | null;
  /** How many ids it has given out. */
  given: number;
  /** It does nothing until then, by the monotonic clock. */
  stalledUntil: number;
  /** What it sends and is sent is lost until then. */
  cutOffUntil: number;
  /** The highest seq that its mail showed. */
  shown: number;
}

/** What an agent decides by. */
export interface Acting {
  readonly agent: Agent;
  readonly chance: Chance;
  readonly models: Models;
  /** The id of the operation that it thinks of. */
  readonly id: string;
  /** Milliseconds of its clock. */
  readonly nowMs: number;
}

/** What an agent may do, as likely as its weight. Null: there is no occasion. */
export type Choice = readonly [weight: number, choose: (acting: Acting) => Asked | null];

/** Keeps an operation until it is answered, and to repeat it. */
export function keepAct(agent: Agent, act: Act): void {
  agent.pending.set(act.id, act);
  agent.history.push(act);
  if (agent.history.length > historyMax) agent.history.shift();
}

/** What an agent learns from an answer that reaches it. Where the outcome is not known, it goes on waiting. */
export function takeAnswer(agent: Agent, act: Act, { reply, inbox, granted }: Told): void {
  if (reply?.outcome !== "failed") agent.pending.delete(act.id);
  if (granted !== null) agent.tokens.push({ task: granted.task, token: granted.token });
  for (const { seq } of inbox?.deliveries ?? []) agent.shown = Math.max(agent.shown, seq);
}

/** A saying in the agent's own words; null: none of its dialects has a word for it. */
export function say<Name extends keyof Sayings>(acting: Acting, name: Name, said: Sayings[Name]): Asked | null {
  const written = write(name, said, writerOf(acting));
  return written === null ? null : { do: "send", ...written };
}

/** The role that an agent has now; it may be brought back in another. */
export function roleOf({ agent, models }: Pick<Acting, "agent" | "models">): Role {
  return models.roster.agents.get(agent.name)?.role ?? agent.role;
}

/** Who writes, as its messages say. */
export function writerOf({ agent, models, id, nowMs }: Acting): Writer {
  return { id, role: roleOf({ agent, models }), dialects: agent.dialects, timestamp: new Date(nowMs).toISOString() };
}
