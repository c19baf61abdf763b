/**
 * Reading what no dialect accepts as it is: with the spellings corrected that agents drift into, or a flat message lifted
 * into the envelope of a typed dialect; and what still is wrong afterwards.
 * Source: docs/protocol/reading.md, section 9.
 */
import type { JsonObject } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import type { Answer, Dialect } from "../dialects/dialect.ts";
import { type Connection, lift } from "./flat-to-envelope.ts";
import type { AcceptedReading } from "./reading.ts";
import { type Repaired, repair } from "./repair.ts";

const noProblems: readonly Problem[] = [];

export type Accepted = Answer & { readonly answer: "accepted" };

export type Invalid = Answer & { readonly answer: "invalid" };

export interface Refusal {
  readonly dialect: Dialect;
  readonly answer: Invalid;
}

/**
 * The refusal with what still is wrong once drifted spellings are corrected, with notes about the corrections;
 * unchanged if correcting removes no error. A rule between fields is only checked once each of them is valid. Of a flat
 * message of a typed dialect, only what the flat form itself lacks is reported: the envelope would be filled in.
 */
export function afterRepair(refusal: Refusal, value: JsonObject, connection: (() => Connection) | undefined): Refusal {
  const { dialect, answer } = refusal;
  const lifted = connection === undefined ? null : lift(dialect, value, connection);
  const inEnvelope = lifted === null ? null : dialect.read(lifted.value);
  if (lifted !== null && inEnvelope?.answer === "invalid") {
    const { type, problems, notes } = inEnvelope;
    return { dialect, answer: { answer: "invalid", type, problems: problems.map(lifted.asSent), notes } };
  }
  const repaired = repair(dialect, value);
  const again = repaired === null ? null : dialect.read(repaired.value);
  if (repaired === null || again?.answer !== "invalid") return refusal;
  const left = new Set(again.problems.filter(({ code }) => code !== "cross-field").map(({ path }) => path));
  if (answer.problems.every(({ path }) => left.has(path))) return refusal;
  return { dialect, answer: { ...again, notes: [...repaired.notes, ...again.notes] } };
}

/**
 * The first reading of a refused value by one of its dialects: lifted into its envelope, or with its spelling
 * corrected.
 */
export function readTolerantly(
  value: JsonObject,
  text: string,
  refusals: readonly Refusal[],
  connection: (() => Connection) | undefined,
): AcceptedReading | null {
  for (const { dialect } of refusals) {
    const reading = readLifted(value, text, dialect, connection) ?? tolerantly(value, text, dialect);
    if (reading !== null) return reading;
  }
  return null;
}

/** The reading with drifted spellings corrected, each noted; null: nothing was drifted, or more is wrong than that. */
export function tolerantly(value: JsonObject, text: string, dialect: Dialect): AcceptedReading | null {
  const repaired = repair(dialect, value);
  return repaired === null ? null : acceptedAs(repaired, text, dialect);
}

/** The reading of a flat message of a typed dialect, lifted into its envelope. */
export function readLifted(
  value: JsonObject,
  text: string,
  dialect: Dialect,
  connection: (() => Connection) | undefined,
): AcceptedReading | null {
  const lifted = connection === undefined ? null : lift(dialect, value, connection);
  return lifted === null ? null : acceptedAs(lifted, text, dialect);
}

function acceptedAs({ value, notes }: Repaired, text: string, dialect: Dialect): AcceptedReading | null {
  const answer = dialect.read(value);
  if (answer.answer !== "accepted") return null;
  return accepted(value, text, dialect, { ...answer, notes: [...notes, ...answer.notes] });
}

export function accepted(value: JsonObject, text: string, dialect: Dialect, answer: Accepted): AcceptedReading {
  return {
    outcome: "accepted",
    rung: dialect.form,
    text,
    dialect: dialect.id,
    type: answer.type,
    wireId: answer.wireId,
    message: value,
    fact: answer.fact,
    problems: noProblems,
    notes: answer.notes,
  };
}
