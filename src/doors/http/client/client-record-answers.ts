/** What a hub says of its journal and of who asks, as its JSON must look. */
import type { TeamName } from "../../../base/ids.ts";
import type { JournalCondition, VerifyReport } from "../../../journal/journal.ts";
import type { StatsJson } from "../../../runtime/record/journal-stats.ts";
import { durability, head, problem, team } from "./client-answers.ts";
import { count, flag, list, nullable, object, oneOf, optional, type Shape, text } from "./client-shape.ts";

/** The journal's condition; absent from a hub that does not say. */
export const condition: Shape<JournalCondition> = (value): value is JournalCondition =>
  object<Extract<JournalCondition, { condition: "ready" }>>({ condition: oneOf(["ready"]) })(value) ||
  object<Extract<JournalCondition, { condition: "regressed" }>>({
    condition: oneOf(["regressed"]),
    team,
    head,
    anchor: head,
  })(value) ||
  object<Extract<JournalCondition, { condition: "failed" }>>({ condition: oneOf(["failed"]), problem })(value);

/** Who the hub says the caller is. */
export const callerSession = object<{
  agent: string;
  team: TeamName | null;
  teams: readonly TeamName[];
  journal?: JournalCondition;
}>({ agent: text, team: nullable(team), teams: list(team), journal: optional(condition) });

const teamHead = object<VerifyReport["teams"][number]>({ team, entries: count, head });

export const verifyReport = object<VerifyReport>({ ok: flag, teams: list(teamHead), problems: list(problem) });

export const recordStats = object<StatsJson>({
  path: text,
  bytes: nullable(count),
  teams: list(teamHead),
  // Absent from a hub of before.
  search: optional(
    object<NonNullable<StatsJson["search"]>>({ bytes: count, teams: list(object({ team, indexed: count })) }),
  ),
  condition: oneOf(["ready", "regressed", "failed"]),
  abilities: object<StatsJson["abilities"]>({ durability, shared: flag, persistent: flag }),
});
