/**
 * Actions of a tool that are made of the definitions of their operations: one flat schema of all their arguments, because
 * many clients take no other, and what an action does with them. What the flat schema leaves open, such as which action
 * needs which argument, is asked for by the definition's own input.
 */
import * as z from "zod";
import { invariant } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { readShape } from "../../base/schema/shape-problems.ts";
import { callOf } from "../../perform/operations/command-page.ts";
import type { OperationDefinition, ToolArgument } from "../../perform/operations/define.ts";
import { definedOperations } from "../../perform/operations/registry.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import type { Team } from "../../perform/team.ts";
import { refusal, replyAnswer, type ToolAnswer } from "./tool.ts";

type Input = Readonly<Record<string, unknown>>;

/** The definitions of a tool's actions, by action, in their order. */
export function actionsOf(tool: string): ReadonlyMap<string, OperationDefinition> {
  return new Map(
    definedOperations.flatMap((each) => (each.mcp?.tool === tool ? [[each.mcp.action, each] as const] : [])),
  );
}

/** What these actions take, each argument once and optional, with the words of all that take it. */
export function argumentsOfActions(actions: ReadonlyMap<string, OperationDefinition>): Record<string, z.ZodType> {
  const fields = new Map<string, { readonly shape: z.ZodType; readonly says: Set<string> }>();
  for (const { input, mcp } of actions.values()) {
    for (const [name, taken = {}] of Object.entries(mcp?.arguments ?? {})) {
      const known = fields.get(taken.as ?? name) ?? {
        shape: taken.single ? z.string() : bare(input.shape[name]),
        says: new Set(),
      };
      if (taken.says !== undefined) known.says.add(taken.says);
      fields.set(taken.as ?? name, known);
    }
  }
  return Object.fromEntries(
    [...fields].map(([name, { shape, says }]) => {
      const field = shape.optional();
      return [name, says.size === 0 ? field : field.describe([...says].join("; "))];
    }),
  );
}

/** A shape without what it says, whether it is needed, and bounds that the input holds all the same. */
function bare(shape: unknown): z.ZodType {
  if (shape instanceof z.ZodOptional) return bare(shape.unwrap());
  if (shape instanceof z.ZodString) return z.string();
  if (shape instanceof z.ZodNumber && shape.minValue === 0) return z.int();
  invariant(shape instanceof z.ZodType, "an argument of an action is one of its operation's input");
  return shape.clone({ ...shape.def });
}

/** Does the action with what was given under the tool's names, and with `found`: arguments that the tool works out. */
export async function takeAction(
  definition: OperationDefinition,
  given: Input,
  team: Team,
  found: Input = {},
): Promise<ToolAnswer> {
  const { mcp, input } = definition;
  const entries = Object.entries(mcp?.arguments ?? {}).flatMap(([name, taken = {}]) => {
    const value = inputValue(taken, given[taken.as ?? name] ?? taken.fallback);
    return value === undefined ? [] : [[name, value] as const];
  });
  const all = { ...Object.fromEntries(entries), ...found };
  const read = readShape(input, all, "arguments");
  if (!read.ok) return refusal(read.error.map((each) => inNamesOf(definition, each)));
  const named = typeof given.id === "string" ? { id: given.id } : {};
  return replyAnswer(await callOf<Reply>(team, definition)(all, named));
}

function inputValue({ single, commas }: ToolArgument, value: unknown): unknown {
  if (typeof value !== "string" || single !== true) return value;
  return commas === true ? value.split(",").map((each) => each.trim()) : [value];
}

/** An error of an argument that the tool calls otherwise. */
function inNamesOf({ mcp }: OperationDefinition, problem: Problem): Problem {
  const renamed = Object.entries(mcp?.arguments ?? {}).find(([name]) => problem.path === `arguments.${name}`);
  return renamed?.[1]?.as === undefined ? problem : { ...problem, path: `arguments.${renamed[1].as}` };
}
