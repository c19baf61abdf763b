/** What a hub says of a team and its agents, as its JSON must look: status, definition, attendance. */
import type { Json } from "../../../base/json.ts";
import type { ArtifactView } from "../../../coordination/artifacts/artifact-view.ts";
import { breakerStates } from "../../../coordination/health/breakers.ts";
import { healthStates } from "../../../coordination/health/health.ts";
import { partStandings } from "../../../coordination/phases/phase-part-view.ts";
import type { PhaseGlance } from "../../../coordination/phases/phase-view.ts";
import { phaseSteps } from "../../../coordination/phases/steps/phase-steps.ts";
import type { Marks } from "../../../journal/journal.ts";
import { levels } from "../../../message/level.ts";
import type { OwnMessage } from "../../../message/own-message.ts";
import { departments, workDepartments } from "../../../message/role.ts";
import type { BreakerView } from "../../../operations/breakers.ts";
import type { Attendance } from "../../../runtime/team/programs.ts";
import type { AgentStatus, ProposalView, TeamStatus } from "../../../runtime/team/team-status.ts";
import { readSubset } from "../../../schema/subset-read.ts";
import type { TeamDefinition } from "../../../team/definition.ts";
import { brokenJsonRules, teamModes } from "../../../team/definition.ts";
import type { RevisionChange } from "../../../team/revision-changes.ts";
import { dialect, head, json, problem, role } from "./client-answers.ts";
import {
  count,
  flag,
  list,
  nullable,
  object,
  oneOf,
  opaque,
  optional,
  recordOfAll,
  text,
  word,
} from "./client-shape.ts";

const breaker = object<BreakerView>({
  department: oneOf([...departments, "team"]),
  state: oneOf(breakerStates),
  failures: count,
  openedAt: nullable(text),
  lastProbeAt: nullable(text),
  probe: nullable(text),
  until: nullable(text),
  spawn: oneOf(teamModes),
});

const phaseGlance = object<PhaseGlance>({
  phase: text,
  department: nullable(oneOf(workDepartments)),
  standing: oneOf(partStandings),
  hasFindings: flag,
  step: nullable(oneOf(phaseSteps)),
  plansComplete: count,
  plansTotal: count,
  percentComplete: count,
  unverified: count,
  eta: nullable(text),
  blockers: list(text),
});

/** How often whoever attends is to show itself. */
export const attendance = object<Attendance>({ everyMs: count });

const agent = object<AgentStatus>({
  agent: text,
  role,
  department: optional(oneOf(departments)),
  dialect,
  source: oneOf(["file", "command"]),
  status: oneOf(["active", "retired"]),
  session: count,
  unread: count,
  marks: object<Marks>({ offered: count, seen: count }),
  acknowledged: count,
  mode: optional(oneOf(teamModes)),
  health: oneOf(healthStates),
  lastSeenAt: nullable(word),
  registrars: optional(list(text)),
  retiredBy: optional(text),
});

/** A message type of the team's own; one whose schema this build cannot check by makes the answer none of ours. */
const ownMessage = object<OwnMessage>({
  type: text,
  summary: text,
  senders: list(role),
  receivers: list(role),
  schema: (value): value is Json => json(value) && readSubset(value).faults.length === 0,
  example: opaque(),
});

const definition = object<TeamDefinition>({
  name: text,
  dialects: list(dialect),
  policy: oneOf(["enforce", "observe"]),
  brokenJson: optional(oneOf(brokenJsonRules)),
  teamMode: optional(oneOf(["teammate", "task"])),
  chain: optional(list(oneOf(levels))),
  agents: list(opaque()),
  routing: list(opaque()),
  limits: opaque(),
  messages: optional(list(ownMessage)),
  names: optional(list(opaque())),
  speakers: optional(list(text)),
});

export const artifactFields = {
  seq: count,
  type: text,
  sender: text,
  plan: nullable(text),
  artifacts: list(text),
  state: oneOf(["reported", "verified", "disputed"]),
  problems: list(problem),
};

const artifactView = object<ArtifactView>(artifactFields);

const proposal = object<ProposalView>({
  id: word,
  status: oneOf(["waiting", "declined"]),
  reason: nullable(text),
  changes: list(object<RevisionChange>({ place: text, before: nullable(text), after: nullable(text), waits: flag })),
});

export const teamStatus = object<TeamStatus>({
  team: text,
  definition: nullable(definition),
  revision: count,
  proposal: nullable(proposal),
  head,
  journal: oneOf(["ready", "regressed", "failed"]),
  counts: recordOfAll(count),
  agents: list(agent),
  openApprovals: count,
  overBudget: list(text),
  breakers: list(breaker),
  contracts: count,
  tasks: recordOfAll(count),
  unverified: object<TeamStatus["unverified"]>({ awaited: count, unavailable: count }),
  disputedArtifacts: list(artifactView),
  phases: list(phaseGlance),
});
