/**
 * Each operation that has a definition is at every door that its definition names, under the names that it gives, and
 * nothing else is there. The checker is shown definitions with errors first.
 */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import { placesIn } from "../../src/base/text.ts";
import { findCommand } from "../../src/doors/cli/kernel/catalogue.ts";
import { globalOptions } from "../../src/doors/cli/kernel/command.ts";
import { openApiDocument } from "../../src/doors/http/operations/openapi.ts";
import { operations } from "../../src/doors/http/operations/operations.ts";
import { handoff } from "../../src/doors/mcp/handoff.ts";
import { task } from "../../src/doors/mcp/task.ts";
import { everyList } from "../../src/doors/page/state/refetching.ts";
import { catalogue } from "../../src/main/catalogue.ts";
import { actNames } from "../../src/perform/act-line.ts";
import { type OperationDefinition, wholePathOf } from "../../src/perform/operations/define.ts";
import { wire } from "../../src/perform/operations/generated/wire.ts";
import { definedOperations } from "../../src/perform/operations/registry.ts";

const { paths } = openApiDocument("0.0.0") as unknown as {
  readonly paths: { readonly [path: string]: { readonly [method: string]: { readonly operationId: string } } };
};

/** What is wrong with a definition, or with a door that has it. */
async function problemsOf(definition: OperationDefinition, others: readonly OperationDefinition[]): Promise<string[]> {
  const { name, call, http, record, input, answer, byHand } = definition;
  // A path may name the calling agent, which is no argument.
  const given = new Set([...Object.keys(input.shape), ...(byHand === undefined ? [] : ["agent"])]);
  const path = wholePathOf(definition);
  const places = [...placesIn(http.path), ...placesIn(record?.line ?? "")];
  return [
    ...(others.some((each) => each.name === name || each.call === call) ? ["its name is taken"] : []),
    ...(others.some((each) => record !== undefined && each.record?.act === record.act) ? ["its act is taken"] : []),
    ...(paths[path]?.[http.method]?.operationId === name ? [] : ["the document does not have it"]),
    ...(operations.some((each) => each.name === name && each.path === path) ? [] : ["no route has it"]),
    ...(Object.hasOwn(wire, call) ? [] : ["the client does not have it"]),
    ...(byHand === undefined && answer.kind !== "shown" && record === undefined
      ? ["its line in the log is missing"]
      : []),
    ...(record === undefined || actNames.some((each) => each === record.act) ? [] : ["the log does not know its act"]),
    ...places.filter((place) => !given.has(place)).map((place) => `{${place}} is not of its input`),
    ...(record?.touches ?? []).filter((each) => !everyList.includes(each)).map((each) => `the page has no ${each}`),
    ...(await commandProblems(definition)),
    ...toolProblems(definition),
  ];
}

/** Arguments that a command written by hand works out itself, so none of its options or words is named by them. */
const unnamed: { readonly [command: string]: readonly string[] } = {
  "handoff accept": ["verified"],
  "handoff complete": ["verified"],
  log: ["before", "order", "count"],
  receipt: ["plan"],
  "shutdown status": ["latest"],
};

async function commandProblems({
  cli = [],
  cliOption,
  input,
  handWritten = [],
}: OperationDefinition): Promise<string[]> {
  const given = Object.keys(input.shape);
  const byOption = [cliOption ?? []].flat().map(async ({ of, as }) => {
    const { options = [] } = (await findCommand(catalogue, of.split(" "))?.load())?.command ?? {};
    return as === undefined || options.some(({ name }) => `--${name}` === as) ? [] : [`${of} has no ${as}`];
  });
  const byHand = handWritten.map(async (words) => {
    const entry = findCommand(catalogue, words.split(" "));
    if (entry === null) return [`there is no command ${words}`];
    const { options = [], positionals = [] } = (await entry.load()).command;
    const named = [
      ...options.map(({ name, argument }) => argument ?? name),
      ...positionals.map((each) => each.argument),
    ];
    return given
      .filter((name) => !named.includes(name) && !(unnamed[words] ?? []).includes(name))
      .map((name) => `${words} does not name ${name}`);
  });
  const problems = cli.map(async ({ words, said = "", unchanged = "", sets = {}, arguments: all }) => {
    const entry = findCommand(catalogue, words.split(" "));
    if (entry === null) return [`there is no command ${words}`];
    const { options = [], positionals = [] } = (await entry.load()).command;
    const needed = given.filter((name) => !(input.shape[name] instanceof z.ZodOptional));
    const globals = globalOptions.filter(({ name }) => name !== "token").map(({ name }) => name);
    const names = options.map(({ name }) => name);
    return [
      ...needed
        .filter((name) => !Object.hasOwn(all, name) && !Object.hasOwn(sets, name))
        .map((name) => `${words} gives no ${name}`),
      ...[...placesIn(said), ...placesIn(unchanged)]
        .filter((place) => place !== "seq" && !given.includes(place))
        .map((place) => `${words} says {${place}}`),
      ...(new Set(names).size === names.length ? [] : [`${words} has an option twice`]),
      ...names.filter((each) => globals.includes(each)).map((each) => `${words} hides the global --${each}`),
      ...(Object.keys(all).length <= names.length + positionals.length ? [] : [`${words} takes not all its arguments`]),
    ];
  });
  return (await Promise.all([...byOption, ...byHand, ...problems])).flat();
}

function toolProblems({ mcp }: OperationDefinition): string[] {
  if (mcp === undefined) return [];
  const { input } = [task, handoff].find(({ name }) => name === mcp.tool) ?? {};
  if (!(input instanceof z.ZodObject)) return [`there is no tool ${mcp.tool}`];
  const { action, ...fields } = input.shape;
  const actions = action instanceof z.ZodEnum ? action.options : [];
  return [
    ...(actions.includes(mcp.action) ? [] : [`${mcp.tool} has no action ${mcp.action}`]),
    ...Object.entries(mcp.arguments)
      .map(([name, taken]) => taken?.as ?? name)
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => `${mcp.tool} takes no ${name}`),
  ];
}

for (const definition of definedOperations) {
  test(`${definition.name} is at every door as its definition says`, async () => {
    const others = definedOperations.filter((each) => each !== definition);
    assert.deepEqual(await problemsOf(definition, others), []);
  });
}

test("a definition is in a file of operations, under its name", async () => {
  const source = join(import.meta.dirname, "../../src");
  const files = globSync("*/operations{.ts,/*.ts}", { cwd: source }).filter((path) => !path.endsWith(".test.ts"));
  const modules = files.map((path) => import(pathToFileURL(join(source, path)).href));
  const exported: Record<string, unknown> = Object.assign({}, ...(await Promise.all(modules)));
  for (const definition of definedOperations) assert.equal(exported[definition.name], definition, definition.name);
});

test("every call of the client is of a definition", () => {
  assert.deepEqual(Object.keys(wire).toSorted(), definedOperations.map(({ call }) => call).toSorted());
});

test("a definition that a door does not have, or that names what is not there, is seen", async () => {
  const [known] = definedOperations;
  assert.ok(known);
  const planted: OperationDefinition = {
    ...known,
    name: "forgetTask",
    call: "forget",
    http: { method: "post", path: "/tasks/{plant}/forget" },
    input: z.strictObject({ task: z.string(), why: z.string() }),
    answer: { kind: "reply" },
    cli: [
      {
        words: "task add",
        group: "Work",
        summary: "",
        description: "",
        arguments: { task: { as: "TASK" } },
        examples: [],
        next: "",
        said: "Forgotten: {plan}.",
      },
    ],
    cliOption: { of: "task list", as: "--forgotten", says: "" },
    handWritten: ["task forget", "ack"],
    mcp: { tool: "task", action: "forget", arguments: { why: {} } },
    record: { act: "forget-task", line: "forgot {which}" },
  };
  assert.deepEqual(await problemsOf(planted, definedOperations), [
    "the document does not have it",
    "no route has it",
    "the client does not have it",
    "the log does not know its act",
    "{plant} is not of its input",
    "{which} is not of its input",
    "task list has no --forgotten",
    "there is no command task forget",
    "ack does not name task",
    "ack does not name why",
    "task add gives no why",
    "task add says {plan}",
    "task has no action forget",
    "task takes no why",
  ]);
  const again = { ...known, record: { act: "claim-task" } };
  assert.deepEqual(await problemsOf(again, definedOperations), ["its name is taken", "its act is taken"]);
});
