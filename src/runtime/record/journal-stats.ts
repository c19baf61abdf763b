/** A journal's sizes and counts with its condition, as a person or a program asks for them, and their JSON. */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Durability } from "../../journal/entry.ts";
import type { EngineFacts, Journal, JournalCondition, JournalStats } from "../../journal/journal.ts";

/** Sizes and counts, whether it may be written, and what the engine promises. */
export interface RecordStats extends JournalStats {
  readonly condition: JournalCondition["condition"];
  readonly abilities: {
    readonly durability: Durability;
    /** Whether several processes may have it open at once. */
    readonly shared: boolean;
    readonly persistent: boolean;
  };
}

/** The stats as one JSON object, over HTTP and of `--json`: the engine's facts are members next to the sizes. */
export interface StatsJson extends Omit<RecordStats, "place" | "engine"> {
  readonly path: string;
}

/** The journal's sizes with its condition. */
export async function recordStats(journal: Journal<unknown>): Promise<Result<RecordStats, Problem>> {
  const stats = await journal.stats();
  if (!stats.ok) return stats;
  const { durability, reach, persistent } = journal.abilities;
  const abilities = { durability, shared: reach !== "process", persistent };
  return ok({ ...stats.value, condition: journal.condition().condition, abilities });
}

/** The stats as JSON. */
export function statsJson({ place, bytes, engine, ...rest }: RecordStats): StatsJson {
  return { path: place, bytes, ...engine, ...rest };
}

/** The stats of their JSON; every member of a kind that a fact has, and that is not the journal's, is the engine's. */
export function statsOfJson({ path, bytes, teams, search, condition, abilities, ...rest }: StatsJson): RecordStats {
  const facts = Object.entries<unknown>(rest).filter(
    (fact): fact is [string, EngineFacts[string]] => !["object", "undefined"].includes(typeof fact[1]),
  );
  const searched = search === undefined ? {} : { search };
  return { place: path, bytes, teams, ...searched, engine: Object.fromEntries(facts), condition, abilities };
}
