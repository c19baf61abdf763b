/**
 * The campaign of mutants: what each mode of reading makes of each, what an independent validator says, and which of
 * these answers are wrong. A reader comes in as a value, so that planted ones can be tried.
 */
import { randomUUID } from "node:crypto";
import "@hyperjump/json-schema/formats";
import { readFileSync } from "node:fs";
import { registerSchema, setShouldValidateFormat, validate } from "@hyperjump/json-schema/draft-2020-12";
import { dialectOf } from "../../src/messages/dialects/registry.ts";
import { type MessageReading, readMessage } from "../../src/messages/intake/read-message.ts";
import type { DialectId } from "../../src/messages/message.ts";
import type { Mutant } from "./mutants.ts";

/** Reads a string in one dialect. */
export type Reader = (text: string, dialect: DialectId, strict: boolean) => MessageReading;

export const library: Reader = (text, dialect, strict) => readMessage(text, { dialects: [dialect], strict });

/** As `baton validate` says it. */
export function isValid({ outcome, problems }: MessageReading): boolean {
  return outcome !== "invalid" && problems.length === 0;
}

export interface Report {
  mutants: number;
  refusedStrictly: number;
  refusedTolerantly: number;
  /** Read without `strict`: each with a note, and as what the independent validator accepts. */
  readTolerantly: number;
  readonly wrong: string[];
  readonly kinds: Map<string, number>;
}

/** Judges every mutant by `reader`, in both modes. `judges` says what an independent validator thinks of a message. */
export function judgeMutants(mutants: Iterable<Mutant>, reader: Reader, judges: SecondJudges | null): Report {
  const report: Report = {
    mutants: 0,
    refusedStrictly: 0,
    refusedTolerantly: 0,
    readTolerantly: 0,
    wrong: [],
    kinds: new Map(),
  };
  for (const mutant of mutants) {
    const { dialect, kind, mayBeRead, message } = mutant;
    const text = JSON.stringify(message);
    report.mutants++;
    report.kinds.set(kind, (report.kinds.get(kind) ?? 0) + 1);
    const tell = (what: string) => report.wrong.push(`${what}: ${dialect} ${kind} at ${mutant.place}: ${text}`);
    if (isValid(reader(text, dialect, true))) tell("accepted under strict");
    else report.refusedStrictly++;
    const loose = reader(text, dialect, false);
    if (!isValid(loose)) report.refusedTolerantly++;
    else if (!mayBeRead) tell("accepted without a rule for it");
    else {
      report.readTolerantly++;
      const fault = tolerantFault(loose, mutant, judges);
      if (fault !== null) tell(fault);
    }
    if (judges !== null && differs(mutant, judges)) tell("judged otherwise by the independent validator");
  }
  return report;
}

/** What is wrong with an accepting reading of a mutant: silence, or a message that is none. */
function tolerantFault(reading: MessageReading, { dialect, type }: Mutant, judges: SecondJudges | null): string | null {
  if (reading.outcome !== "accepted" || reading.type !== type) return "accepted as something else";
  if (!reading.notes.some(({ code }) => code === "alias" || code === "unknown-field")) return "accepted without a note";
  if (judges !== null && !judges(dialect, type, reading.message)) return "read as what is no message";
  return null;
}

/** Whether our validator and the independent one disagree on the message as it is. Rules between fields are ours. */
function differs({ dialect, type, message }: Mutant, judges: SecondJudges): boolean {
  const answer = dialectOf(dialect)?.read(message);
  const isOurs =
    answer?.answer === "accepted"
      ? answer.type === type
      : answer?.answer === "invalid" && answer.problems.every(({ code }) => code === "cross-field");
  return isOurs !== judges(dialect, type, message);
}

/** Whether a message fits the published schema of a type, as an independent validator sees it. */
export type SecondJudges = (dialect: DialectId, type: string, message: object) => boolean;

/** Prepares the independent validator for these types. */
export async function secondJudges(
  types: readonly { readonly dialect: DialectId; readonly type: string }[],
): Promise<SecondJudges> {
  setShouldValidateFormat(true);
  const prepared = new Map<string, (message: object) => boolean>();
  for (const { dialect, type } of types) {
    if (prepared.has(`${dialect}/${type}`)) continue;
    const file = new URL(`../../schemas/${dialect}/${type}.json`, import.meta.url);
    const schema = JSON.parse(readFileSync(file, "utf8")) as object;
    const id = `urn:mutants:${randomUUID()}`;
    registerSchema({ ...schema, $id: id }, id);
    const judge = await validate(id);
    // Their JSON is mutable; nothing is changed.
    prepared.set(`${dialect}/${type}`, (message) => judge(message as never).valid);
  }
  return (dialect, type, message) => prepared.get(`${dialect}/${type}`)?.(message) === true;
}
