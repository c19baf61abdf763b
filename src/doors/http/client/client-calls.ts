/**
 * The calls of a hub's team that have a definition, each made of its route: the body under an id, or the query, and an
 * answer that is believed only where it has the generated form.
 */
import { isMachines, type Problem, type ProblemCode } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { AnswerForm } from "../../../base/schema/answer-form.ts";
import { answerForms } from "../../../perform/operations/generated/answers.ts";
import type { AskedByHand, Calls } from "../../../perform/operations/generated/calls.ts";
import { wire } from "../../../perform/operations/generated/wire.ts";
import type { Accepted, ClaimDenial, Reply } from "../../../perform/operations/reply.ts";
import { type Asked, actOf, type Caller, ofForm, type Refused, type Shape } from "./client-caller.ts";
import type { Query, Question } from "./client-exchange.ts";
import { hubIsOlder } from "./client-problems.ts";

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
  readonly on?: "hub";
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: readonly string[];
  readonly answer: "shown" | "reply" | "stream";
  /** The method that asks is written by hand. */
  readonly byHand?: true;
  readonly isInEveryHub?: true;
  /** Of what is shown: the field that holds it; null: the answer itself. */
  readonly field?: string | null;
  /** Of a reply: what comes with it where it is accepted. */
  readonly more?: readonly string[];
  /** Of a reply: a refusal says what denies it. */
  readonly denies?: true;
}

/** The calls over `caller`. One that the hub does not know is refused here. */
export function remoteCalls(asking: Caller, place: Place, known: KnownOperations | null): Calls {
  const made = Object.entries<Route>(wire).filter(([, { byHand }]) => byHand !== true);
  const calls = made.map(([call, route]) => {
    const isKnown = known === null || route.isInEveryHub === true || known.operations.has(route.name);
    const caller = isKnown ? routed(asking, route.name) : without(asking, route.name, known);
    const form = answerForms[call as keyof typeof wire]; // a key of that very table
    return [call, route.answer === "shown" ? look(caller, place, route, form) : change(caller, place, route, form)];
  });
  return Object.fromEntries(calls);
}

/** What is asked by a call that is written by hand, with the form of its answer; `place`: the team, where it has one. */
export function askedByHand<Call extends keyof AskedByHand>(
  call: Call,
  input: AskedByHand[Call]["input"],
  place: Place | null = null,
): Asked<AskedByHand[Call]["answer"]> {
  return { ...questionOf(call, input, place), shape: ofForm(answerForms[call]) };
}

/** The request of a call. */
export function questionOf(call: keyof typeof wire, input: object, place: Place | null = null): Question {
  const route: Route = wire[call];
  const { path, rest } = placed(route, input as Input, place); // an interface of the table's own
  if (route.method === "POST") return { method: "POST", path, body: JSON.stringify(rest) };
  return { method: "GET", path, query: rest as Query }; // words, numbers, flags and lists of them
}

/** The acknowledgement of everything up to a number. */
export function acknowledged(seq: number, id: string, place: Place): Asked<Acceptance> {
  const { path, rest } = placed(wire.acknowledge, { seq }, place);
  return { ...actOf(path, rest, id), shape: isAccepted };
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

/** Which team is asked, and who asks. */
export interface Place {
  readonly team: string;
  readonly agent: string;
}

/** The whole path with its arguments in it, and the other arguments. */
function placed(
  { on, path }: Route,
  input: Input,
  place: Place | null,
): { readonly path: readonly string[]; readonly rest: Input } {
  const known: Input = { ...input, caller: place?.agent };
  const names = new Set(path.flatMap((segment) => (segment.startsWith("{") ? [segment.slice(1, -1)] : [])));
  const segments = path.map((segment) => {
    const value = segment.startsWith("{") ? known[segment.slice(1, -1)] : segment;
    return typeof value === "string" ? value : "";
  });
  return {
    path: on === "hub" ? segments : ["api", "teams", place?.team ?? "", ...segments],
    rest: Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name))),
  };
}

function look(caller: Caller, place: Place, route: Route, form: AnswerForm) {
  return async (input: Input = {}): Promise<Result<unknown, Problem>> => {
    const { path, rest } = placed(route, input, place);
    const question: Question =
      route.method === "POST"
        ? { method: "POST", path, body: JSON.stringify(rest) }
        : { method: "GET", path, query: rest as Query }; // words, numbers, flags and lists of them
    const found = await reading(caller, { ...question, shape: ofForm<Input>(form) });
    return found.ok && typeof route.field === "string" ? ok(found.value[route.field]) : found;
  };
}

function change(caller: Caller, place: Place, route: Route, form: AnswerForm) {
  return async (input: Input = {}, { id }: Named = {}): Promise<Reply> => {
    const { path, rest } = placed(route, input, place);
    return await reply(caller, { ...actOf(path, rest, id), shape: ofForm<Acceptance>(form) }, route);
  };
}

/* The answer of a hub to an operation or a question, as a `Team` returns it. */

/** An accepted operation. A hub judges a while after it answered, so its answer holds no verdicts. */
export type Acceptance = Omit<Accepted, "outcome" | "verdicts" | "settled">;

export const isAccepted: Shape<Acceptance> = ofForm("@Acceptance");

/** Requests an operation and returns its outcome, with `more` of the answer where it was accepted. */
export async function reply(
  caller: Caller,
  asked: Asked<Acceptance>,
  { more = [], denies }: Pick<Route, "more" | "denies"> = {},
): Promise<Reply> {
  const came = await caller.ask(asked);
  if (!came.ok) return replyOf(came.error, denies === true ? notDenied : undefined);
  const { receipt, receivers, notes } = came.value;
  const given: Input = { ...came.value };
  return {
    outcome: "accepted",
    receipt,
    receivers,
    notes,
    ...Object.fromEntries(more.map((name) => [name, given[name]])),
  };
}

/** Of a claim that was refused before anything could deny it. */
const notDenied: ClaimDenial = { granted: false, reason: null, holder: null, paths: [] };

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
function replyOf({ problems, receipt, notes, denial }: Refused, undenied: ClaimDenial | undefined): Reply {
  const [first] = problems;
  const isJournals = first.code.startsWith("journal-") || isMachines(first.code);
  const isRecorded = receipt !== undefined && receipt !== null;
  if (!isRecorded && (isJournals || unjudged.has(first.code))) return { outcome: "failed", problem: first };
  const known = undenied === undefined ? {} : { denial: denial ?? undenied };
  return { outcome: "refused", receipt: receipt ?? null, problems, notes, ...known };
}

/** Asks for something to be shown. */
export async function reading<Value>(caller: Caller, asked: Asked<Value>): Promise<Result<Value, Problem>> {
  const came = await caller.ask(asked);
  return came.ok ? came : err(came.error.problems[0]);
}
