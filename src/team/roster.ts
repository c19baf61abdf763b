/**
 * The roster: who is in the team, as data. Its truth is the team entries of the journal: agents named by the team
 * file's latest recorded revision, and agents registered or retired by command.
 */
import type { DialectId } from "../message/message.ts";
import type { Department, Role } from "../message/role.ts";
import type { TeamMode } from "./definition.ts";

/** One agent of a team. */
export interface Member {
  readonly agent: string;
  readonly role: Role;
  readonly department?: Department;
  /** The dialect it reads and writes. */
  readonly dialect: DialectId;
  /** How it works, where that is not the team's `team_mode`. */
  readonly mode?: TeamMode;
  /** Whether it came by the team file or by `agent register`. */
  readonly source: "file" | "command";
  readonly status: "active" | "retired";
  /** 1, and one more at each registration again after retirement, or that asks for a new one. */
  readonly session: number;
  /** Every agent that ever registered this name; absent: only the person did. */
  readonly registrars?: readonly string[];
  /** Of a retired agent: the agent that retired it. Absent: the person or the team file did, or it was not kept yet. */
  readonly retiredBy?: string;
}

/** The agents of a team by name. */
export type Roster = ReadonlyMap<string, Member>;

/** Rosters are replaced, never changed, so what is asked of one with every message is looked up once. */
const membersByRole = new WeakMap<Roster, Map<Role, readonly Member[]>>();

/** Active agents that have `role`, in roster order. */
export function membersOf(roster: Roster, role: Role): readonly Member[] {
  const known = membersByRole.get(roster)?.get(role);
  if (known !== undefined) return known;
  const members = [...roster.values()].filter((member) => member.role === role && member.status === "active");
  const byRole = membersByRole.get(roster) ?? new Map<Role, readonly Member[]>();
  membersByRole.set(roster, byRole.set(role, members));
  return members;
}

/** The agents that ever registered a name, as those who judge are told of; nothing where only the person did. */
export function registrarsIn(roster: Roster, agent: string): Pick<Member, "registrars"> {
  const registrars = roster.get(agent)?.registrars;
  return registrars === undefined ? {} : { registrars };
}

/** The command that brings an agent back who has left, with all that tells it from others. */
export function registeringCommand({ agent, role, department }: Member): string {
  return `baton agent register ${agent} --role ${role}${department === undefined ? "" : ` --department ${department}`}`;
}
