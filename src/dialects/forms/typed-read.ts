/** Reading a message of a second revision: the envelope and the payload, then the neutral fact. */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { inOrder, type Problem, problem } from "../../base/problem.ts";
import type { Fact, Json } from "../../message/facts.ts";
import { missingField } from "../../schema/fault.ts";
import { shortened } from "../../schema/preview.ts";
import { envelopeFields } from "../definition.ts";
import type { Answer, GivenHead } from "../dialect.ts";
import type { UnknownField } from "../fields/unknown-fields.ts";
import { extraOf, heedingKept, readBody, takeKept, withExtra } from "../neutral-body.ts";
import { invalid, judge, type Readable, whenAsked } from "../readable.ts";
import { type Envelope, writeTyped } from "./typed-write.ts";

/** For a message that says everything itself. */
const nobody: GivenHead = { authorRole: "", timestamp: "" };

type Table = ReadonlyMap<string, Readable>;

/**
 * Reads `value` by the definitions in `table`. `not-mine`: an object whose type is a text that no definition has;
 * everything else that does not fit is `invalid` with every problem. `strict` makes unknown fields problems.
 */
export function readTyped(table: Table, value: Json, strict: boolean, envelope: Envelope): Answer {
  if (!isJsonObject(value)) return { answer: "invalid", type: null, problems: [notAnObject(value)], notes: [] };
  const type = value.type;
  if (typeof type !== "string") return withoutType(value, table);
  const entry = table.get(type);
  if (entry === undefined) return { answer: "not-mine" };
  const judged = judge(entry, value, strict);
  if (!judged.isFit) return invalid(type, judged);
  const { strangers } = judged;
  const fact =
    strangers === null || value.kept === undefined
      ? factOf(entry, value, strangers, false)
      : keptFactOf(entry, value, strangers, envelope);
  // The validator has held the id to be a text.
  return { answer: "accepted", type, wireId: value.id as string, fact, notes: judged.notes };
}

function withoutType(value: JsonObject, table: Table): Answer {
  return invalid(
    null,
    whenAsked(() => ({ problems: untyped(value, table), notes: [] })),
  );
}

/** The fact of a message with a field `kept`. */
function keptFactOf(entry: Readable, value: JsonObject, strangers: readonly UnknownField[], envelope: Envelope): Fact {
  const wireId = value.id as string; // The validator has held it to be a text.
  return heedingKept(
    value,
    (takesKept) => factOf(entry, value, strangers, takesKept),
    (said) => writeTyped(entry, said, wireId, nobody, envelope),
  );
}

function factOf(
  entry: Readable,
  value: JsonObject,
  strangers: readonly UnknownField[] | null,
  takesKept: boolean,
): Fact {
  const payload = value.payload as JsonObject; // The validator has held it to be one.
  const extra = extraOf(entry, value, payload, strangers);
  const kept = extra === null || !takesKept ? null : takeKept(extra);
  const { kind } = entry.definition;
  const body = readBody(entry, payload, extra, kept?.payload ?? null);
  if (extra !== null && kept !== null) Object.assign(extra.envelope, kept.envelope);
  const fact = {
    kind,
    head: {
      phase: value.phase as number,
      task: value.task as string,
      authorRole: value.author_role as string,
      timestamp: value.timestamp as string,
      confidence: value.confidence as string,
    },
    body,
  };
  return withExtra(fact, extra);
}

function notAnObject(value: Json): Problem {
  return problem("not-an-object", "$", "A message is a JSON object.", {
    expected: "an object",
    received: shortened(value),
  });
}

/** Problems of an object without a usable type: that, and every other field of the envelope that is not there. */
function untyped(value: JsonObject, table: Table): readonly Problem[] {
  const first = table.values().next().value;
  const example = first?.definition.example ?? {};
  const types = [...table.keys()];
  const missing = envelopeFields.filter((field) => field !== "type" && !Object.hasOwn(value, field));
  const typeProblem = Object.hasOwn(value, "type")
    ? problem("wrong-type", "$.type", "$.type must be a text.", {
        expected: types.join(" | "),
        received: shortened(value.type),
        hint: "write one of the types",
      })
    : problem("missing-field", "$.type", "The field type is missing.", {
        expected: types.join(" | "),
        received: "nothing",
        hint: `say what kind of message it is, for example "type": "${types[0] ?? ""}"`,
      });
  return inOrder([typeProblem, ...missing.map((field) => missingField(`$.${field}`, [field], value, example))]);
}
