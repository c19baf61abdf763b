/**
 * Each operation that has a definition takes a good input and refuses wrong ones, over HTTP, as an action of its tool and
 * as a command. The inputs are made of the definitions, so a new operation is tried without a new test.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { z } from "zod";
import { systemClock } from "../../src/base/clock.ts";
import { findCommand } from "../../src/doors/cli/kernel/catalogue.ts";
import { exitCodes } from "../../src/doors/cli/terminal/exit-codes.ts";
import { handoff } from "../../src/doors/mcp/handoff.ts";
import { task } from "../../src/doors/mcp/task.ts";
import { catalogue } from "../../src/main/catalogue.ts";
import type { CommandPage, PageArgument } from "../../src/perform/operations/command-page.ts";
import { fieldsBesidePath, type OperationDefinition, wholePathOf } from "../../src/perform/operations/define.ts";
import { pages } from "../../src/perform/operations/generated/pages.ts";
import { definedOperations } from "../../src/perform/operations/registry.ts";
import { typedMessage } from "../../src/testing/index.ts";
import { called } from "../e2e/called.ts";
import { contract, expectCode, team as teamFolder } from "../e2e/command.ts";
import { fits } from "../http/fits.ts";
import { ask, testHub } from "../http/hub.ts";
import { teamOf } from "../http/remote.ts";

type Input = Readonly<Record<string, unknown>>;

/** Codes by which the form of an input is refused. What an operation decides about a good input has others. */
const formCodes = ["unknown-field", "missing-field", "wrong-type"];

/** Values that an argument of this name takes; every other is made of its schema. */
const known: Readonly<Record<string, unknown>> = {
  task: "1-1-T1",
  plan: "1-1",
  agent: "dev-1",
  to: "dev-1",
  files: ["src/feature.js"],
  commit: "abc1234",
  phase: "1",
  wait: 0,
};

/** A value that fits the schema. */
function sampleOf(shape: unknown): unknown {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return sampleOf(shape.unwrap());
  if (shape instanceof z.ZodEnum) return shape.options[0];
  if (shape instanceof z.ZodLiteral) return shape.value;
  if (shape instanceof z.ZodUnion) return sampleOf(shape.options[0]);
  if (shape instanceof z.ZodArray) return [sampleOf(shape.element)];
  if (shape instanceof z.ZodBoolean) return true;
  if (shape instanceof z.ZodNumber) return 1;
  if (shape instanceof z.ZodObject)
    return Object.fromEntries(Object.entries(shape.shape).map(([name, each]) => [name, sampleOf(each)]));
  assert.ok(shape instanceof z.ZodString, "a kind of argument that has no sample here");
  return "sample";
}

function argumentOf(name: string, shape: unknown): unknown {
  const value = known[name];
  return shape instanceof z.ZodType && value !== undefined && shape.safeParse(value).success ? value : sampleOf(shape);
}

/** Everything that the operation takes, or only what it needs. */
function inputOf({ input }: OperationDefinition, isWhole: boolean): Input {
  const fields = Object.entries(input.shape).filter(([, each]) => isWhole || !(each instanceof z.ZodOptional));
  return Object.fromEntries(fields.map(([name, each]) => [name, argumentOf(name, each)]));
}

/** The fields of an input beside its path, of which one is needed; null: none is. */
function neededOf(definition: OperationDefinition): string | null {
  const needed = Object.entries(fieldsBesidePath(definition)).find(([, each]) => !(each instanceof z.ZodOptional));
  return needed?.[0] ?? null;
}

test("over HTTP each takes what its definition says, answers as its document says, and refuses what it does not know or lacks", async (t) => {
  const hub = await testHub(t);
  const as = await hub.token("owner");
  const message = typedMessage("plan_contract", {}, { id: "contract-1" });
  await ask(hub.url, "/api/teams/web/messages", { as: await hub.token("lead-1"), body: { message } });
  const send = async (definition: OperationDefinition, input: Input) => {
    const { http } = definition;
    const inPath = (name: string) => http.path.includes(`{${name}}`);
    const places: Input = { team: "web", agent: "owner", ...input };
    const path = wholePathOf(definition).replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(places[name])),
    );
    const rest = Object.entries(input).filter(([name]) => !inPath(name));
    const words = rest.flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, String(each)]));
    const query = http.method === "get" && words.length > 0 ? `?${new URLSearchParams(words)}` : "";
    const body = http.method === "post" ? { body: Object.fromEntries(rest) } : {};
    return await ask(hub.url, `${path}${query}`, { as, method: http.method.toUpperCase(), ...body });
  };
  for (const definition of definedOperations) {
    const { name } = definition;
    // A stream that is taken does not end.
    for (const isWhole of definition.answer.kind === "stream" ? [] : [false, true]) {
      const answer = await send(definition, inputOf(definition, isWhole));
      const { status, body } = answer.status < 400 ? fits(name, answer) : answer;
      const isDone = status < 500 || body.code === "repository-missing"; // this hub has none
      assert.ok(isDone && !formCodes.includes(body.code), `${name}: ${status} ${JSON.stringify(body)}`);
    }
    const unknown = await send(definition, { ...inputOf(definition, false), colour: "red" });
    // A look that takes nothing has no query to be wrong.
    const isBlind = definition.http.method !== "post" && Object.keys(fieldsBesidePath(definition)).length === 0;
    if (!isBlind) assert.deepEqual([unknown.status, unknown.body.code], [422, "unknown-field"], name);
    const needed = neededOf(definition);
    if (needed === null) continue;
    const { [needed]: _, ...lacking } = inputOf(definition, false);
    const refused = await send(definition, lacking);
    assert.deepEqual([refused.status, refused.body.code], [422, "missing-field"], `${name} without ${needed}`);
  }
});

test("as an action of its tool each takes what its definition says, and refuses what it lacks", async (t) => {
  const hub = await testHub(t);
  const team = await teamOf(hub.url, await hub.token("lead-1"));
  const call = { team, clock: systemClock, files: null, signal: t.signal, progress: () => Promise.resolve() };
  for (const definition of definedOperations) {
    const { mcp, input, name } = definition;
    if (mcp === undefined) continue;
    const tool = [task, handoff].find((each) => each.name === mcp.tool);
    assert.ok(tool !== undefined, name);
    const given = Object.entries(inputOf(definition, true)).flatMap(([argument, value]) => {
      const taken = mcp.arguments[argument];
      if (taken === undefined) return [];
      return [[taken.as ?? argument, taken.single === true && Array.isArray(value) ? value[0] : value] as const];
    });
    const run = async (more: Input) => {
      const asked = { action: mcp.action, ...more };
      const read = tool.input.safeParse(asked);
      assert.ok(read.success, `${name}: ${JSON.stringify(asked)}`);
      const { data } = await tool.run(asked, call);
      return ((data.problems ?? []) as { code: string }[]).map(({ code }) => code);
    };
    const codes = await run(Object.fromEntries(given));
    assert.ok(!codes.some((code) => formCodes.includes(code)), `${name}: ${codes.join(", ")}`);
    for (const [argument, taken = {}] of Object.entries(mcp.arguments)) {
      if (input.shape[argument] instanceof z.ZodOptional || taken.fallback !== undefined) continue;
      const lacking = given.filter(([each]) => each !== (taken.as ?? argument));
      assert.deepEqual(await run(Object.fromEntries(lacking)), ["missing-field"], `${name} without ${argument}`);
    }
  }
});

/** The words that give an argument: `value` in place of one that fits. */
function wordsOf({ argument, option, word, value, kind, choices }: PageArgument, other?: string): readonly string[] {
  const { [argument]: sample = "sample" } = known;
  const fitting = choices?.[0] ?? (kind === "text" ? String([sample].flat()[0]) : "1");
  if (option === undefined) return [other ?? (word === undefined ? "" : fitting)];
  return value === undefined ? [`--${option}`] : [`--${option}`, other ?? fitting];
}

/** A whole line of a command: of options that exclude each other the first. `wrong`: a word that it does not take. */
function lineOf(
  name: string,
  { arguments: all, oneOf }: CommandPage,
  { without, wrong }: { readonly without?: PageArgument; readonly wrong?: PageArgument } = {},
): readonly string[] {
  const shut = oneOf?.names.slice(1) ?? [];
  const given = all.filter((each) => each !== without && !shut.includes(each.argument));
  return [...name.split(" "), ...given.flatMap((each) => wordsOf(each, each === wrong ? "?" : undefined))];
}

/** Lines that a command must refuse, by what is wrong with them. */
function wrongLines(name: string, page: CommandPage): readonly (readonly [string, readonly string[]])[] {
  const bare = lineOf(name, { ...page, arguments: page.arguments.filter(({ required }) => required === true) });
  return [
    ["an option that it does not have", [...bare, "--colour", "red"]],
    ...page.arguments.flatMap((each): (readonly [string, readonly string[]])[] => {
      const rest = lineOf(name, page, { without: each });
      const isWord = each.option === undefined;
      // Words after one that is missing take its place, so it is left out where it is the last one.
      const isLast = !isWord || page.arguments.findLast(({ option }) => option === undefined) === each;
      return [
        ...(each.required === true && isLast ? ([[`no ${each.argument}`, rest]] as const) : []),
        ...(isWord || each.value === undefined
          ? []
          : ([[`no value of ${each.argument}`, [...rest, `--${each.option}`]]] as const)),
        ...(each.choices !== undefined || !["text", "flag"].includes(each.kind)
          ? ([
              [
                `a wrong ${each.argument}`,
                isWord ? lineOf(name, page, { wrong: each }) : [...rest, `--${each.option}`, "?"],
              ],
            ] as const)
          : []),
      ];
    }),
  ];
}

test("as a command each takes what its definition says, and refuses what it does not know, lacks or cannot read", async () => {
  const folder = teamFolder();
  expectCode(0, folder, ["send", "-", "--as", "lead-1"], contract());
  for (const [name, pageOf] of Object.entries(pages)) {
    const page = pageOf();
    const line = lineOf(name, page);
    const done = await called(folder, [...line, "--json"]);
    const isTaken = done.code !== exitCodes.usage && !formCodes.some((code) => done.said.includes(code));
    assert.ok(isTaken, `${line.join(" ")}\n${done.said}`);
    for (const [words, wrong] of wrongLines(name, page)) {
      const refused = await called(folder, wrong);
      assert.equal(refused.code, exitCodes.usage, `${wrong.join(" ")} (${words})\n${refused.said}`);
    }
  }
  const byHand = definedOperations.flatMap(({ handWritten = [] }) => handWritten);
  assert.ok(byHand.length > 10);
  for (const name of byHand) {
    const { command } = (await findCommand(catalogue, name.split(" "))?.load()) ?? assert.fail(name);
    const needed = (command.positionals ?? []).filter(({ required }) => required === true);
    const words = [...name.split(" "), ...needed.map(() => "1")];
    const strange = await called(folder, [...words, "--colour", "red"]);
    assert.equal(strange.code, exitCodes.usage, `${name} --colour red\n${strange.said}`);
    if (needed.length === 0) continue;
    const lacking = await called(folder, words.slice(0, -1));
    assert.equal(lacking.code, exitCodes.usage, `${name} without ${needed.at(-1)?.name}\n${lacking.said}`);
  }
});
