/**
 * Work held against git, for a hub's team: what was reported is judged by the hub, beside whose journal the repository
 * lies; what is about to be committed is judged here, where its files are, by what the hub says that agents may change.
 */

import type { Scope } from "../../../base/paths/scope.ts";
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { AgentStanding, WorkInHand } from "../../../evidence/gate.ts";
import { type CheckRecord, type TaskVerdict, verdictStates } from "../../../operations/task-verdict.ts";
import type { ArtifactVerdict } from "../../../runtime/evidence/artifact-verdicts.ts";
import { type AskStandings, configuredAgent, judgeRange, judgeStaged } from "../../../runtime/evidence/gate.ts";
import type { RepositoryWork } from "../../../runtime/evidence/repository-work.ts";
import { note, problem } from "./client-answers.ts";
import type { Asked } from "./client-caller.ts";
import { count, flag, hash, list, nullable, object, oneOf, optional, text } from "./client-shape.ts";
import { artifactFields } from "./client-status-answers.ts";

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
  others: list(object<AgentStanding["others"][number]>({ holder: text, task: text, files: list(text) })),
});
const standings = object<{ standings: readonly AgentStanding[] }>({ standings: list(standing) });

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
    configuredAgent,
    judgeStaged: (place, agent) => judgeStaged(ask, place, agent),
    judgeRange: (place, range, who) => judgeRange(ask, place, range, who),
  };
}
