/** The types of the calls: an interface an input, and `Calls`, which `Team` extends. */
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { z } from "zod";
import { type OperationDefinition, valueForms } from "../../src/perform/operations/define.ts";
import type { Schema } from "./operation-answers.ts";

type BySubject = { readonly [subject: string]: readonly OperationDefinition[] };

const source = join(import.meta.dirname, "../../src");
const modules = globSync("*/operations{.ts,/*.ts}", { cwd: source })
  .filter((path) => !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(source, path), "utf8") }));

/** The module of `src` that exports the definition `name`. */
function moduleOf(name: string): string {
  const found = modules.find(({ text }) => text.includes(`export const ${name} =`));
  if (found === undefined) throw new Error(`No file of src/SUBJECT/operations exports ${name}.`);
  return found.path.split(sep).join("/");
}

/** The module `calls.ts` without its first line. */
export function callsModule(subjects: BySubject): string {
  const all = Object.values(subjects).flat();
  const made = all.filter(({ byHand }) => byHand === undefined);
  const imports = Object.values(subjects).flatMap((operations) => {
    const shown = operations.filter(({ answer }) => answer.kind === "shown").map(({ name }) => name);
    const [first] = shown;
    if (first === undefined) return [];
    return [`import type { ${shown.toSorted().join(", ")} } from "../../../${moduleOf(first)}";`];
  });
  return [
    'import type { Problem } from "../../../base/problem.ts";',
    'import type { Result } from "../../../base/result.ts";',
    'import type { DialectId } from "../../../messages/message.ts";',
    'import type { ShownBy } from "../define.ts";',
    'import type { Reply } from "../reply.ts";',
    ...imports,
    "",
    "/** The id by which an operation that comes again is the same one. */",
    "export interface Named {",
    "  readonly id?: string;",
    "}",
    "",
    ...all.map(inputInterface),
    ...givenInterfaces(made),
    "/** The operations of a team that are made of their definition. */",
    "export interface Calls {",
    ...made.map(callOf),
    "}",
    "",
    "/** What is asked of a hub, and what it answers, where the method that asks is written by hand. */",
    "export interface AskedByHand {",
    ...all.filter((each) => !made.includes(each) && each.answer.kind === "shown").map(askedOf),
    "}",
    "",
  ].join("\n");
}

/** The name of the interface of an operation's input. */
function inputName({ name }: OperationDefinition): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function askedOf(definition: OperationDefinition): string {
  const { call, answer, input, name } = definition;
  const field = answer.kind === "shown" ? answer.field : null;
  const value = `ShownBy<typeof ${name}>`;
  const taken = Object.keys(input.shape).length === 0 ? "object" : inputName(definition);
  return `  readonly ${call}: { readonly input: ${taken}; readonly answer: ${field === null ? value : `{ readonly ${field}: ${value} }`} };`;
}

function inputInterface(definition: OperationDefinition): string {
  const fields = Object.entries(definition.input.shape);
  if (fields.length === 0) return "";
  return `/** What \`${definition.call}\` takes. */\nexport interface ${inputName(definition)} ${objectType(schemaOf(definition.input), 0)}\n`;
}

function callOf(definition: OperationDefinition): string {
  const { call, says, answer, input, name } = definition;
  const fields = Object.values(input.shape);
  const isOptional = fields.every((field) => field instanceof z.ZodOptional);
  const given = fields.length === 0 ? "" : `input${isOptional ? "?" : ""}: ${inputName(definition)}`;
  if (answer.kind === "shown") {
    return `  /** ${says} */\n  ${call}(${given}): Promise<Result<ShownBy<typeof ${name}>, Problem>>;`;
  }
  const parameters = [...(given === "" ? [] : [given]), "options?: Named"].join(", ");
  return `  /** ${says} */\n  ${call}(${parameters}): Promise<${answerType(definition)}>;`;
}

function answerType({ answer }: OperationDefinition): string {
  if (answer.kind !== "reply" || answer.more === undefined) return "Reply";
  return `Reply<${moreName(answer.more) ?? objectType(schemaOf(answer.more), 1)}>`;
}

/** The name of what an operation gives besides its receipt; undefined: it has none. */
function moreName(more: z.ZodObject): string | undefined {
  return more.meta()?.id;
}

/** An interface each of what operations give besides their receipt, where it has a name. */
function givenInterfaces(definitions: readonly OperationDefinition[]): readonly string[] {
  const given = definitions.flatMap(({ answer }) => (answer.kind === "reply" ? (answer.more ?? []) : []));
  return [...new Set(given)].flatMap((more) => {
    const name = moreName(more);
    if (name === undefined) return [];
    return `/** What is given besides the receipt. */\nexport interface ${name} ${objectType(schemaOf(z.object(more.shape)), 0)}\n`;
  });
}

function schemaOf(shape: z.ZodType): Schema {
  const { $defs = {}, ...schema } = jsonSchemaOf(shape);
  return inlined(schema, $defs);
}

/** The schema with what it refers to in its place. */
function inlined<Value>(value: Value, named: { readonly [name: string]: Schema }): Value {
  if (Array.isArray(value)) return value.map((each: unknown) => inlined(each, named)) as Value; // member by member
  if (typeof value !== "object" || value === null) return value;
  if ("$ref" in value && typeof value.$ref === "string") {
    const { description } = value as Schema;
    const meant = {
      ...named[value.$ref.replace("#/$defs/", "")],
      ...(description === undefined ? {} : { description }),
    };
    return inlined(meant, named) as Value; // what a reference stands for has its place
  }
  // Member by member, as above.
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inlined(each, named)])) as Value;
}

function jsonSchemaOf(shape: z.ZodType): Schema {
  // Plain objects, made by zod.
  return z.toJSONSchema(shape, {
    target: "draft-2020-12",
    io: "input",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      const { form } = (zodSchema instanceof z.ZodType ? valueForms.get(zodSchema) : undefined) ?? {};
      if (typeof form === "string") jsonSchema.form = form;
    },
  }) as Schema;
}

function typeOf(schema: Schema, depth: number): string {
  // Teams may have dialects that only a later Baton knows.
  if (schema.form === "dialect") return "DialectId";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map((each) => typeOf(each, depth)).join(" | ");
  if (Array.isArray(schema.type)) {
    return schema.type.map((type: string) => typeOf({ ...schema, type }, depth)).join(" | ");
  }
  if (schema.type === "object") return objectType(schema, depth);
  if (schema.type === "integer") return "number";
  if (schema.type !== "array") return String(schema.type ?? "unknown");
  const item = typeOf(schema.items ?? {}, depth);
  return `readonly ${item.includes("|") ? `(${item})` : item}[]`;
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, depth: number): string {
  const indent = "  ".repeat(depth + 1);
  const names = Object.entries(properties);
  if (names.length === 0) {
    const values = typeof additionalProperties === "object" ? typeOf(additionalProperties, depth) : "unknown";
    return `{ readonly [key: string]: ${values} }`;
  }
  const fields = names.map(([name, schema]) => {
    const says = schema.description === undefined ? "" : `${indent}/** ${asSentence(schema.description)} */\n`;
    return `${says}${indent}readonly ${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema, depth + 1)};\n`;
  });
  return `{\n${fields.join("")}${"  ".repeat(depth)}}`;
}

function asSentence(words: string): string {
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  return sentence.endsWith(".") ? sentence : `${sentence}.`;
}
