/**
 * A hub's watch on the repository around its journal: it judges reports soon, completions and the artifacts that
 * messages name, and judges all of them again now and then, because branches move. Git runs in separate processes, so
 * requests do not wait for it. Source: docs/protocol/verdicts.md.
 */
import { systemClock } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import type { Problem } from "../base/problem.ts";
import type { HubLog } from "../doors/http/index.ts";
import type { TaskVerdict } from "../operations/reply.ts";
import { batonActor } from "../runtime/context.ts";
import type { RepositoryPlace } from "../runtime/evidence/gate.ts";
import type { Hub } from "../runtime/hub.ts";

/** How often new reports are looked for, and how often everything is looked at again, in milliseconds. */
const lookMs = 1_000;
const lookAgainMs = 60_000;

/** Judges the reports of `team` until `signal` aborts. What cannot be judged is logged once, and tried again. */
export async function watchReports(
  hub: Hub,
  team: TeamName,
  place: RepositoryPlace,
  log: HubLog,
  signal: AbortSignal,
): Promise<void> {
  const told = new Map<string, string>();
  let head = -1;
  // Where there is no repository, one is looked for now and then, not with every message.
  let isBlind = false;
  let lookedAt = Number.NEGATIVE_INFINITY;
  while (!signal.aborted) {
    const folded = await hub.journal.state(team);
    const seq = folded.ok ? folded.value.head.seq : head;
    const isAgain = systemClock.monotonic() - lookedAt >= lookAgainMs;
    if (isAgain || (seq !== head && !isBlind)) {
      const judged = await judge(hub, team, place, { onlyNew: !isAgain, signal });
      for (const finding of judged) tell(log, told, finding);
      isBlind = judged.some(({ problems }) => problems.some(({ code }) => code === "repository-missing"));
      // What it recorded itself is no news.
      head = seq;
      if (isAgain) lookedAt = systemClock.monotonic();
    }
    await systemClock.wait(lookMs, signal);
  }
}

/** What was found of a completion, or of the artifacts that a message names. */
interface Finding {
  readonly what: "a completion" | "an artifact";
  readonly subject: string;
  readonly state: TaskVerdict["state"];
  readonly problems: readonly Problem[];
}

async function judge(
  hub: Hub,
  name: TeamName,
  place: RepositoryPlace,
  options: { readonly onlyNew: boolean; readonly signal: AbortSignal },
): Promise<readonly Finding[]> {
  if (hub.journal.condition().condition !== "ready") return [];
  const team = await hub.team(name, batonActor);
  // A team without entries has no reports yet.
  if (!team.ok) return [];
  const tasks = await team.value.verify(place, options);
  const artifacts = await team.value.verifyArtifacts(place, options);
  await team.value.inspectRounds(place);
  return [
    ...(tasks.ok ? tasks.value : []).map(
      ({ task, ...found }) => ({ ...found, what: "a completion", subject: task }) as const,
    ),
    ...(artifacts.ok ? artifacts.value : []).map(
      ({ artifacts: paths, ...found }) => ({ ...found, what: "an artifact", subject: paths.join(", ") }) as const,
    ),
  ];
}

/** Says what is new: a subject is named when what is found of it is not what was said last. */
function tell(log: HubLog, told: Map<string, string>, { what, subject, state, problems }: Finding): void {
  const codes = [...new Set(problems.map(({ code }) => code))];
  const words = `${state} ${codes.join()}`;
  const key = `${what} ${subject}`;
  if (told.get(key) === words) return;
  told.set(key, words);
  const facts = { [what === "a completion" ? "task" : "artifacts"]: subject, codes };
  if (state === "disputed" || state === "stale") log.warn(facts, `${what} is ${state}`);
  else log.info(facts, `${what} is ${state}`);
}
