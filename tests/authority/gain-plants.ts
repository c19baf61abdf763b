/** Errors that give agents rights, planted into the core for the search of `gains.ts`. */
import { approvals } from "../../src/coordination/approvals/approvals.ts";
import { escalations } from "../../src/coordination/escalations/escalations.ts";
import { departments } from "../../src/coordination/phases/departments/departments.ts";
import type { TeamKindName } from "../../src/team/kinds.ts";
import { decides } from "../simulation/planting.ts";
import { type Reach, reachTeam, type Try } from "./gains.ts";

interface GainPlant {
  readonly fault: string;
  /** The team and the length of the sequences in which it is found. */
  readonly kind: TeamKindName;
  /** Operations that have happened already, so that the short search is short. */
  readonly from: readonly Try[];
  readonly depth: number;
  plant(): { readonly reach?: Reach; remove?(): void };
}

/** Agents change the roster as if they were the person. */
const anybodyRegisters: Reach = (team, one) =>
  reachTeam(team, one.kind === "register" || one.kind === "retire" ? { ...one, agent: "owner" } : one);

/** What a lead says of who has left counts as the person's word. */
const leadsWordCounts: Reach = (team, one) =>
  reachTeam(
    team,
    one.kind === "register" && one.about === "gone-1" && one.agent === "lead-1" ? { ...one, agent: "owner" } : one,
  );

/** A lead moves every task, as the person does. */
const anyLeadMoves: Reach = (team, one) =>
  reachTeam(team, one.kind === "reassign" && one.agent.includes("lead") ? { ...one, agent: "owner" } : one);

/** Whoever asks for a task gets it. */
const anybodyMoves: Reach = (team, one) => reachTeam(team, one.kind === "reassign" ? { ...one, agent: "owner" } : one);

/** The lead makes a developer a senior, which is its right. */
const madeSenior: readonly Try[] = [
  { agent: "lead-1", kind: "retire", about: "dev-1" },
  { agent: "lead-1", kind: "register", about: "dev-1", role: "senior" },
];

/** Nobody looks at who judges: any judgement counts as if a senior without a past had given it. */
const anybodyJudges: Reach = (team, one) =>
  reachTeam(team, one.kind === "review" && one.agent === "dev-1" ? { ...one, agent: "senior-1" } : one);

export const gainPlants: readonly GainPlant[] = [
  {
    fault: "agents register and retire whom they like",
    kind: "yolo-departments",
    from: [],
    depth: 1,
    plant: () => ({ reach: anybodyRegisters }),
  },
  {
    fault: "a lead brings back whom the person retired",
    kind: "yolo",
    from: [],
    depth: 1,
    plant: () => ({ reach: leadsWordCounts }),
  },
  {
    fault: "an agent owner narrows a failed department away",
    kind: "yolo-departments",
    from: [],
    depth: 1,
    plant: decides(departments, (decide) => (command, state) => {
      if (command.command !== "review-phase") return decide(command, state);
      return decide(command, { ...state, phases: new Map() });
    }),
  },
  {
    fault: "advisers decide what waits for the senior",
    kind: "yolo",
    from: [],
    depth: 1,
    plant: decides(escalations, (decide) => (command, state) => {
      if (command.command !== "resolve" || command.level !== null) return decide(command, state);
      return decide({ ...command, level: "senior" }, state);
    }),
  },
  {
    fault: "a developer that became a senior decides its own escalation",
    kind: "yolo",
    from: madeSenior,
    depth: 3,
    plant: decides(escalations, (decide) => (command, state) => {
      if (command.command !== "resolve") return decide(command, state);
      return decide({ ...command, agent: `not ${command.agent}`, registrars: [] }, state);
    }),
  },
  {
    fault: "a developer that became a senior approves its own code",
    kind: "yolo",
    from: madeSenior,
    depth: 3,
    plant: () => ({ reach: anybodyJudges }),
  },
  {
    fault: "who asked answers itself",
    kind: "vbw",
    from: [],
    depth: 1,
    plant: decides(approvals, (decide) => (command, state) => {
      if (command.command !== "answer-request") return decide(command, state);
      return decide({ ...command, answerer: `not ${command.answerer}`, registrars: [] }, state);
    }),
  },
  {
    fault: "a lead reassigns a task of another department",
    kind: "yolo-departments",
    from: [],
    depth: 1,
    plant: () => ({ reach: anyLeadMoves }),
  },
  {
    fault: "an agent that does not lead reassigns a task to itself",
    kind: "vbw",
    from: [],
    depth: 1,
    plant: () => ({ reach: anybodyMoves }),
  },
];
