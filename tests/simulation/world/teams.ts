/** Teams that a simulation may have: of both families, in one or two revisions, with and without departments. */
import type { DialectId } from "../../../src/messages/message.ts";
import type { Department, Role } from "../../../src/messages/role.ts";
import type { AgentDefinition, TeamDefinition, TeamMode } from "../../../src/team/state/definition.ts";
import { type Chance, weighted } from "./chance.ts";

/** The name of every simulated team. */
export const simulatedTeamName = "simulated";

/** A team by chance. */
export function someTeam(chance: Chance): TeamDefinition {
  const shape = weighted(chance, [
    [4, vbwTeam],
    [3, yoloTeam],
    [4, departmentsTeam],
  ] as const);
  const { dialects, agents, teamMode } = shape(chance);
  const documents: readonly DialectId[] = chance.happens(0.6) ? ["bmad/1"] : [];
  return {
    name: simulatedTeamName,
    dialects: [...dialects, ...documents],
    policy: chance.happens(0.12) ? "observe" : "enforce",
    ...(teamMode === undefined ? {} : { teamMode }),
    // The models of work know declared claims; edits have their own table of sequences (tests/runtime/edit-claims).
    claims: "declared",
    scope: "strict",
    agents: agents.map(
      ([agent, role, department]): AgentDefinition => ({
        agent,
        role,
        dialect: chance.pick(dialects),
        ...(department === undefined ? {} : { department }),
      }),
    ),
    routing: [],
    limits: {
      leaseSeconds: chance.pick([30, 60, 120, 300]),
      ...(chance.happens(0.5) ? { escalationSeconds: chance.pick([60, 120, 300]) } : {}),
    },
  };
}

type Place = readonly [agent: string, role: Role, department?: Department];

interface Shape {
  readonly dialects: readonly DialectId[];
  readonly agents: readonly Place[];
  readonly teamMode?: TeamMode;
}

function vbwTeam(chance: Chance): Shape {
  const optional: readonly Place[] = [
    ["architect-1", "architect"],
    ["qa-1", "qa"],
    ["scout-1", "scout"],
    ["docs-1", "docs"],
    ["debugger-1", "debugger"],
  ];
  return {
    dialects: chance.pick([["vbw/2"], ["vbw/2"], ["vbw/2", "vbw/1"]]),
    agents: [["lead-1", "lead"], ...developers(chance, ""), ...optional.filter(() => chance.happens(0.5))],
  };
}

function yoloTeam(chance: Chance): Shape {
  const optional: readonly Place[] = [
    ["architect-1", "architect"],
    ["tester-1", "tester"],
    ["qa-lead-1", "qa-lead"],
    ["security-1", "security"],
  ];
  return {
    dialects: chance.pick([["yolo/1"], ["yolo/2"], ["yolo/1", "yolo/2"]]),
    agents: [
      ["lead-1", "lead"],
      ["senior-1", "senior"],
      ...developers(chance, ""),
      ...optional.filter(() => chance.happens(0.5)),
    ],
    ...(chance.happens(0.2) ? { teamMode: "task" as const } : {}),
  };
}

function departmentsTeam(chance: Chance): Shape {
  const ofDepartment = (department: Department, letter: string): readonly Place[] => [
    [`lead-${letter}`, "lead", department],
    [`senior-${letter}`, "senior", department],
    ...developers(chance, letter, department),
  ];
  return {
    dialects: chance.pick([["yolo/1"], ["yolo/1", "yolo/2"]]),
    agents: [
      ...ofDepartment("backend", "b"),
      ...ofDepartment("frontend", "f"),
      ...(chance.happens(0.7) ? ([["architect-1", "architect"]] as const) : []),
      ...(chance.happens(0.4) ? ([["owner-1", "owner", "owner"]] as const) : []),
      ...(chance.happens(0.4) ? ([["critic-1", "critic", "shared"]] as const) : []),
      ...(chance.happens(0.4) ? ([["security-1", "security", "shared"]] as const) : []),
    ],
  };
}

function developers(chance: Chance, letter: string, department?: Department): readonly Place[] {
  const names = Array.from({ length: chance.between(2, 3) }, (_, index) => `dev-${letter}${index + 1}`);
  return names.map((name): Place => (department === undefined ? [name, "dev"] : [name, "dev", department]));
}
