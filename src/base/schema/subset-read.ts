/**
 * Reads a JSON Schema of a team into its form. Whatever is outside the subset is reported with what to use instead;
 * nothing is dropped silently, so the form asks exactly what the schema says to any other reader of JSON Schema
 * 2020-12.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { ownSchemaAlternativesMax, ownSchemaPartsMax } from "../limits.ts";
import type { PathStep } from "../problem.ts";
import { nearest } from "../text.ts";
import { shortened } from "./hint.ts";
import {
  boundParts,
  checkAnnotations,
  checkKeyword,
  type ReportSchemaError,
  type SchemaError,
  type SubsetForm,
  valueParts,
} from "./subset-constraints.ts";

/** The form that `schema` describes, and every error; with an error the form is of no use. */
export function readSubset(schema: Json): { readonly form: SubsetForm; readonly problems: readonly SchemaError[] } {
  const reading = new SchemaReading(schema);
  const form = reading.schema(schema, []);
  reading.definitions();
  const parts = reading.problems.length === 0 ? partsOf(form, new Map()) : 0;
  if (parts > ownSchemaPartsMax) {
    reading.problem([], "The schema is too large, its definitions written out wherever they are named.", {
      expected: `at most ${ownSchemaPartsMax} parts`,
      received: `${parts} parts`,
      hint: "say less, or name a definition in fewer places",
    });
  }
  return { form, problems: reading.problems };
}

const thisDraft = "https://json-schema.org/draft/2020-12/schema";
const definitionPrefix = "#/$defs/";
const nothing: SubsetForm = { examples: [] };

class SchemaReading {
  readonly problems: SchemaError[] = [];
  private readonly defs: ReadonlyMap<string, Json>;
  /** Definitions that were read; null: being read, so that naming it again would never end. */
  private readonly read = new Map<string, SubsetForm | null>();

  readonly problem: ReportSchemaError = (steps, message, more) => {
    this.problems.push({ steps, message, ...more });
  };

  constructor(root: Json) {
    const defs = isJsonObject(root) ? root.$defs : undefined;
    this.defs = new Map(isJsonObject(defs) ? Object.entries(defs) : []);
    if (defs !== undefined && !isJsonObject(defs))
      this.problem(["$defs"], "$defs holds schemas by name.", { expected: "an object" });
  }

  /** Reads the definitions that nobody names, too: an error in one is an error. */
  definitions(): void {
    for (const name of this.defs.keys()) if (!this.read.has(name)) this.definition(name, ["$defs", name]);
  }

  schema(value: Json | undefined, steps: readonly PathStep[]): SubsetForm {
    if (!isJsonObject(value)) {
      this.problem(steps, "A schema is an object.", {
        expected: "an object",
        received: shortened(value),
        hint: "write {} where anything is allowed",
      });
      return nothing;
    }
    for (const key of Object.keys(value)) checkKeyword(key, steps, this.problem);
    if (steps.length > 0 && value.$defs !== undefined)
      this.problem([...steps, "$defs"], "$defs is allowed at the top of the schema only.");
    if (value.$schema !== undefined && value.$schema !== thisDraft) {
      this.problem([...steps, "$schema"], "The schema is of another draft.", {
        expected: thisDraft,
        received: shortened(value.$schema),
      });
    }
    checkAnnotations(value, steps, this.problem);
    const summary = value.description ?? value.title;
    return {
      ...(typeof summary === "string" ? { summary } : {}),
      ...valueParts(value, steps, this.problem),
      ...boundParts(value, steps, this.problem),
      ...this.objectParts(value, steps),
      ...this.branchParts(value, steps),
      ...(value.items === undefined ? {} : { entry: this.schema(value.items, [...steps, "items"]) }),
      examples: [
        ...(isJsonList(value.examples) ? value.examples : []),
        ...(value.default === undefined ? [] : [value.default]),
      ],
    };
  }

  private objectParts(value: JsonObject, steps: readonly PathStep[]): Partial<SubsetForm> {
    const { properties, required, additionalProperties: further } = value;
    const fields = new Map<string, SubsetForm>();
    if (properties !== undefined && !isJsonObject(properties)) {
      this.problem([...steps, "properties"], "properties holds schemas by field.", { expected: "an object" });
    } else {
      for (const [name, inner] of Object.entries(properties ?? {})) {
        fields.set(name, this.schema(inner, [...steps, "properties", name]));
      }
    }
    const names = isJsonList(required) ? required.filter((name) => typeof name === "string") : [];
    if (required !== undefined && (!isJsonList(required) || new Set(names).size < required.length)) {
      this.problem([...steps, "required"], "required lists names of fields, each once.", {
        received: shortened(required),
      });
    }
    return {
      ...(properties === undefined ? {} : { fields }),
      ...(names.length === 0 ? {} : { required: names }),
      ...(further === undefined || further === true
        ? {}
        : { further: further === false ? false : this.schema(further, [...steps, "additionalProperties"]) }),
    };
  }

  private branchParts(value: JsonObject, steps: readonly PathStep[]): Partial<SubsetForm> {
    const { $ref } = value;
    return {
      ...($ref === undefined ? {} : { also: this.reference($ref, [...steps, "$ref"]) }),
      ...this.branches(value, "anyOf", steps),
      ...this.branches(value, "oneOf", steps),
    };
  }

  private branches(value: JsonObject, keyword: "anyOf" | "oneOf", steps: readonly PathStep[]): Partial<SubsetForm> {
    const given = value[keyword];
    if (given === undefined) return {};
    const place = [...steps, keyword];
    if (isJsonList(given) && given.length > 0 && given.length <= ownSchemaAlternativesMax) {
      return { [keyword]: given.map((one, index) => this.schema(one, [...place, index])) };
    }
    this.problem(place, `${keyword} is a list of schemas.`, {
      expected: `1 to ${ownSchemaAlternativesMax} schemas`,
      received: isJsonList(given) ? `${given.length} schemas` : shortened(given),
    });
    return {};
  }

  private reference(ref: Json, steps: readonly PathStep[]): SubsetForm {
    const name = typeof ref === "string" && ref.startsWith(definitionPrefix) ? ref.slice(definitionPrefix.length) : "";
    if (/^[A-Za-z0-9_-]{1,64}$/.test(name) && this.defs.has(name)) return this.definition(name, steps);
    const near = nearest(name, [...this.defs.keys()]);
    this.problem(steps, "$ref names a definition of this schema.", {
      expected: `${definitionPrefix}NAME, where $defs has the NAME`,
      received: shortened(ref),
      hint: near === null ? "put the schema into $defs" : `did you mean "${definitionPrefix}${near}"?`,
    });
    return nothing;
  }

  private definition(name: string, steps: readonly PathStep[]): SubsetForm {
    const known = this.read.get(name);
    if (known === null) {
      this.problem(steps, `The definition ${shortened(name)} contains itself.`, {
        hint: "say how deep it goes: write the levels out",
      });
    }
    if (known !== undefined) return known ?? nothing;
    this.read.set(name, null);
    const form = this.schema(this.defs.get(name), ["$defs", name]);
    this.read.set(name, form);
    return form;
  }
}

/** How many forms a form is made of, each counted wherever it is used. */
function partsOf(form: SubsetForm, counted: Map<SubsetForm, number>): number {
  const known = counted.get(form);
  if (known !== undefined) return known;
  const inner = [
    ...(form.entry === undefined ? [] : [form.entry]),
    ...(form.fields?.values() ?? []),
    ...(form.further === undefined || form.further === false ? [] : [form.further]),
    ...(form.also === undefined ? [] : [form.also]),
    ...(form.anyOf ?? []),
    ...(form.oneOf ?? []),
  ];
  const parts = inner.reduce((sum, one) => sum + partsOf(one, counted), 1);
  counted.set(form, parts);
  return parts;
}
