/**
 * Kinds of teams that `baton init` can start with: who is in it, what it speaks, how its escalations go up. Data only;
 * `template.ts` writes the file, whose owner then changes it as the work needs.
 * Source: docs/protocol/requirements/README.md; docs/protocol/escalations.md; docs/protocol/authority.md, section 6.
 */

import type { DialectId } from "../message/message.ts";
import type { Department, Level, Role } from "../message/role.ts";
import type { AgentDefinition } from "./definition.ts";

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
    summary: "agents that hand work on by documents: architect, lead, developer, qa",
    dialects: ["bmad/1"],
    chain: ["dev", "lead", "architect", "user"],
    agents: agentsOf(["architect", "lead", "dev", "qa"]),
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
