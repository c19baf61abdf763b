/**
 * Work checked against git, for a hub's team: what was reported is judged by the hub, next to whose journal the
 * repository is; what is about to be committed is judged here, where its files are, by what the hub says that agents
 * may change.
 */

import type { Json } from "../../../base/json.ts";
import type { Scope } from "../../../base/paths/scope.ts";
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { ArtifactView } from "../../../coordination/artifacts/artifacts.ts";
import { breakerStates } from "../../../coordination/health/breakers.ts";
import { healthStates } from "../../../coordination/health/health.ts";
import { partStandings } from "../../../coordination/phases/phase-part-view.ts";
import { phaseSteps } from "../../../coordination/phases/phase-state.ts";
import type { PhaseGlance } from "../../../coordination/phases/phase-view.ts";
import type { EditView } from "../../../coordination/tasks/board.ts";
import type { AgentStanding, OthersHold, WorkInHand } from "../../../evidence/gate.ts";
import type { Marks } from "../../../journal/journal.ts";
import type { OwnMessage } from "../../../message/message.ts";
import { departments, levels, workDepartments } from "../../../message/role.ts";
import type { BreakerView } from "../../../operations/breakers.ts";
import { type CheckRecord, type TaskVerdict, verdictStates } from "../../../operations/reply.ts";
import type { DeliveryState, Lag } from "../../../runtime/delivery/delivery-note.ts";
import type { ArtifactVerdict } from "../../../runtime/evidence/artifact-verdicts.ts";
import type { EditAnswer } from "../../../runtime/evidence/edit-taking.ts";
import { type AskStandings, configuredAgent, judgeRange, judgeStaged } from "../../../runtime/evidence/gate.ts";
import type { RepositoryWork } from "../../../runtime/evidence/repository-work.ts";
import type { Attendance } from "../../../runtime/team/programs.ts";
import type { AgentStatus, ProposalView, TeamStatus } from "../../../runtime/team/team-status.ts";
import { readSubset } from "../../../schema/subset-read.ts";
import { brokenJsonRules, claimsRules, scopeRules, type TeamDefinition, teamModes } from "../../../team/definition.ts";
import type { RevisionChange } from "../../../team/revision-changes.ts";
import {
  count,
  dialect,
  flag,
  hash,
  head,
  json,
  list,
  note,
  nullable,
  object,
  oneOf,
  opaque,
  optional,
  problem,
  recordOfAll,
  role,
  text,
  word,
} from "./client-answers.ts";
import type { Asked } from "./client-caller.ts";

/* What a hub says of a team and its agents, as its JSON must look: status, definition, attendance. */
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

/** How often an attending program sends a heartbeat. */
export const attendance = object<Attendance>({ everyMs: count });

const lag = object<Lag>({ messages: count, p50Ms: count, p95Ms: count });

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
  delivery: object<DeliveryState>({
    context: nullable(text),
    shown: count,
    injected: count,
    told: count,
    lags: object<DeliveryState["lags"]>({
      offered: optional(lag),
      injected: optional(lag),
      seen: optional(lag),
      acknowledged: optional(lag),
    }),
  }),
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
  claims: optional(oneOf(claimsRules)),
  scope: optional(oneOf(scopeRules)),
  shared: optional(list(text)),
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
  edits: list(object<EditView>({ file: text, holder: text, task: nullable(text), isOutside: flag, since: text })),
  disputedArtifacts: list(artifactView),
  phases: list(phaseGlance),
});

const check = object<CheckRecord>({
  check: text,
  exitCode: nullable(count),
  isTimedOut: flag,
  durationMs: count,
  outputDigest: hash,
  outputBytes: count,
});

const taskVerdict = object<TaskVerdict>({
  task: text,
  plan: nullable(text),
  state: oneOf(verdictStates),
  commit: nullable(text),
  commits: list(text),
  problems: list(problem),
  notes: list(note),
  checks: optional(list(check)),
});
const taskVerdicts = object<{ tasks: readonly TaskVerdict[] }>({ tasks: list(taskVerdict) });

const artifactVerdict = object<ArtifactVerdict>({ ...artifactFields, message: nullable(text) });
const artifactVerdicts = object<{ messages: readonly ArtifactVerdict[] }>({ messages: list(artifactVerdict) });

const standing = object<AgentStanding>({
  agent: text,
  mustClaim: flag,
  tasks: list(
    object<WorkInHand>({
      task: text,
      scope: nullable(object<Scope>({ allowed: list(text), forbidden: list(text) })),
      claimed: nullable(list(text)),
    }),
  ),
  others: list(
    object<OthersHold>({
      holder: text,
      task: text,
      files: list(text),
      isEdit: optional(flag),
      since: optional(text),
    }),
  ),
});
const standings = object<{ standings: readonly AgentStanding[] }>({ standings: list(standing) });

const editAnswer = object<EditAnswer>({ problems: list(problem), notes: list(note), taken: list(text) });

/** How much longer than other answers a judgement may take, and how much longer where checks are run, in milliseconds. */
const judgingMs = 5 * 60_000;
const checkingMs = 60 * 60_000;

/** How the team is read: a path under it, and a question. */
interface TeamReading {
  at(...rest: readonly string[]): readonly string[];
  read<Value>(asked: Asked<Value>): Promise<Result<Value, Problem>>;
}

/** What `RepositoryWork` has, by these calls. A place is one of this machine; the hub knows its own. */
export function remoteRepositoryWork({ at, read }: TeamReading): RepositoryWork {
  const asked = { method: "POST", isRead: true, extraMs: judgingMs } as const;
  const ask: AskStandings = async (query) => {
    const found = await read({ method: "GET", path: at("standings"), query: { ...query }, shape: standings });
    return found.ok ? ok(found.value.standings) : found;
  };
  return {
    async verify(_, { tasks, runChecks } = {}) {
      const seconds = runChecks?.msMax === undefined ? {} : { checkSeconds: runChecks.msMax / 1000 };
      const body = JSON.stringify({
        ...(tasks === undefined ? {} : { tasks }),
        ...(runChecks === undefined ? {} : { runChecks: true, ...seconds }),
      });
      // Checks that were begun are not begun a second time.
      const once = runChecks === undefined ? {} : { extraMs: checkingMs, retriesMax: 0 };
      const found = await read({ ...asked, ...once, path: at("verify"), body, shape: taskVerdicts });
      return found.ok ? ok(found.value.tasks) : found;
    },
    async verifyArtifacts() {
      const found = await read({ ...asked, path: at("verify", "artifacts"), body: "{}", shape: artifactVerdicts });
      return found.ok ? ok(found.value.messages) : found;
    },
    // The hub looks by itself, where its repository is.
    inspectRounds: () => Promise.resolve(ok(0)),
    standings: ask,
    editFiles: (files) =>
      read({ method: "POST", isRead: true, path: at("edits"), body: JSON.stringify({ files }), shape: editAnswer }),
    configuredAgent,
    judgeStaged: (place, agent) => judgeStaged(ask, place, agent),
    judgeRange: (place, range, who) => judgeRange(ask, place, range, who),
  };
}
