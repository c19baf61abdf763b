/**
 * What follows from a command about the team: a file that says something new, the owner's word on it, an agent that comes or
 * goes. Pure. Source: docs/protocol/record.md, section 1; docs/protocol/authority.md, sections 17 to 20.
 */
import { argument } from "../../base/argument.ts";
import { canonical, sha256 } from "../../base/canonical.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { departments, isRole, roles } from "../../messages/role.ts";
import { type AgentDefinition, type TeamDefinition, teamModes } from "./definition.ts";
import {
  definitionText,
  isInForce,
  type Proposal,
  type TeamCommand,
  type TeamEvent,
  type TeamRevised,
  type TeamRevisionState,
} from "./revision.ts";
import { compareDefinitions } from "./revision-changes.ts";
import { nameProblems, nameTaken, twinProblems, unknownAgent, unknownWord } from "./roster.ts";

/**
 * What follows from `command`; no events when it was already so. Refuses: `not-initialised` (no revision yet),
 * `wrong-value` (no agent's name, a reserved one, an unknown role or department), `unknown-dialect`, `already-exists`
 * (an active agent of that name is someone else, or a name that ever was differs in capital letters only),
 * `unknown-agent`, `not-found` (this proposal does not wait).
 */
export function decideTeam(
  command: TeamCommand,
  state: TeamRevisionState,
): Result<readonly TeamEvent[], readonly Problem[]> {
  switch (command.command) {
    case "revise-team":
      return revise(command.definition, state);
    case "confirm-revision": {
      const { revision, proposal } = state;
      if (proposal?.id !== command.proposal) return err([unknownProposal(command.proposal, proposal)]);
      const { id, definition } = proposal;
      // Agents may have been registered since it was proposed.
      const twins = twinProblems(namesIn(definition), state.roster);
      if (twins.length > 0) return err(twins);
      return ok([{ ...revised(state, definition), revision: revision + 1, proposal: id }]);
    }
    case "decline-revision": {
      const { proposal } = state;
      if (proposal?.id !== command.proposal) return err([unknownProposal(command.proposal, proposal)]);
      if (proposal.status === "declined") return ok([]);
      const reason = command.reason === undefined ? {} : { reason: command.reason };
      return ok([{ event: "revision-declined", proposal: proposal.id, ...reason }]);
    }
    case "register-agent":
      return register(command, state);
    case "retire-agent":
      return retire(command, state);
  }
}

/**
 * What follows when the team's file says `definition`: the first one is in force at once; of a later one what needs no
 * word of the owner is in force at once, and the whole waits where something needs it.
 */
export function revise(
  definition: TeamDefinition,
  state: TeamRevisionState,
): Result<readonly TeamEvent[], readonly Problem[]> {
  const { definition: inForce, proposal, revision, roster } = state;
  const wanted = definitionText(definition);
  if (isInForce(state, definition)) return ok([]);
  const twins = twinProblems(namesIn(definition), roster);
  if (twins.length > 0) return err(twins);
  if (inForce === null) return ok([{ event: "team-revised", revision: revision + 1, definition }]);
  const { changes, atOnce } = compareDefinitions(inForce, definition, roster);
  const isSame = definitionText(atOnce) === definitionText(inForce);
  const applied: readonly TeamEvent[] = isSame ? [] : [{ ...revised(state, atOnce), revision: revision + 1 }];
  if (!changes.some(({ waits }) => waits))
    return ok(proposal === null ? applied : [...applied, { event: "revision-withdrawn", proposal: proposal.id }]);
  if (proposal !== null && definitionText(proposal.definition) === wanted) return ok(applied);
  const id = sha256(`${revision + applied.length}\n${wanted}`).slice(0, proposalIdDigits);
  return ok([...applied, { event: "revision-proposed", proposal: id, definition }]);
}

function namesIn({ agents }: TeamDefinition): readonly string[] {
  return agents.map(({ agent }) => agent);
}

/** Enough that nobody finds two definitions of one id: what was shown is what is confirmed. */
const proposalIdDigits = 32;

/**
 * A revision with the agents that it takes over: those that a command registered, and that the definition adds, leaves
 * out, or says something else of than the one before. A line that has not changed undoes no command.
 */
function revised(
  { definition: before, roster }: TeamRevisionState,
  definition: TeamDefinition,
): Pick<TeamRevised, "event" | "definition" | "takesOver"> {
  const lineOf = (of: TeamDefinition | null, name: string) =>
    canonical({ ...of?.agents.find(({ agent }) => agent === name) });
  const takesOver = [...roster.values()]
    .filter(({ source }) => source === "command")
    .filter(({ agent }) => lineOf(before, agent) !== lineOf(definition, agent))
    .map(({ agent }) => agent);
  return { event: "team-revised", definition, ...(takesOver.length === 0 ? {} : { takesOver }) };
}

export function register(
  command: Extract<TeamCommand, { readonly command: "register-agent" }>,
  state: TeamRevisionState,
): Result<readonly TeamEvent[], readonly Problem[]> {
  const { agent, role, department, mode } = command;
  const dialects = state.definition?.dialects ?? [];
  const dialect = command.dialect ?? dialects[0];
  if (dialect === undefined) {
    return err([
      makeProblem("not-initialised", agent, "The team has no definition yet.", { hint: "Run `baton init` first." }),
    ]);
  }
  const problems = [
    ...nameProblems(agent),
    ...twinProblems([agent], state.roster),
    ...(isRole(role) ? [] : [unknownWord("wrong-value", agent, "role", role, roles)]),
    ...(department === undefined || departments.includes(department)
      ? []
      : [unknownWord("wrong-value", agent, "department", department, departments)]),
    ...(dialects.includes(dialect)
      ? []
      : [unknownWord("unknown-dialect", agent, "dialect of this team", dialect, dialects)]),
  ];
  if (mode !== undefined && !teamModes.includes(mode))
    problems.push(unknownWord("wrong-value", agent, "mode", mode, teamModes));
  if (problems.length > 0) return err(problems);
  const earlier = state.roster.get(agent);
  if (earlier?.status === "active") {
    const isSame =
      earlier.role === role &&
      earlier.department === department &&
      earlier.dialect === dialect &&
      (mode === undefined || earlier.mode === mode);
    if (!isSame) return err([nameTaken(earlier)]);
    if (command.newSession !== true) return ok([]);
  }
  const session = (earlier?.session ?? 0) + 1;
  const place = department === undefined ? {} : { department };
  const way = mode === undefined ? {} : { mode };
  const registrar = command.by === undefined ? {} : { by: command.by };
  const declared = isDeclared({ agent, role, ...place, dialect }, state.definition)
    ? ({ declared: true } as const)
    : {};
  return ok([
    { event: "agent-registered", agent, role, ...place, dialect, ...way, session, ...registrar, ...declared },
  ]);
}

/** Whether the definition in force says just this of an agent. */
function isDeclared({ agent, role, department, dialect }: AgentDefinition, definition: TeamDefinition | null): boolean {
  const line = definition?.agents.find((each) => each.agent === agent);
  if (line === undefined || line.role !== role || line.department !== department) return false;
  return (line.dialect ?? definition?.dialects[0]) === dialect;
}

export function retire(
  { agent, reason, by }: Extract<TeamCommand, { readonly command: "retire-agent" }>,
  { roster, retired }: TeamRevisionState,
): Result<readonly TeamEvent[], readonly Problem[]> {
  const member = roster.get(agent);
  if (member === undefined) return err([unknownAgent(agent, roster.keys())]);
  // The person's word on an agent that another agent retired is news: only the person brings it back then.
  const isNews = by === undefined && member.retiredBy !== undefined;
  if (member.status === "retired" && retired.has(agent) && !isNews) return ok([]);
  const more = { ...(reason === undefined ? {} : { reason }), ...(by === undefined ? {} : { by }) };
  return ok([{ event: "agent-retired", agent, ...more }]);
}

function unknownProposal(asked: string, waiting: Proposal | null): Problem {
  const isId = asked.length === proposalIdDigits && /^[0-9a-f]*$/.test(asked);
  const hint =
    waiting === null
      ? "Nothing waits to be confirmed. `baton team` shows what is in force."
      : isId
        ? "The team file has changed since. Look again with `baton team`, which names what waits now."
        : `This is no id of a change: an id has ${proposalIdDigits} characters of 0-9 and a-f. \`baton team\` shows the change that waits, with its id.`;
  return makeProblem("not-found", argument("proposal"), "No revision of this id waits to be confirmed.", {
    ...(waiting === null ? {} : { expected: waiting.id }),
    received: asked.slice(0, 64),
    hint,
  });
}
