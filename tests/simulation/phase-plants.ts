/** Errors planted into phases, departments and audits. */

import type { Definition, Dialect } from "../../src/messages/dialects/dialect.ts";
import type { Role } from "../../src/messages/role.ts";
import { departments } from "../../src/phases/decide/departments.ts";
import { phases } from "../../src/phases/decide/phase.ts";
import { quality } from "../../src/phases/decide/quality.ts";
import { changed, decides, type Plant } from "./planting.ts";

/** A dialect whose critiques come from other roles. */
function criticised(dialect: Dialect | null, senders: (senders: readonly Role[]) => readonly Role[]): Dialect | null {
  const critique = dialect?.definitionOf("critique") ?? null;
  if (dialect === null || critique === null) return dialect;
  const other: Definition = { ...critique, senders: senders(critique.senders) };
  return {
    ...dialect,
    definitions: new Map([...dialect.definitions, [other.type, other]]),
    definitionOf: (kind) => (kind === "critique" ? other : dialect.definitionOf(kind)),
  };
}

export const phasePlants: readonly Plant[] = [
  {
    problem: "a phase ships with a department that did not pass",
    plant: decides(departments, (decide) => (command, state) => {
      if (command.command !== "sign-off") return decide(command, state);
      const passed = Object.fromEntries(
        command.readiness.needed.map((each) => {
          const known = state.phases.get(command.phase)?.results[each];
          const said = { plansCompleted: 1, plansTotal: 1, qaResult: "PASS", tddCoverage: "", by: "", seq: 0 } as const;
          return [each, { ...said, ...known, result: "PASS", securityResult: "PASS" } as const];
        }),
      );
      return decide(command, { phases: changed(state.phases, (phase) => ({ ...phase, results: passed })) });
    }),
  },
  {
    problem: "the owner's review leaves out a department that has reported",
    plant: decides(departments, (decide) => (command, state) => {
      if (command.command !== "review-phase") return decide(command, state);
      return decide(command, { phases: changed(state.phases, (phase) => ({ ...phase, results: {} })) });
    }),
  },
  {
    problem: "an agent leaves a department out of a phase",
    plant: decides(departments, (decide) => (command, state) => {
      if (command.command !== "exclude-department") return decide(command, state);
      return decide({ ...command, said: { ...command.said, by: "owner" } }, state);
    }),
  },
  {
    problem: "an agent lifts a failed audit",
    plant: decides(quality, (decide) => (command, state) => {
      if (command.command !== "lift-stop") return decide(command, state);
      return decide({ ...command, said: { ...command.said, by: "owner" } }, state);
    }),
  },
  {
    problem: "a failed audit stops nothing",
    plant: decides(quality, (decide) => (command, state) => {
      const decided = decide(command, state);
      if (!decided.ok) return decided;
      const events = decided.value.events.filter(({ event }) => event !== "security-stopped");
      return { ok: true, value: { ...decided.value, events } };
    }),
  },
  {
    problem: "a phase ends while its steps are open",
    plant: decides(
      phases,
      (decide) => (command, state) =>
        decide(command.command === "end-phase" ? { ...command, open: [] } : command, state),
    ),
  },
  {
    problem: "an ended phase goes on",
    plant: decides(phases, (decide) => (command, state) => {
      return decide(command, { ...state, parts: changed(state.parts, (part) => ({ ...part, ended: null })) });
    }),
  },
  {
    problem: "a step skips itself although somebody can do it",
    plant: () => ({
      context: (context) => ({ ...context, dialectOf: (id) => criticised(context.dialectOf(id), () => []) }),
    }),
  },
  {
    problem: "a step that nobody can do stays open",
    plant: () => ({
      context: (context) => ({
        ...context,
        dialectOf: (id) => criticised(context.dialectOf(id), (senders) => [...senders, "dev"]),
      }),
    }),
  },
];
