/** The forms of answers (`src/base/schema/answer-form.ts`), from the shapes of their definitions; named shapes once. */
import { z } from "zod";
import type { AnswerForm } from "../../src/base/schema/answer-form.ts";
import { type OperationDefinition, valueForms } from "../../src/perform/operations/define.ts";
import { acceptedFields } from "../../src/perform/operations/shapes.ts";

/** The module `answers.ts` without its first line. */
export function answersModule(operations: readonly OperationDefinition[]): string {
  const named = new Map<string, AnswerForm>();
  const answers = operations.map((each) => [each.call, formOf(answerShape(each), named)] as const);
  return [
    'import type { AnswerForm, NamedForms } from "../../../base/schema/answer-form.ts";',
    "",
    "/** Forms that several answers hold. */",
    "export const namedForms: NamedForms = {",
    ...[...named].map(([name, form]) => `  ${name}: ${JSON.stringify(form)},`),
    "};",
    "",
    "/** What the answer to each call must look like. */",
    "export const answerForms = {",
    ...answers.map(([call, form]) => `  ${call}: ${JSON.stringify(form)},`),
    "} as const satisfies { readonly [call: string]: AnswerForm };",
    "",
  ].join("\n");
}

const { outcome: _, ...accepted } = acceptedFields;
const acceptance = z.object(accepted).meta({ id: "Acceptance" });

/** What the client takes; `outcome` is what the status says. */
function answerShape({ answer }: OperationDefinition): z.ZodType {
  if (answer.kind === "shown") return answer.field === null ? answer.shape : z.object({ [answer.field]: answer.shape });
  if (answer.kind === "stream") return answer.item ?? answer.shape ?? z.string();
  return answer.more === undefined ? acceptance : z.object({ ...accepted, ...answer.more.shape });
}

/** What the generators read of a JSON Schema. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly form?: AnswerForm;
  readonly description?: string;
  readonly minimum?: number;
  readonly enum?: readonly string[];
  readonly const?: string | number | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly $ref?: string;
  readonly $defs?: { readonly [name: string]: Schema };
}

function formOf(shape: z.ZodType, named: Map<string, AnswerForm>): AnswerForm {
  const schema = z.toJSONSchema(z.object({ answer: shape }), {
    target: "draft-2020-12",
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (!(zodSchema instanceof z.ZodType)) throw new Error("a shape is written with zod's classic methods");
      const { form } = valueForms.get(zodSchema) ?? {};
      if (form !== undefined) jsonSchema.form = form instanceof z.ZodType ? formOf(form, named) : form;
    },
  }) as Schema; // plain objects, made by zod
  for (const [name, each] of Object.entries(schema.$defs ?? {})) named.set(name, formOfSchema(each));
  return formOfSchema(schema.properties?.answer ?? {});
}

const plainTypes: { readonly [type: string]: AnswerForm } = { string: "text", boolean: "flag", number: "number" };

function formOfSchema(schema: Schema): AnswerForm {
  if (schema.$ref !== undefined) return `@${schema.$ref.replace("#/$defs/", "")}`;
  if (schema.form !== undefined) return schema.form;
  if (schema.const !== undefined) return { oneOf: [schema.const] };
  // A list of words grows: a newer hub may answer with one that this version does not know.
  if (schema.enum !== undefined) return "word";
  if (schema.anyOf !== undefined) return formOfUnion(schema.anyOf);
  if (schema.oneOf !== undefined) return formOfUnion(schema.oneOf);
  if (Array.isArray(schema.type)) return formOfUnion(schema.type.map((type: string) => ({ ...schema, type })));
  if (schema.type === "integer") return schema.minimum === undefined || schema.minimum < 0 ? "whole" : "count";
  if (schema.type === "array") return { list: formOfSchema(schema.items ?? {}) };
  if (schema.type === "object") return formOfObject(schema);
  if (schema.type === undefined) return "any";
  const form = plainTypes[String(schema.type)];
  if (form === undefined) throw new Error(`an answer holds the type ${String(schema.type)}, which has no form`);
  return form;
}

function formOfUnion(branches: readonly Schema[]): AnswerForm {
  const others = branches.filter(({ type }) => type !== "null").map(formOfSchema);
  const [only] = others;
  const form = others.length === 1 && only !== undefined ? only : { either: others };
  return others.length === branches.length ? form : { nullable: form };
}

function formOfObject({ properties = {}, required = [], additionalProperties }: Schema): AnswerForm {
  const names = Object.entries(properties);
  if (names.length === 0) {
    const isMap = typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0;
    return isMap ? { map: formOfSchema(additionalProperties) } : "object";
  }
  const [needed, free] = [true, false].map((isNeeded) =>
    Object.fromEntries(
      names
        .filter(([name]) => required.includes(name) === isNeeded)
        .map(([name, schema]) => [name, formOfSchema(schema)]),
    ),
  );
  return {
    fields: needed ?? {},
    ...(Object.keys(free ?? {}).length === 0 ? {} : { optional: free ?? {} }),
  };
}
