/**
 * Errors that give agents rights, planted into the product for the search of `gains.ts`: into a decider, or into the source
 * of a rule before it is loaded, in a process of its own.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { approvals } from "../../src/approvals/decide/approvals.ts";
import { escalations } from "../../src/escalations/decide/escalations.ts";
import { departments } from "../../src/phases/decide/departments.ts";
import type { TeamKindName } from "../../src/team/state/kinds.ts";
import { decides } from "../simulation/planting.ts";
import { searchGains, type Try } from "./gains.ts";

/** A place of a source file below `src` that is there once, and what is there instead. */
export interface SourceProblem {
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
}

interface GainPlant {
  readonly problem: string;
  /** The team and the length of the sequences in which it is found. */
  readonly kind: TeamKindName;
  /** Operations that have happened already, so that the short search is short. */
  readonly from: readonly Try[];
  readonly depth: number;
  /** The source to change, or how the error gets into a decider and out again. */
  readonly plant: SourceProblem | (() => { remove?(): void });
}

/** The first gain that the search finds with the error in the product, in words; none: it finds nothing. */
export async function searchPlanted({ kind, from, depth, plant }: GainPlant): Promise<readonly string[]> {
  if (typeof plant === "function") {
    const planted = plant();
    try {
      return (await searchGains(kind, { from, depth, gainsMax: 1 })).gains;
    } finally {
      planted.remove?.();
    }
  }
  const asked = JSON.stringify({ problem: plant, kind, from, depth });
  const search = join(import.meta.dirname, "planted-search.ts");
  const { stdout } = await promisify(execFile)(process.execPath, [search, asked]);
  // Printed by `planted-search.ts`.
  return JSON.parse(stdout) as readonly string[];
}

/** The lead makes a developer a senior, which is its right. */
const madeSenior: readonly Try[] = [
  { agent: "lead-1", kind: "retire", about: "dev-1" },
  { agent: "lead-1", kind: "register", about: "dev-1", role: "senior" },
];

export const gainPlants: readonly GainPlant[] = [
  {
    problem: "agents register and retire whom they like",
    kind: "yolo-departments",
    from: [],
    depth: 1,
    plant: {
      file: "messages/authority/roster-rights.ts",
      right: 'if (principal.agent === ownerName) return null;\n  if (principal.role !== "lead") {',
      wrong: 'if (principal.agent !== "") return null;\n  if (principal.role !== "lead") {',
    },
  },
  {
    problem: "a lead brings back whom the person retired",
    kind: "yolo",
    from: [],
    depth: 1,
    plant: {
      file: "messages/authority/roster-rights.ts",
      right: 'principal.agent === ownerName || member?.status !== "retired"',
      wrong: 'principal.role === "lead" || member?.status !== "retired"',
    },
  },
  {
    problem: "an agent owner narrows a failed department away",
    kind: "yolo-departments",
    from: [],
    depth: 1,
    plant: decides(departments, (decide) => (command, state) => {
      if (command.command !== "review-phase") return decide(command, state);
      return decide(command, { ...state, phases: new Map() });
    }),
  },
  {
    problem: "advisers decide what waits for the senior",
    kind: "yolo",
    from: [],
    depth: 1,
    plant: decides(escalations, (decide) => (command, state) => {
      if (command.command !== "resolve" || command.level !== null) return decide(command, state);
      return decide({ ...command, level: "senior" }, state);
    }),
  },
  {
    problem: "a developer that became a senior decides its own escalation",
    kind: "yolo",
    from: madeSenior,
    depth: 3,
    plant: decides(escalations, (decide) => (command, state) => {
      if (command.command !== "resolve") return decide(command, state);
      return decide({ ...command, agent: `not ${command.agent}`, registrars: [] }, state);
    }),
  },
  {
    problem: "a developer that became a senior approves its own code",
    kind: "yolo",
    from: madeSenior,
    depth: 3,
    plant: {
      file: "phases/decide/phase-judges.ts",
      right: 'return problemIn(agent, place === undefined ? [] : [place], setting, "$.body.planId");',
      wrong: "return null;",
    },
  },
  {
    problem: "who asked answers itself",
    kind: "vbw",
    from: [],
    depth: 1,
    plant: decides(approvals, (decide) => (command, state) => {
      if (command.command !== "answer-request") return decide(command, state);
      return decide({ ...command, answerer: `not ${command.answerer}`, registrars: [] }, state);
    }),
  },
  {
    problem: "a lead reassigns a task of another department",
    kind: "yolo-departments",
    from: [],
    depth: 1,
    plant: {
      file: "tasks/handlers/reassignment.ts",
      right: "if (leadsTasks(by)) return foreignDepartmentProblem(state, by, agents);",
      wrong: "if (leadsTasks(by)) return null;",
    },
  },
  {
    problem: "an agent that does not lead reassigns a task to itself",
    kind: "vbw",
    from: [],
    depth: 1,
    plant: {
      file: "tasks/handlers/reassignment.ts",
      right: 'return agent === ownerName || role === "lead";',
      wrong: 'return agent === ownerName || role !== "";',
    },
  },
];
