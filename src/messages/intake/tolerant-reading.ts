/**
 * Reading what no dialect accepts as it is: with the spellings corrected that agents drift into, or a flat message lifted
 * into the envelope of a typed dialect; and what still is wrong afterwards: JSON that the dialects in force do not know, and
 * what one of them would still need.
 * Source: docs/protocol/messages.md, section 15.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { insteadOf, shortened } from "../../base/schema/hint.ts";
import { nearest } from "../../base/text.ts";
import { type Answer, type Definition, type Dialect, documentKey, type FieldFacts } from "../dialects/dialect.ts";
import type { Fact } from "../facts.ts";
import { type Connection, lift } from "./flat-to-envelope.ts";
import type { AcceptedReading } from "./reading.ts";
import { type Repaired, repair } from "./repair.ts";

/** The problem of JSON that is no object. */
export function notAnObject(): Problem {
  return makeProblem("not-an-object", "$", "The text is JSON, but not an object, so it is no message.", {
    expected: "an object",
  });
}

/** The problem of a type that is missing, no string, or known to none of `dialects`. */
export function typeProblem(value: JsonObject, dialects: readonly Dialect[]): Problem {
  const withTypes = dialects.filter(({ form }) => form !== "document");
  const known = [...new Set(withTypes.flatMap((dialect) => [...dialect.definitions.keys()]))];
  const expected = known.length === 0 ? "a message without an envelope: no dialect in use has one" : known.join(" | ");
  if (value.type === undefined) {
    return makeProblem("missing-field", "$.type", "The message does not say its type.", {
      expected,
      hint: typeHint(value, known) ?? `Add "type" with one of the types that \`baton reference\` lists.`,
    });
  }
  if (typeof value.type !== "string") {
    return makeProblem("wrong-type", "$.type", "The type of a message is a string.", {
      expected: "a string",
      received: shortened(value.type),
      hint: "Write one of the types that `baton reference` lists.",
    });
  }
  const near = nearest(value.type, known);
  return makeProblem("unknown-type", "$.type", `No dialect in use has a message of type "${value.type}".`, {
    expected,
    received: value.type,
    hint: near === null ? "`baton reference` lists every type." : `did you mean "${near}"?`,
  });
}

/** More keys than a message has are not looked at. */
const comparedKeysMax = 64;

/** Which key was most likely meant as `type`: its value is one, or it is spelled nearly so. */
function typeHint(value: JsonObject, known: readonly string[]): string | null {
  const texts: string[] = [];
  for (const key in value) {
    if (typeof value[key] === "string") texts.push(key);
    if (texts.length === comparedKeysMax) break;
  }
  const meant = texts.find((key) => known.some((type) => type === value[key])) ?? nearest("type", texts);
  return meant === null ? null : insteadOf("type", meant);
}

/**
 * As `typeProblem`, of a value in an envelope: a type that only dialects without an envelope know differs from an
 * unknown one.
 */
export function envelopeTypeProblem(value: JsonObject, dialects: readonly Dialect[]): Problem {
  const typed = dialects.filter(({ form }) => form === "typed");
  const problem = typeProblem(value, typed);
  const { type } = value;
  const owner = dialects.find(({ form, definitions }) => {
    return form === "structured" && typeof type === "string" && definitions.has(type);
  });
  if (owner === undefined || typeof type !== "string") return problem;
  const kind = owner.definitions.get(type)?.kind;
  const counterpart = typed.flatMap((dialect) => (kind === undefined ? [] : (dialect.definitionOf(kind) ?? [])))[0];
  const flat = 'flat, its fields next to "type", without schema_version and payload';
  return {
    ...problem,
    message: `${type} is a message of ${owner.id}, which has no envelope; this one has.`,
    hint:
      counterpart === undefined
        ? `Send it ${flat}.`
        : `Send ${counterpart.type} of ${counterpart.dialect} instead, or ${type} ${flat}.`,
  };
}

/** Why a message of a dialect that is not in force is refused, and all that one in force still needs of it. */
export interface ForeignMessage {
  readonly dialect: Dialect;
  readonly type: string;
  readonly problems: readonly Problem[];
}

/** The refusal of a message of one of the `foreign` dialects; null: they do not know its type either. */
export function foreignProblems(
  value: JsonObject,
  dialects: readonly Dialect[],
  foreign: readonly Dialect[],
): ForeignMessage | null {
  const { type } = value;
  const document = isJsonObject(value[documentKey]) ? foreign.find(({ form }) => form === "document") : undefined;
  const owner = foreign.find(({ form, definitions }) => {
    return form !== "document" && typeof type === "string" && definitions.has(type);
  });
  if (owner === undefined) return document === undefined ? null : foreignDocument(document, dialects);
  if (typeof type !== "string") return null;
  const answer = owner.read(value);
  const kind = owner.definitions.get(type)?.kind;
  const target = dialects.find((dialect) => kind !== undefined && dialect.definitionOf(kind) !== null);
  const counterpart = kind === undefined ? null : (target?.definitionOf(kind) ?? null);
  const problem = makeProblem(
    "unknown-type",
    "$.type",
    `${type} is a message of ${owner.id}, which is not in use here.`,
    {
      expected: dialects.map(({ id }) => id).join(" | "),
      received: owner.id,
      hint:
        counterpart === null
          ? "Say it in a dialect that is in use, or list its dialect in .baton/team.yaml."
          : `Send ${counterpart.type} of ${counterpart.dialect} instead, or list ${owner.id} in .baton/team.yaml.`,
    },
  );
  const needed =
    answer.answer === "accepted" && counterpart !== null && target !== undefined
      ? neededBy(counterpart, target, answer.fact)
      : [];
  return { dialect: owner, type, problems: [problem, ...needed] };
}

/** The refusal of a handoff document of a dialect that is not in force: no other has one. */
function foreignDocument(dialect: Dialect, dialects: readonly Dialect[]): ForeignMessage {
  const message = `A handoff document is a message of ${dialect.id}, which is not in use here.`;
  const problem = makeProblem("unknown-type", `$.${documentKey}`, message, {
    expected: dialects.map(({ id }) => id).join(" | "),
    received: dialect.id,
    hint: `List ${dialect.id} in .baton/team.yaml, or hand over in a dialect that is in use.`,
  });
  return { dialect, type: documentKey, problems: [problem] };
}

/**
 * The fields that the counterpart requires and the message does not say, wherever it has them. An envelope is not asked
 * for: where there is one, it is there already, and else it is filled in (docs/protocol/messages.md, sections 10
 * to 18).
 */
function neededBy(counterpart: Definition, { form }: Dialect, { body, head, extra }: Fact): readonly Problem[] {
  const inHead: { readonly [field: string]: unknown } = { ...head };
  const isSaid = ({ neutral, name }: FieldFacts): boolean => {
    const part = neutral.startsWith("head.") ? neutral.slice("head.".length) : null;
    if (part !== null) return (inHead[part] ?? null) !== null;
    return Object.hasOwn(body, neutral) || Object.hasOwn(extra?.payload ?? {}, name);
  };
  const needed = counterpart.fields.filter((field) => field.required && !isSaid(field));
  const paths = needed.map(({ name }) => (form === "typed" ? `$.payload.${name}` : `$.${name}`));
  return paths.map((path) =>
    makeProblem(
      "missing-field",
      path,
      `As ${counterpart.type} of ${counterpart.dialect} the message still needs ${path}.`,
    ),
  );
}

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
