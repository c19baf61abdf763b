/**
 * Who is in the team, by the entries alone: who may act, in which role and which session.
 * Written from docs/protocol/authority.md; docs/protocol/asking.md, sections 14 to 16.
 */
import type { DialectId } from "../../../src/messages/message.ts";
import type { Department, Role } from "../../../src/messages/role.ts";
import type { TeamDefinition, TeamMode } from "../../../src/team/state/definition.ts";
import type { AgentRetired, TeamEvent, TeamRevised } from "../../../src/team/state/revision.ts";
import type { Seen, Wrong } from "./seen.ts";

/** An agent as the entries say it is. */
export interface KnownAgent {
  readonly agent: string;
  readonly role: Role;
  readonly department: Department | undefined;
  readonly dialect: DialectId;
  readonly session: number;
  readonly isActive: boolean;
  readonly isOfFile: boolean;
  /** Its own way of working; undefined: the team's. */
  readonly mode: TeamMode | undefined;
  /** Agents that ever registered the name. */
  readonly registrars: readonly string[];
  /** Whether the person took it out, or the file. */
  readonly isTakenOutByPerson?: boolean;
}

export interface RosterModel {
  /** Everybody who ever was in the team. */
  readonly agents: ReadonlyMap<string, KnownAgent>;
  /** Departments that are or were at work. */
  workingDepartments(): readonly string[];
  /** Departments with an active agent. */
  departmentsAtWork(): readonly string[];
  /** Whether several departments are at work now. */
  hasDepartments(): boolean;
  /** Agents that ever registered the name, and those that registered them, up to the person. */
  registrarsOf(agent: string): readonly string[];
  /** Whether a lead of this department, or of none, leads this agent. */
  leads(department: string | undefined, agent: string): boolean;
  /** Whether the acting agent may act. */
  checkPrincipal(seen: Seen): void;
  /** Agents that leave by the entry, a command or the team's file, which has not taken effect. */
  leavers(seen: Seen): readonly string[];
  take(event: TeamEvent, seen: Seen): void;
}

/** What the roster asks of health. */
export interface AroundRoster {
  /** Whether an agent stopped, or was made to, in its present session. */
  isStopped(agent: string): boolean;
  /** Whether the agent stopped, in its present session, in a round of everybody that is over. */
  isBackNextDay(agent: string): boolean;
  /** Whether an agent has disappeared and was not heard since. */
  isLost(agent: string): boolean;
  /** Why an agent may not begin to work now; null: it may. */
  barOf(agent: Pick<KnownAgent, "agent" | "role" | "department" | "mode">): string | null;
}

/** The roster before the first entry. */
export function newRosterModel(wrong: Wrong, around: AroundRoster): RosterModel {
  const agents = new Map<string, KnownAgent>();
  /** Taken out by a command or a shutdown: the file does not bring them back. */
  const takenOut = new Set<string>();
  let definition: TeamDefinition | null = null;
  const working = ["backend", "frontend", "uiux"];
  // Who left does not make two departments one.
  const workingDepartments = () =>
    working.filter((each) => [...agents.values()].some(({ department }) => department === each));
  const isAtWork = (each: string) =>
    [...agents.values()].some(({ isActive, department }) => isActive && department === each);
  return {
    agents,
    workingDepartments,
    departmentsAtWork: () => working.filter(isAtWork),
    hasDepartments: () => working.filter(isAtWork).length > 1,
    registrarsOf: (agent) => chainOf(agents, agent),
    leavers: (seen) => leaversBy(agents, seen),
    leads(department, agent) {
      if (department === undefined || working.filter(isAtWork).length < 2) return true;
      return agents.get(agent)?.department === department;
    },
    checkPrincipal({ entry, head }) {
      const { principal, kind } = entry;
      if (kind !== "message" && kind !== "command" && kind !== "ack") return;
      if (principal.agent === "owner" || principal.agent === "baton") return;
      const known = agents.get(principal.agent);
      if (known === undefined) return wrong(`${principal.agent} acts and is not in the team`);
      // Who has stopped by its own answer may still say what it had read.
      if (kind === "ack" && around.isStopped(principal.agent)) return;
      if (around.isStopped(principal.agent)) wrong(`${principal.agent} acts (${kind}) after its ending answer`);
      if (!known.isActive) wrong(`${principal.agent} acts (${kind}) after it left the team or stopped`);
      if (principal.role !== known.role) wrong(`${principal.agent} acts as ${principal.role}, and is ${known.role}`);
      const claimed = head("author_role");
      if (
        kind === "message" &&
        typeof claimed === "string" &&
        head("payload") !== undefined &&
        claimed !== known.role
      ) {
        wrong(`${principal.agent} is believed to be ${claimed}, and is ${known.role}`);
      }
    },
    take(event, { entry, content }) {
      const { agent: by, role } = entry.principal;
      if (event.event === "team-revised") {
        revise(agents, takenOut, { before: definition, event, wrong });
        definition = event.definition;
      }
      if (event.event === "agent-registered") {
        const { agent, role: registered, department, dialect, mode, session } = event;
        const known = agents.get(agent);
        // Baton itself brings back whoever stopped with everybody, as the agent was.
        const isNextDay = by === "baton" && around.isBackNextDay(agent) && isSamePlace(known, event);
        const isForPerson = by === "owner" || isNextDay;
        for (const place of [event, ...(known === undefined ? [] : [known])])
          if (!isNextDay && !isEntitled(entry.principal, place))
            wrong(`${by} (${role}) registers ${agent}, the ${place.role}`);
        if (event.by !== (isForPerson ? undefined : by)) wrong(`${agent} is registered by ${by}, not ${event.by}`);
        const isAgain = content.command?.newSession === true || around.isLost(agent);
        if (known?.isActive === true && !isAgain) wrong(`${agent} is registered and was there`);
        if (!isForPerson && known?.isTakenOutByPerson === true)
          wrong(`${by} brings back ${agent}, whom the person took out`);
        if (session !== (known?.session ?? 0) + 1) wrong(`${agent} begins session ${session} after ${known?.session}`);
        const registrars = [...(known?.registrars ?? []), ...(isForPerson ? [] : [by])];
        const place = { agent, role: registered, department, dialect, mode, registrars };
        const isOfFile = isSaid(definition, place);
        if (isOfFile !== (event.declared === true)) wrong(`${agent} is ${isOfFile ? "" : "not "}what the file says`);
        agents.set(agent, { ...place, session, isActive: true, isOfFile });
        takenOut.delete(agent);
        const bar = around.barOf(place);
        if (bar !== null && !isForPerson) wrong(`${agent} is registered while ${bar}`);
      }
      if (event.event === "agent-retired") takeRetired(agents, entry, { event, wrong });
      if (event.event === "agent-retired") takenOut.add(event.agent);
    },
  };
}

function isSamePlace(known: KnownAgent | undefined, to: Partial<KnownAgent>) {
  const places = [known, to].map((place) => [place?.role, place?.department, place?.dialect, place?.mode].join());
  return places[0] === places[1];
}

function chainOf(agents: ReadonlyMap<string, KnownAgent>, agent: string): readonly string[] {
  const chain: string[] = [];
  const waiting = [agent];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const more = (agents.get(name)?.registrars ?? []).filter((each) => !chain.includes(each));
    chain.push(...more);
    waiting.push(...more);
  }
  return chain;
}

function takeRetired(
  agents: Map<string, KnownAgent>,
  { principal, kind }: Seen["entry"],
  { event, wrong }: { readonly event: AgentRetired; readonly wrong: Wrong },
): void {
  const known = agents.get(event.agent);
  const isStop = kind === "timer" || principal.agent === event.agent;
  if (!isStop && (known === undefined || !isEntitled(principal, known)))
    wrong(`${principal.agent} (${principal.role}) retires ${event.agent}`);
  if (known === undefined) wrong(`${event.agent} is retired and was never there`);
  if (known === undefined) return;
  const isByPerson = !isStop && principal.agent === "owner";
  const isTakenOutByPerson = isByPerson || (!known.isActive && known.isTakenOutByPerson === true);
  agents.set(event.agent, { ...known, isActive: false, isTakenOutByPerson });
}

const belowLead = "dev tester docs senior qa qa-lead qa-code scout critic debugger".split(" ");

/** Whether a principal gives and takes such a place: the person every one, a lead what is below it in its department. */
function isEntitled(
  by: Seen["entry"]["principal"],
  { role, department }: Pick<KnownAgent, "role"> & { readonly department?: Department | undefined },
): boolean {
  if (by.agent === "owner") return true;
  return by.role === "lead" && belowLead.includes(role) && by.department === department;
}

function leaversBy(
  agents: ReadonlyMap<string, KnownAgent>,
  { content: { command, team = [] } }: Seen,
): readonly string[] {
  return team.flatMap((event) => {
    const isTakenOut = event.event === "agent-retired" && command?.name === "retire-agent";
    if (isTakenOut) return agents.get(event.agent)?.isActive === true ? [event.agent] : [];
    if (event.event !== "team-revised") return [];
    const listed = new Set(event.definition.agents.map(({ agent }) => agent));
    return [...agents.values()].flatMap(({ agent, isActive, isOfFile }) =>
      isActive && (isOfFile || event.takesOver?.includes(agent) === true) && !listed.has(agent) ? [agent] : [],
    );
  });
}

/** Whether the file in force says just this of an agent. */
function isSaid(
  definition: TeamDefinition | null,
  { agent, role, department, dialect }: Pick<KnownAgent, "agent" | "role" | "department" | "dialect">,
): boolean {
  const [first] = definition?.dialects ?? [];
  return (definition?.agents ?? []).some(
    (line) =>
      line.agent === agent &&
      line.role === role &&
      line.department === department &&
      (line.dialect ?? first) === dialect,
  );
}

/**
 * The team's file says who is there, but for those whom a command or a shutdown took out, and those whom a command
 * registered and about whom the file did not change.
 */
function revise(
  agents: Map<string, KnownAgent>,
  takenOut: ReadonlySet<string>,
  { before, event, wrong }: { before: TeamDefinition | null; event: TeamRevised; wrong: Wrong },
): void {
  const { definition } = event;
  const listed = new Set(definition.agents.map(({ agent }) => agent));
  const lineOf = (of: TeamDefinition | null, name: string) => {
    const line = of?.agents.find(({ agent }) => agent === name);
    return line === undefined ? "" : [line.role, line.department ?? "", line.dialect ?? ""].join(" ");
  };
  for (const known of agents.values()) {
    if (known.isOfFile || lineOf(before, known.agent) === lineOf(definition, known.agent)) continue;
    if (event.takesOver?.includes(known.agent) !== true) wrong(`the file says something new of ${known.agent} in vain`);
    agents.set(known.agent, { ...known, isOfFile: true });
  }
  for (const known of agents.values()) {
    if (!known.isOfFile || listed.has(known.agent)) continue;
    agents.set(known.agent, { ...known, isActive: false, isTakenOutByPerson: true });
  }
  for (const { agent, role, department, dialect = definition.dialects[0] } of definition.agents) {
    const known = agents.get(agent);
    if (takenOut.has(agent) || (known !== undefined && !known.isOfFile && known.isActive)) continue;
    const session = known === undefined ? 1 : known.session + (known.isActive ? 0 : 1);
    const registrars = known?.registrars ?? [];
    const place = {
      agent,
      role,
      department,
      dialect: dialect ?? "vbw/2",
      mode: known?.isActive === true ? known.mode : undefined,
      registrars,
    };
    agents.set(agent, { ...place, session, isActive: true, isOfFile: true });
  }
}
