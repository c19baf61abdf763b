/**
 * A definition made ready for reading and writing, whatever the form of its dialect: where its fields are, what is
 * known at every depth, which moments to check. And the one judgement of a value by it: the generated validator, the
 * moments, the rules between fields, the unknown fields. Source: docs/protocol/messages.md.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { problemsMax } from "../../base/limits.ts";
import { boundedProblems, inOrder, type PathStep, type Problem } from "../../base/problem.ts";
import { addWrongMoments, type Moment, momentsOf } from "../../base/schema/timestamp.ts";
import { type FoundProblems, firstProblemsOf } from "../../base/schema/validator-problems.ts";
import type { Validator, ValidatorError, ValueForm } from "../../base/schema/value-form.ts";
import type { Note } from "../message.ts";
import {
  type Answer,
  type BodyFields,
  type BodyReader,
  bodyFieldsOf,
  type DialectTable,
  documentKey,
  envelopeFields,
  extensionFields,
  type FieldFacts,
  type TableDefinition,
  type WireForm,
} from "./dialect.ts";
import {
  hasUnknown,
  type Known,
  knownFields,
  noteOf,
  problemOf,
  type UnknownField,
  unknownFields,
} from "./fields/unknown-fields.ts";
import { type Rule, rules } from "./rules/rules.ts";

/** A definition with what reading and writing need of it at hand. */
export interface Readable {
  readonly definition: TableDefinition;
  readonly validate: Validator;
  /** The key of the object that holds the definition's fields; null: they are at the top. */
  readonly inside: string | null;
  /** The JSON path of that object. */
  readonly place: string;
  readonly known: Known;
  /** The same without what Baton itself may add: most messages have nothing else. */
  readonly plain: Known;
  readonly moments: readonly Moment[];
  /** Rules between its fields. */
  readonly rules: readonly Rule[];
  /** Takes the fields to the body of a fact. */
  readonly bodyOf: BodyReader;
  /** Names of the definition's fields on the wire. */
  readonly names: ReadonlySet<string>;
  /** Whether a field is called as one of an envelope's is. */
  readonly hasOwnHead: boolean;
  /** The same fields by their neutral names. */
  readonly neutrals: ReadonlySet<string>;
}

const noErrors: readonly ValidatorError[] = [];
const noProblems: readonly Problem[] = [];
const noNotes: readonly Note[] = [];
const noProblemsFound: FoundProblems = { problems: [], more: 0 };

/** Where a dialect of the form keeps a definition's own fields. */
function insideOf(form: WireForm): string | null {
  if (form === "typed") return "payload";
  return form === "document" ? documentKey : null;
}

/** The JSON path of that object. */
export function placeOf(form: WireForm): string {
  const inside = insideOf(form);
  return inside === null ? "$" : `$.${inside}`;
}

/** Prepares a definition of `table`, whose envelope is around its fields. */
export function readable(definition: TableDefinition, validate: Validator, table: DialectTable): Readable {
  const { form, envelope } = table;
  // A type of a team's own may be called as a property of every object is.
  const bodyOf = Object.hasOwn(table.bodies, definition.type) ? table.bodies[definition.type] : undefined;
  const inside = insideOf(form);
  const own = knownFields(Object.fromEntries(definition.fields.map(({ name, value }) => [name, value])));
  const inner = inside === null ? own.inside : ([[inside, own]] as const);
  const plain = [...envelope.map(({ name }) => name), ...(inside === null ? ["type", ...own.keys] : [inside])];
  return {
    definition,
    validate,
    inside,
    place: placeOf(form),
    known: { keys: new Set([...plain, ...extensionFields]), inside: inner },
    plain: { keys: new Set(plain), inside: inner },
    moments: [
      ...envelope.flatMap(({ name, value }) => momentsOf(value, [name])),
      ...definition.fields.flatMap(({ name, value }) => momentsOf(value, inside === null ? [name] : [inside, name])),
    ],
    rules: definition.rules.map((name) => rules[name]),
    bodyOf: bodyOf ?? bodyReaderOf(definition),
    names: new Set(definition.fields.map(({ name }) => name)),
    hasOwnHead: definition.fields.some(({ name }) => envelopeFields.some((field) => field === name)),
    neutrals: new Set(definition.fields.map(({ neutral }) => neutral)),
  };
}

/** The body of a definition that nobody generated a reader for. */
function bodyReaderOf(definition: TableDefinition): BodyReader {
  const fields = bodyFieldsOf(definition.fields);
  return (wire) => {
    const body: BodyFields = {};
    for (const { name, neutral } of fields) {
      const given = wire[name];
      if (given !== undefined) body[neutral] = given;
    }
    return body;
  };
}

/**
 * What a value is, judged by one definition. `strangers` are its unknown fields, kept and noted; null: it has nothing
 * beyond its definition, nor what Baton adds.
 */
export type Judgement =
  | { readonly isFit: true; readonly strangers: readonly UnknownField[] | null; readonly notes: readonly Note[] }
  | ({ readonly isFit: false } & Findings);

const plainly: Judgement = { isFit: true, strangers: null, notes: noNotes };

/** The problems of an invalid value, computed when they are needed, which is rare. */
export interface Findings {
  readonly problems: readonly Problem[];
  readonly notes: readonly Note[];
}

/** Judges `value` as a message of `entry`'s type. `strict` makes unknown fields problems. */
export function judge(entry: Readable, value: JsonObject, strict: boolean): Judgement {
  const isValid = entry.validate(value);
  // The errors are the validator's only until its next call.
  const errors = isValid ? noErrors : (entry.validate.errors ?? noErrors);
  const further = furtherProblems(entry, value);
  if (isValid && further.length === 0) {
    if (!hasUnknown(value, entry.plain)) return plainly;
    const strangers = unknownFields(entry.known, value);
    if (strangers.length === 0) return { isFit: true, strangers, notes: noNotes };
    if (!strict) return { isFit: true, strangers, notes: notesOf(strangers) };
  }
  return unfit(entry, value, strict, errors, further);
}

/** Apart from `judge`, which keeps nothing for later: most messages are fit. */
function unfit(
  entry: Readable,
  value: JsonObject,
  strict: boolean,
  errors: readonly ValidatorError[],
  further: readonly Problem[],
): Judgement {
  return whenAsked(() => {
    const { example, fields } = entry.definition;
    const mayBeMissing = (steps: readonly PathStep[]) =>
      isOptional(fields, entry.inside === null ? steps : steps.slice(1));
    const found =
      errors.length === 0 ? noProblemsFound : firstProblemsOf(errors, value, example, problemsMax, mayBeMissing);
    const strangers = unknownFields(entry.known, value);
    // Saying a problem costs far more than finding it, so no more are said than are listed.
    const said = strict ? strangers.slice(0, problemsMax) : [];
    const unknown = said.map((stranger) => problemOf(stranger, entry.known, value));
    const unsaid = found.more + (strict ? strangers.length - said.length : 0);
    const problems = boundedProblems(inOrder([...found.problems, ...further, ...unknown]), unsaid);
    return { problems, notes: strict ? noNotes : notesOf(strangers) };
  });
}

/** A refusal whose reasons are worked out when they are asked for. */
export function whenAsked(tell: () => Findings): { readonly isFit: false } & Findings {
  let told: Findings | null = null;
  return {
    isFit: false,
    get problems() {
      told ??= tell();
      return told.problems;
    },
    get notes() {
      told ??= tell();
      return told.notes;
    },
  };
}

/** The answer `invalid` with what a judgement tells, when it is asked for. */
export function invalid(type: string | null, told: Findings): Answer & { readonly answer: "invalid" } {
  return {
    answer: "invalid",
    type,
    get problems() {
      return told.problems;
    },
    get notes() {
      return told.notes;
    },
  };
}

function notesOf(strangers: readonly UnknownField[]): readonly Note[] {
  return strangers.length === 0 ? noNotes : strangers.slice(0, problemsMax).map(noteOf);
}

/** Whether `judge` without `strict` would find `value` fit. */
export function isFit(entry: Readable, value: JsonObject): boolean {
  return entry.validate(value) && furtherProblems(entry, value).length === 0;
}

/** Errors that no validator sees: moments outside the calendar, and rules between fields. */
function furtherProblems(entry: Readable, value: JsonObject): readonly Problem[] {
  const { moments, place, rules: checks } = entry;
  if (moments.length === 0 && checks.length === 0) return noProblems;
  const found: Problem[] = [];
  addWrongMoments(found, moments, value);
  const fields = fieldsOf(entry, value);
  if (fields === null) return found;
  for (const { check } of checks) {
    const problem = check(fields, place);
    if (problem !== null) found.push(problem);
  }
  return found;
}

/** The object that holds the definition's fields, or null where there is none. */
export function fieldsOf(entry: Readable, value: JsonObject): JsonObject | null {
  if (entry.inside === null) return value;
  const held = value[entry.inside];
  return isJsonObject(held) ? held : null;
}

/* Which of a definition's fields a message may lack, at every depth. */

/** Whether the field that `steps` lead to, from the place of `fields`, may be missing; a field that is none may not. */
function isOptional(fields: readonly FieldFacts[], steps: readonly PathStep[]): boolean {
  const [first, ...deeper] = steps;
  const field = fields.find(({ name }) => name === first);
  if (field === undefined) return false;
  return deeper.length === 0 ? !field.required : isOptionalIn(field.value, deeper);
}

function isOptionalIn(form: ValueForm | undefined, steps: readonly PathStep[]): boolean {
  const [first = "", ...deeper] = steps;
  if (form?.is === "list") return deeper.length > 0 && isOptionalIn(form.entry, deeper);
  const name = String(first);
  const held = form?.fields !== undefined && Object.hasOwn(form.fields, name) ? form.fields[name] : undefined;
  if (held === undefined) return false;
  return deeper.length === 0 ? form?.required?.includes(name) !== true : isOptionalIn(held, deeper);
}
