/**
 * Kinds of teams that `baton init` can start with: who is in it, what it speaks, how its escalations go up; and the text of
 * the file, whose owner then changes it as the work needs.
 * Source: tests/requirements; docs/protocol/asking.md, sections 5 to 10; docs/protocol/authority.md, section 6.
 */
import type { DialectId } from "../../messages/message.ts";
import { type Department, departments, type Level, levels, type Role, roles } from "../../messages/role.ts";
import {
  type AgentDefinition,
  type ClaimsRule,
  type NameRule,
  type PlanningFolder,
  type Policy,
  type ScopeRule,
  type TeamLanding,
  type TeamLimits,
  type TeamMode,
  teamLimits,
} from "./definition.ts";
import { teamSchemaId } from "./team-schema.ts";

/** What a team of some kind starts with. */
export interface TeamKind {
  /** One line for people who choose. */
  readonly summary: string;
  readonly dialects: readonly [DialectId, ...DialectId[]];
  readonly chain: readonly Level[];
  readonly agents: readonly AgentDefinition[];
}

/** Agents of these roles, each called after its role. */
function agentsOf(roles: readonly Role[], department?: Department): readonly AgentDefinition[] {
  return roles.map((role) => {
    const name = department === undefined || department === "shared" ? role : `${department}-${role}`;
    return { agent: `${name}-1`, role, ...(department === undefined ? {} : { department }) };
  });
}

/** Who works on one thing of the second family: it is designed, specified, tested, built and looked at. */
const crew = ["architect", "lead", "senior", "tester", "dev"] as const;
const gates = ["qa-lead", "qa-code"] as const;
const advisers = ["critic", "scout", "debugger", "security"] as const;

/** Every kind by the name that `baton init --kind` takes, the smallest first. */
export const teamKinds = {
  solo: {
    summary: "one developer and the lead it reports to; you decide the rest",
    dialects: ["vbw/2"],
    chain: ["dev", "lead", "user"],
    agents: agentsOf(["lead", "dev"]),
  },
  vbw: {
    summary: "a lead, an architect, two developers, with scout, debugger and qa",
    dialects: ["vbw/2", "vbw/1"],
    chain: ["dev", "lead", "architect", "user"],
    agents: [
      ...agentsOf(["lead", "architect", "dev"]),
      { agent: "dev-2", role: "dev" },
      ...agentsOf(["qa", "scout", "debugger"]),
    ],
  },
  yolo: {
    summary: "one department: architect to developer, with a senior, a tester, gates and advisers",
    dialects: ["yolo/1", "yolo/2"],
    chain: ["dev", "senior", "lead", "architect", "user"],
    agents: [...agentsOf(crew), { agent: "dev-2", role: "dev" }, ...agentsOf([...gates, ...advisers])],
  },
  "yolo-departments": {
    summary: "backend, frontend and uiux under one owner, with advisers that all of them share",
    dialects: ["yolo/1", "yolo/2"],
    chain: ["dev", "senior", "lead", "architect", "owner", "user"],
    agents: [
      { agent: "owner-1", role: "owner", department: "owner" },
      ...agentsOf([...crew, ...gates], "backend"),
      ...agentsOf([...crew, ...gates], "frontend"),
      ...agentsOf([...crew, ...gates], "uiux"),
      ...agentsOf(advisers, "shared"),
    ],
  },
  bmad: {
    summary: "agents that hand work on by documents, called as BMAD calls them: sm, pm, po, analyst, dev, qa ...",
    dialects: ["bmad/1"],
    chain: ["dev", "lead", "architect", "user"],
    // Documents name them by these words, and a document's receiver is an agent's name.
    agents: [
      { agent: "sm", role: "lead" },
      { agent: "pm", role: "lead" },
      { agent: "po", role: "lead" },
      { agent: "architect", role: "architect" },
      { agent: "ux-expert", role: "architect" },
      { agent: "dev", role: "dev" },
      { agent: "qa", role: "qa" },
      { agent: "analyst", role: "scout" },
    ],
  },
} as const satisfies { readonly [kind: string]: TeamKind };

/** The name of a kind of team that `createTeam` and `baton init --kind` start with. */
export type TeamKindName = keyof typeof teamKinds;

/** Their names, in order. */
export const teamKindNames = Object.keys(teamKinds) as readonly TeamKindName[]; // The table's own keys.

/** Whether `word` names a kind. */
export function isTeamKind(word: string): word is TeamKindName {
  return Object.hasOwn(teamKinds, word);
}

/* The text of a new `.baton/team.yaml`, commented for the one who edits it next. */

/** What a new file sets that it usually shows as a comment; absent: as usual. */
export interface TemplateSettings {
  readonly policy?: Policy;
  readonly teamMode?: TeamMode;
  readonly claims?: ClaimsRule;
  readonly scope?: ScopeRule;
  readonly planning?: PlanningFolder;
  readonly main?: string;
  readonly land?: TeamLanding;
  /** Commands that work must pass. */
  readonly checks?: readonly string[];
  readonly names?: readonly NameRule[];
  readonly limits?: TeamLimits;
}

interface TemplateOptions {
  readonly name: string;
  /** At least one; the first is the default of agents. */
  readonly dialects: readonly [DialectId, ...DialectId[]];
  /** A type of the first dialect, by which the file shows how a type gets further receivers. */
  readonly reportType: string;
  /** None: the file shows how one would be written. */
  readonly agents?: readonly AgentDefinition[];
  /** Absent: the file shows how one would be written. */
  readonly chain?: readonly Level[];
  /** What kind of team it is, in words. */
  readonly about?: string;
  readonly settings?: TemplateSettings;
}

/** A team file that `readTeamFile` reads as exactly these options. Ends with a line feed. */
export function teamTemplate(options: TemplateOptions): string {
  const { name, dialects, reportType, agents = [], chain, about, settings = {} } = options;
  const {
    policy = "enforce",
    teamMode = "teammate",
    claims,
    scope,
    planning,
    main,
    land,
    checks,
    names = [],
  } = settings;
  const [first] = dialects;
  return `# The team as Baton knows it.
${
  about === undefined
    ? ""
    : `# ${about}.
`
}# A running hub sees each change of this file within seconds, else the next command does. What gives somebody more takes
# effect when you confirm it: \`baton team\` shows it. A change with an error is refused with its line and column.
version: 1
$schema: ${teamSchemaId}
team: ${quoted(name)}

# The wire formats of this team, in the order they are tried. The first one is the default of agents.
dialects: [${dialects.join(", ")}]

# enforce: a message with an error is refused, and its sender gets the reasons.
# observe: the error is recorded and the message delivered.
policy: ${policy}

# JSON that does not parse. refuse: the sender gets the reason. prose: delivered with a note, without effect.
# Missing: refuse under enforce, prose under observe.
# broken_json: refuse

# teammate: developers claim tasks themselves. task: a lead hands them out.
team_mode: ${teamMode}

# declared: a developer claims a task before it edits. edits: the first edit of a file that nobody holds takes it.
# Missing: edits where no dialect above has a claim message (yolo/1 has one), else declared.
${claims === undefined ? "# claims: declared" : `claims: ${claims}`}

# Files of a task that its holder did not name. strict: nothing else is edited. advisory: a forecast; more is noted.
# Missing: advisory where no dialect above has a claim message, else strict.
${scope === undefined ? "# scope: strict" : `scope: ${scope}`}

# The planning folder of another tool that a hub keeps in step with what the team does.
${planning === undefined ? "# planning: .vbw-planning" : `planning: ${planning}`}

# The branch on which work has landed. Missing: the one of origin, else main or master.
${main === undefined ? "# main: develop" : `main: ${quoted(main)}`}

# Commands that must pass on exactly what would land. They run in a sandbox.
${checks === undefined ? "# checks: {commands: [npm test]}" : `checks: {commands: [${checks.map(quoted).join(", ")}]}`}

# auto: a hub lands verified work by itself, on the branch baton/MAIN. ask: you are asked. Missing: baton land does.
${land === undefined ? "# land: {when: auto}" : `land: {when: ${land.when}}`}

# Files that several agents edit. Lock files and changelogs always are such files.
# shared: [docs/index.md]

# The levels that an escalation goes up, lowest first; an empty one is skipped. The last is you.
# Missing: as the dialect and the departments have it. All there are: ${levels.join(", ")}.
${chain === undefined ? "# chain: [dev, lead, architect, user]" : `chain: [${chain.join(", ")}]`}

# Who is in the team. Agents may also join by \`baton agent register dev-2 --role dev\`. The name "owner" is yours.
${wrapped("Roles", roles)}
${wrapped("Departments", departments)}
agents:
${agentLines(agents)}  # dev-9: {role: dev, department: backend, dialect: ${first}}

# Lets further roles receive a type of message.
routing:
  # - {dialect: ${first}, type: ${reportType}, receivers: [qa]}

# Agents that pass on what you decide, with resolved_by: "user" (docs/protocol/authority.md, sections 17 to 20).
# speakers: [orchestrator-1]

# Which agents may join by their names alone, as what, and how many.
names:
${ruleLines(names)}  # - {pattern: "dev-*", role: dev, max: 8}

# What the team sets for itself. Each line shows what holds while it is a comment.
limits:
${limitLines(settings.limits ?? {})}`;
}

/** Agents a line each; those of a department are together under its name. */
function agentLines(agents: readonly AgentDefinition[]): string {
  let last: Department | undefined;
  const lines = agents.map((agent) => {
    const heading = agent.department === undefined || agent.department === last ? "" : `  # ${agent.department}\n`;
    last = agent.department;
    return `${heading}${agentLine(agent)}\n`;
  });
  return lines.join("");
}

function agentLine({ agent, role, department, dialect, program }: AgentDefinition): string {
  const facts = [
    `role: ${role}`,
    ...(department === undefined ? [] : [`department: ${department}`]),
    ...(dialect === undefined ? [] : [`dialect: ${dialect}`]),
    ...(program === undefined ? [] : [`program: ${program}`]),
  ];
  return `  ${quoted(agent)}: {${facts.join(", ")}}`;
}

/** Each limit with what it is for: set, or as a comment. */
function limitLines(limits: TeamLimits): string {
  return teamLimits
    .map(({ key, field, otherwise, says }) => {
      const limit = limits[field];
      return `  # ${says}\n  ${limit === undefined ? `# ${key}: ${otherwise}` : `${key}: ${limit}`}\n`;
    })
    .join("");
}

function ruleLines(names: readonly NameRule[]): string {
  return names.map((rule) => `  - ${ruleLine(rule)}\n`).join("");
}

function ruleLine({ pattern, role, department, dialect, max }: NameRule): string {
  const place = department === undefined ? "" : `, department: ${department}`;
  return `{pattern: ${JSON.stringify(pattern)}, role: ${role}${place}${dialect === undefined ? "" : `, dialect: ${dialect}`}, max: ${max}}`;
}

/** A comment that lists words, broken before it is too long to read. */
function wrapped(heading: string, words: readonly string[]): string {
  const lines = [`# ${heading}:`];
  words.forEach((word, at) => {
    const part = ` ${word}${at === words.length - 1 ? "." : ","}`;
    const last = lines.at(-1) ?? "";
    if (last.length + part.length <= 118) lines[lines.length - 1] = last + part;
    else lines.push(`#  ${part}`);
  });
  return lines.join("\n");
}

/** Names such as `123`, `null` or `1e3` would not be text without quotes. */
function quoted(name: string): string {
  return /^[a-z][a-z-]*[0-9]*$/.test(name) && !/^(?:null|true|false)$/.test(name) ? name : JSON.stringify(name);
}
