/**
 * The calls of a hub's team that have a definition, each made of its route: the body under an id, or the query, and an
 * answer that is believed only where it has the generated form.
 */
import { isMachines, type Problem, type ProblemCode } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { answerForms, namedForms } from "../../../operations/generated/answers.ts";
import type { Calls } from "../../../operations/generated/calls.ts";
import { wire } from "../../../operations/generated/wire.ts";
import type { ClaimAnswer, Reply } from "../../../operations/reply.ts";
import { misfit } from "../../../schema/answer-form.ts";
import type * as answers from "./client-answers.ts";
import type { Accepted, Shape } from "./client-answers.ts";
import { type Asked, actOf, type Caller, type Refused } from "./client-caller.ts";
import type { Query } from "./client-exchange.ts";
import { hubIsOlder } from "./client-faults.ts";

type Input = Readonly<Record<string, unknown>>;
interface Named {
  readonly id?: string;
}

/** The operations that a hub says it knows. */
export interface KnownOperations {
  readonly version: string;
  readonly operations: ReadonlySet<string>;
}

/** One route of the table. */
interface Route {
  /** The name of its operation. */
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: readonly string[];
  readonly answer: "shown" | "reply" | "grant";
  /** Of what is shown: the field that holds it; null: the answer itself. */
  readonly field?: string | null;
  /** Of a reply: what comes with it where it is accepted. */
  readonly more?: readonly string[];
}

/** The calls over `caller`, at the paths under the team's. One that the hub does not know is refused here. */
export function remoteCalls(asking: Caller, at: At, known: KnownOperations | null): Calls {
  const calls = Object.entries<Route>(wire).map(([call, route]) => {
    const isKnown = known === null || known.operations.has(route.name);
    const caller = isKnown ? routed(asking, route.name) : without(asking, route.name, known);
    const form = answerForms[call as keyof typeof wire]; // a key of that very table
    const shape = <Value>(value: unknown): value is Value => misfit(form, value, namedForms) === null;
    return [call, route.answer === "shown" ? look(caller, at, route, shape) : change(caller, at, route, shape)];
  });
  return Object.fromEntries(calls);
}

/** A caller that answers for a hub that does not know the operation. */
function without({ wire: line }: Caller, name: string, { version }: KnownOperations): Caller {
  const refused: Refused = { problems: [hubIsOlder(line.hub.shown, version, name)], notes: [] };
  return { wire: line, ask: () => Promise.resolve(err(refused)) };
}

/** A caller whose hub, if it is older than the list of what it knows, has no route for the operation. */
function routed(caller: Caller, name: string): Caller {
  return {
    wire: caller.wire,
    ask: async (asked, signal) => {
      const came = await caller.ask(asked, signal);
      const isMissing = !came.ok && came.error.problems.some(isNoRoute);
      return isMissing ? err({ problems: [hubIsOlder(caller.wire.hub.shown, null, name)], notes: [] }) : came;
    },
  };
}

/** Whether a hub says that it has nothing at the path that was asked for. */
function isNoRoute({ code, path }: Problem): boolean {
  return code === "not-found" && path.startsWith("/api/teams/");
}

type At = (...rest: readonly string[]) => readonly string[];

/** The path with its arguments in it, and the other arguments. */
function placed({ path }: Route, input: Input): { readonly path: readonly string[]; readonly rest: Input } {
  const names = new Set(path.flatMap((segment) => (segment.startsWith("{") ? [segment.slice(1, -1)] : [])));
  const segments = path.map((segment) => {
    const value = segment.startsWith("{") ? input[segment.slice(1, -1)] : segment;
    return typeof value === "string" ? value : "";
  });
  return { path: segments, rest: Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name))) };
}

function look(caller: Caller, at: At, route: Route, shape: Shape<Input>) {
  return async (input: Input = {}): Promise<Result<unknown, Problem>> => {
    const { path, rest } = placed(route, input);
    const query = rest as Query; // fields of a query are words, numbers, flags and lists of them
    const found = await reading(caller, { method: "GET", path: at(...path), query, shape });
    return found.ok && typeof route.field === "string" ? ok(found.value[route.field]) : found;
  };
}

function change(caller: Caller, at: At, route: Route, shape: Shape<Accepted & Input>) {
  return async (input: Input = {}, { id }: Named = {}): Promise<unknown> => {
    const { path, rest } = placed(route, input);
    const asked = { ...actOf(at(...path), rest, id), shape };
    // The form of the answer is a grant's then.
    if (route.answer === "grant") return await claimed(caller, asked as Parameters<typeof claimed>[1]);
    if (route.more === undefined) return await reply(caller, asked);
    const came = await caller.ask(asked);
    const { more } = route;
    if (!came.ok) return { reply: replyOf(came.error), ...Object.fromEntries(more.map((name) => [name, null])) };
    const { receipt, receivers, notes } = came.value;
    const found = Object.fromEntries(more.map((name) => [name, came.value[name]]));
    return { reply: { outcome: "accepted", receipt, receivers, notes } satisfies Reply, ...found };
  };
}

type Granted = Accepted & Omit<Extract<ClaimAnswer, { readonly granted: true }>, "reply" | "granted">;

async function claimed(caller: Caller, asked: Parameters<typeof caller.ask<Granted>>[0]): Promise<ClaimAnswer> {
  const came = await caller.ask(asked);
  if (!came.ok) {
    const denial = came.error.denial ?? { granted: false, reason: null, holder: null, paths: [] };
    return { ...denial, reply: replyOf(came.error) };
  }
  const { receipt, receivers, notes, task, token, expiresAt, files } = came.value;
  return { granted: true, task, token, expiresAt, files, reply: { outcome: "accepted", receipt, receivers, notes } };
}

/* The answer of a hub to an operation or a question, as a `Team` returns it. */

/** Requests an operation and returns its outcome. */
export async function reply(caller: Caller, asked: Asked<answers.Accepted>): Promise<Reply> {
  const came = await caller.ask(asked);
  if (!came.ok) return replyOf(came.error);
  const { receipt, receivers, notes } = came.value;
  return { outcome: "accepted", receipt, receivers, notes };
}

/** The journal, the connection or the credential failed, not the request: nobody has judged it. */
const unjudged: ReadonlySet<ProblemCode> = new Set([
  "wrong-media-type",
  "foreign-request",
  "unauthenticated",
  "token-revoked",
  "too-many-requests",
  "unknown-team",
  "hub-unreachable",
  "not-a-hub",
]);

/** The reply of an operation that the hub refused, or that did not come to it. */
function replyOf({ problems, receipt, notes }: Refused): Reply {
  const [first] = problems;
  const isJournals = first.code.startsWith("journal-") || isMachines(first.code);
  const isRecorded = receipt !== undefined && receipt !== null;
  if (!isRecorded && (isJournals || unjudged.has(first.code))) return { outcome: "failed", problem: first };
  return { outcome: "refused", receipt: receipt ?? null, problems, notes };
}

/** Asks for something to be shown. */
export async function reading<Value>(caller: Caller, asked: Asked<Value>): Promise<Result<Value, Problem>> {
  const came = await caller.ask(asked);
  return came.ok ? came : err(came.error.problems[0]);
}
