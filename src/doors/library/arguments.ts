/**
 * Arguments as a program gave them, read by the shapes of their operations before anything is done with them: in plain
 * JavaScript they may be anything. What a journal could not hold (a NUL, half of a surrogate pair) is refused as well.
 * Refusals name arguments by the fields of the call; the record keeps the neutral names.
 * Rule: docs/protocol/doors.md, section 2.
 */
import * as z from "zod";
import { argument, atDoor, type DoorNames } from "../../base/argument.ts";
import { parseBounded } from "../../base/json.ts";
import { batchBytesMax, jsonDepthMax, jsonNodesMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { readShape } from "../../base/schema/shape-problems.ts";
import { entryKinds } from "../../journal/entry.ts";
import { dialectIds } from "../../messages/dialects/registry.ts";
import { type Address, departments, readAddress, roles } from "../../messages/role.ts";
import { commandsOf } from "../../perform/operations/define.ts";
import { definedOperations } from "../../perform/operations/registry.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { logViews } from "../../record/view/log-line.ts";
import { teamKindNames } from "../../team/state/kinds.ts";

const signal = z.instanceof(AbortSignal).optional();
const seq = z.int().min(0);

/** The arguments of the calls that have no definition. */
export const callShapes = {
  send: z.strictObject({
    to: z.union([z.string(), z.array(z.string())]).optional(),
    id: z.string().optional(),
    strict: z.boolean().optional(),
    draft: z.boolean().optional(),
  }),
  inbox: z.strictObject({
    after: seq.optional(),
    limit: z.int().min(1).max(1_000).optional(),
    waitMs: z.number().min(0).optional(),
    signal,
  }),
  signal: z.strictObject({ signal }),
  acknowledge: z.strictObject({ seq, id: z.string().optional() }),
  verify: z.strictObject({ tasks: z.array(z.string()).optional(), signal }),
  log: z.strictObject({
    after: seq.optional(),
    before: seq.optional(),
    newestFirst: z.boolean().optional(),
    limit: z.int().min(1).optional(),
    type: z.string().optional(),
    sender: z.string().optional(),
    agent: z.string().optional(),
    task: z.string().optional(),
    kinds: z.array(z.enum(entryKinds)).optional(),
    view: z.enum(logViews).optional(),
    text: z.string().max(256).optional(),
    since: z
      .string()
      .refine((text) => !Number.isNaN(Date.parse(text)), "write a time as 2026-02-12T10:00:00Z")
      .optional(),
    signal,
  }),
  show: z.strictObject({ key: z.union([z.string(), seq]), sender: z.string().optional() }),
  watch: z.strictObject({ after: seq.optional(), signal }),
  verdict: z.strictObject({
    task: z.string(),
    plan: z.string().optional(),
    waitMs: z
      .number()
      .min(0)
      .max(2 ** 31 - 1)
      .optional(),
    signal,
  }),
  named: z.strictObject({ id: z.string().optional() }),
} as const;

const notice = z.instanceof(Function).optional();

/** What `openTeam` takes. */
export const openShape = z.strictObject({
  agent: z.string(),
  folder: z.string().optional(),
  journal: z.string().optional(),
  team: z.string().optional(),
  waitMs: z.number().min(0).optional(),
  onNotice: notice,
});

/** What `connectHub` takes. */
export const connectShape = z.strictObject({
  url: z.string(),
  token: z.string(),
  team: z.string().optional(),
  agent: z.string().optional(),
  answerMsMax: z.number().positive().optional(),
  onNotice: notice,
});

const dialect = z.enum(dialectIds);

/** What `createTeam` takes. */
export const createShape = z.strictObject({
  folder: z.string().optional(),
  name: z.string().optional(),
  dialects: z.array(dialect).optional(),
  agents: z
    .array(
      z.strictObject({
        agent: z.string(),
        role: z.enum(roles),
        department: z.enum(departments).optional(),
        dialect: dialect.optional(),
      }),
    )
    .optional(),
  kind: z.enum(teamKindNames).optional(),
});

/** Where the arguments of a call are said to be. */
const root = "arguments";
const limits = { bytesMax: batchBytesMax, depthMax: jsonDepthMax + 2, nodesMax: jsonNodesMax + 1_000 };

/** The fields that are there: none of them is undefined. */
type Present<Value> = { [Key in keyof Value]: Exclude<Value[Key], undefined> };

/**
 * What was given, as `shape` takes it; nothing given is an object without fields. Refuses `missing-field`,
 * `wrong-type`, `wrong-value`, `unknown-field`, and the errors of text that no JSON holds.
 */
export function readArguments<Shape extends z.ZodObject>(
  shape: Shape,
  given: unknown,
): Result<Present<z.infer<Shape>>, readonly Problem[]> {
  const read = readShape(shape, given === undefined ? {} : given, root);
  if (!read.ok) return err(read.error.map((problem) => (problem.path === root ? withFields(problem, shape) : problem)));
  const present = Object.fromEntries(Object.entries(read.value).filter(([, value]) => value !== undefined));
  const problem = unsound(present);
  // Only fields that are undefined were left out.
  return problem === null ? ok(present as Present<z.infer<Shape>>) : err([problem]);
}

/** The problem of arguments that are no object, with the fields that it would have. */
function withFields(problem: Problem, { shape }: z.ZodObject): Problem {
  const names = Object.entries(shape).map(([name, field]) => (field instanceof z.ZodOptional ? `${name}?` : name));
  return names.length === 0 ? problem : { ...problem, hint: `Give one object: { ${names.join(", ")} }.` };
}

/** As `readArguments`, for a call that takes its first argument by itself. `own`: that argument under its name. */
export function readWith<Shape extends z.ZodObject>(
  shape: Shape,
  own: { readonly [name: string]: unknown },
  options: unknown,
): Result<Present<z.infer<Shape>>, readonly Problem[]> {
  if (options === undefined) return readArguments(shape, own);
  if (typeof options !== "object" || options === null || Array.isArray(options)) return readArguments(shape, options);
  return readArguments(shape, { ...options, ...own });
}

/** What of it no JSON text holds; null: nothing. What is no data, such as a signal, is not looked at. */
function unsound(value: object): Problem | null {
  const { signal: _, ...data } = value as { readonly signal?: unknown };
  const parsed = parseBounded(JSON.stringify(data), limits);
  return parsed.ok ? null : { ...parsed.error, path: parsed.error.path.replace(/^\$/, root) };
}

/** The text of a message as it was given. Refuses `wrong-type` what is neither text, bytes nor an object. */
export function readMessageText(message: unknown): Result<string | Uint8Array, Problem> {
  if (typeof message === "string" || message instanceof Uint8Array) return ok(message);
  const text = typeof message === "object" && message !== null ? jsonOf(message) : null;
  if (text !== null) return ok(text);
  return err(
    makeProblem("wrong-type", `${root}.message`, "This cannot be sent as a message.", {
      expected: "a JSON object, text, or bytes in UTF-8",
      received: message === null ? "null" : typeof message,
      hint: "Give an object without circles, functions and BigInt, or its JSON text.",
    }),
  );
}

/** The object as JSON; null: it is none, such as one that holds itself. */
function jsonOf(message: object): string | null {
  try {
    const text: string | undefined = JSON.stringify(message);
    return text ?? null;
  } catch {
    // The caller's object, so the error is the caller's: it is answered as a problem.
    return null;
  }
}

/** The receivers that were named. Refuses `unknown-receiver` the first that is no address. */
export function readReceivers(to: string | readonly string[] = []): Result<readonly Address[], Problem> {
  const addresses: Address[] = [];
  for (const text of typeof to === "string" ? [to] : to) {
    const address = readAddress(text);
    if (!address.ok) return address;
    addresses.push(address.value);
  }
  return ok(addresses);
}

/** The calls that do what a command does: the definitions say so, and here are those that have none. */
const callsOfCommands: { readonly [command: string]: string } = {
  ...Object.fromEntries(
    definedOperations.flatMap((each) => commandsOf(each).map((words) => [words, `team.${each.call}`])),
  ),
  init: "createTeam",
  log: "team.log",
  send: "team.send",
  team: "team.status",
  verify: "team.verify",
  watch: "team.watch",
};

const names: DoorNames = {
  opening: {
    team: argument("team"),
    actor: argument("agent"),
    credential: argument("token"),
    hub: argument("url"),
  },
  of: argument,
  command: (name) => (Object.hasOwn(callsOfCommands, name) ? `\`${callsOfCommands[name]}(…)\`` : null),
};

/** The problem in a program's words. What names the place of a journal for the command is about `openTeam` here. */
export function inProgramWords(told: Problem): Problem {
  const worded = atDoor(told, names);
  const path = worded.path === journalOption ? argument("journal") : worded.path;
  const hint = worded.hint?.replaceAll(journalOption, argument("journal"));
  return { ...worded, path, ...(hint === undefined ? {} : { hint }) };
}

const journalOption = "--journal";

/** The reply with its problems in a program's words. */
export function replyInProgramWords(reply: Reply): Reply {
  if (reply.outcome === "failed") return { ...reply, problem: inProgramWords(reply.problem) };
  return reply.outcome === "refused" ? { ...reply, problems: reply.problems.map(inProgramWords) } : reply;
}
