/**
 * Writing a fact as a message of a first revision: `type`, the definition's fields in order, then what else the fact
 * says, its head included, so that nothing is lost between two revisions. Source: docs/protocol/translation.md.
 */
import { isJsonObject } from "../../base/json.ts";
import type { Fact, Json } from "../../message/facts.ts";
import { extensionFields } from "../definition.ts";
import type { GivenHead } from "../dialect.ts";
import { addAssumed, addKept, type Fields, type Placing, written } from "../neutral-body.ts";
import { isFit, type Readable } from "../readable.ts";
import { headNames, headValue, isHeadValue } from "./flat-form.ts";

/** The wire value of `fact` by `entry`'s definition, or null where it cannot be said. It carries no id. */
export function writeFlat(entry: Readable, fact: Fact, given: GivenHead): Json | null {
  const around: Fields = { ...fact.extra?.envelope };
  const head: Fields = {};
  for (const name of headNames) {
    // What the second revision could not say of the head as it was written comes back as it was written.
    const value = around[name] ?? headValue(fact.head, name);
    delete around[name];
    if (value !== null) head[name] = value;
  }
  const { fields, assumed, kept } = written(entry, fact, given, placingOf(head));
  const wire: Fields = { type: entry.definition.type, ...fields };
  const keptAround: Fields = {};
  for (const [name, value] of Object.entries(head)) if (wire[name] !== value) keptAround[name] = value;
  for (const [key, value] of Object.entries(around)) {
    if (extensionFields.includes(key)) wire[key] = value;
    else keptAround[key] = value;
  }
  addAssumed(wire, assumed);
  addKept(wire, keptAround, kept);
  return isFit(entry, wire) ? wire : null;
}

/** Names that would make a flat message something else. */
const reserved: ReadonlySet<string> = new Set(["type", "schema_version", ...extensionFields]);

/** Everything stands in one object here: a further field may not be taken for the head's, nor for the message's form. */
function placingOf(head: Fields): Placing {
  return {
    head,
    isFree(name, value, fields) {
      if (Object.hasOwn(fields, name) || reserved.has(name)) return false;
      if (name === "payload") return isHarmless(value, head, fields);
      const own = headNames.find((each) => each === name);
      return own === undefined || !isHeadValue(own, value);
    },
  };
}

/** A field called `payload` is read as one only where it cannot be the message's own. */
function isHarmless(value: Json, head: Fields, fields: Fields): boolean {
  if (Object.hasOwn(head, "author_role")) return false;
  return !isJsonObject(value) || Object.keys(value).some((key) => key === "type" || Object.hasOwn(fields, key));
}
