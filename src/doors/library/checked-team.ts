/**
 * A team whose calls check what they are given: the way from a program to the runtime or to a hub's client. What is wrong
 * is answered, never thrown, and reaches neither. Loaded when a team is opened, because the shapes need zod.
 */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { RepositoryPlace } from "../../evidence/services/gate.ts";
import type { Delivery } from "../../mail/operations.ts";
import { callOf } from "../../perform/operations/command-page.ts";
import type { OperationDefinition } from "../../perform/operations/define.ts";
import type { Calls } from "../../perform/operations/generated/calls.ts";
import { madeOperations } from "../../perform/operations/registry.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import type { WorkingTeam } from "../../perform/team.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import {
  callShapes,
  inProgramWords,
  readArguments,
  readMessageText,
  readReceivers,
  readWith,
  replyInProgramWords,
} from "./arguments.ts";
import { type CallTracker, trackCalls, waitForVerdict } from "./call-tracker.ts";
import type { LogOptions, Team, WatchOptions } from "./team.ts";

/** What a checked team needs besides the team itself. */
export interface CheckedTeamOptions {
  /** Where the team's work is on this machine; a hub looks into its own repository. */
  readonly place: RepositoryPlace;
  /** Called as soon as the team must be closed, so that nothing is read any more; what is being recorded is finished. */
  stop?(): void;
}

/** What every part of the team works with. */
interface Inside {
  readonly team: WorkingTeam;
  readonly calls: CallTracker;
}

/** The team over `team`, which is disposed of when this one is closed. */
export function checkedTeam(team: WorkingTeam, { place, stop }: CheckedTeamOptions): Team {
  const calls = trackCalls({ stop, end: async () => await team[Symbol.asyncDispose]() });
  const inside: Inside = { team, calls };
  return {
    name: team.name,
    agent: team.actor.agent,
    ...definedCalls(inside),
    ...messageCalls(inside),
    ...repositoryCalls(inside, place),
    ...recordCalls(inside),
    heartbeat: () => reading(calls, () => team.heartbeat()),
    close: () => calls.close(),
    [Symbol.asyncDispose]: () => calls.close(),
  };
}

/** A call that changes nothing but answers: not made once the team is closed, and refused in a program's words. */
async function reading<Value>(
  calls: CallTracker,
  look: () => Promise<Result<Value, Problem>>,
): Promise<Result<Value, Problem>> {
  const found = await calls.run(look, (closed) => err(closed));
  return found.ok ? found : err(inProgramWords(found.error));
}

/** A call that changes something, in the same way. */
async function changing(calls: CallTracker, change: () => Promise<Reply>): Promise<Reply> {
  return replyInProgramWords(await calls.run(change, (closed) => refused([closed])));
}

function refused(problems: readonly Problem[]): Reply {
  return { outcome: "refused", receipt: null, problems: problems.map(inProgramWords), notes: [] };
}

function first(problems: readonly Problem[]): Problem {
  return problems[0] ?? makeProblem("wrong-type", "arguments", "These arguments cannot be read.");
}

/** The calls that are made of a definition: their input is read by its shape. */
function definedCalls(inside: Inside): Calls {
  const all = madeOperations.map((definition) => {
    const act = (input: unknown, options: unknown) =>
      definition.answer.kind === "shown"
        ? look(inside, definition, input)
        : change(inside, definition, [input, options]);
    return [definition.call, act];
  });
  return Object.fromEntries(all);
}

async function look(
  { team, calls }: Inside,
  definition: OperationDefinition,
  given: unknown,
): Promise<Result<unknown, Problem>> {
  const input = readArguments(definition.input, given);
  if (!input.ok) return err(inProgramWords(first(input.error)));
  return await reading(calls, () => callOf<Result<unknown, Problem>>(team, definition)(input.value, {}));
}

async function change(
  { team, calls }: Inside,
  definition: OperationDefinition,
  [given, options]: readonly [unknown, unknown],
): Promise<Reply> {
  const input = readArguments(definition.input, given);
  const named = readArguments(callShapes.named, options);
  const problems = [...(input.ok ? [] : input.error), ...(named.ok ? [] : named.error)];
  if (!input.ok || !named.ok) return refused(problems);
  return await changing(calls, () => callOf<Reply>(team, definition)(input.value, named.value));
}

function messageCalls({ team, calls }: Inside): Pick<Team, "send" | "inbox" | "receive" | "acknowledge"> {
  return {
    async send(message, options) {
      const text = readMessageText(message);
      if (!text.ok) return refused([text.error]);
      const read = readArguments(callShapes.send, options);
      if (!read.ok) return refused(read.error);
      const { to, ...rest } = read.value;
      const receivers = readReceivers(to);
      if (!receivers.ok) return refused([receivers.error]);
      const named = receivers.value.length === 0 ? {} : { to: receivers.value };
      return await changing(calls, () => team.send(text.value, { ...rest, ...named }));
    },
    async inbox(options) {
      const read = readArguments(callShapes.inbox, options);
      if (!read.ok) return err(inProgramWords(first(read.error)));
      const { signal } = read.value;
      return await reading(calls, () => team.inbox({ ...read.value, signal: calls.signalWith(signal) }));
    },
    receive: (options) => calls.pulled(received({ team, calls }, options)),
    async acknowledge(seq, options) {
      const read = readWith(callShapes.acknowledge, { seq }, options);
      if (!read.ok) return refused(read.error);
      const { seq: upTo, ...named } = read.value;
      return await changing(calls, () => team.acknowledge(upTo, named));
    },
  };
}

/** One wait for mail, in milliseconds: an agent that waits shows that it is there. */
const mailWaitMs = 60_000;

async function* received({ team, calls }: Inside, options: unknown): AsyncGenerator<Result<Delivery, Problem>, void> {
  const read = readArguments(callShapes.signal, options);
  if (!read.ok) return yield err(inProgramWords(first(read.error)));
  if (calls.closed !== null) return yield err(calls.closed);
  const signal = calls.signalWith(read.value.signal);
  let after = 0;
  while (!signal.aborted) {
    const page = await team.inbox({ after, waitMs: mailWaitMs, signal });
    if (signal.aborted) return;
    if (!page.ok && page.error.code !== "timed-out") return yield err(inProgramWords(page.error));
    for (const delivery of page.ok ? page.value.deliveries : []) {
      after = delivery.seq;
      yield ok(delivery);
      if (signal.aborted) return;
    }
  }
}

function repositoryCalls(
  { team, calls }: Inside,
  place: RepositoryPlace,
): Pick<Team, "verify" | "verifyArtifacts" | "waitForVerdict"> {
  return {
    async verify(options) {
      const read = readArguments(callShapes.verify, options);
      if (!read.ok) return err(inProgramWords(first(read.error)));
      const { tasks, signal } = read.value;
      const named = tasks === undefined ? {} : { tasks };
      return await reading(calls, () => team.verify(place, { ...named, checks: {}, signal: calls.signalWith(signal) }));
    },
    async waitForVerdict(options) {
      const read = readArguments(callShapes.verdict, options);
      if (!read.ok) return err(inProgramWords(first(read.error)));
      const { waitMs, signal, ...task } = read.value;
      const given = calls.signalWith(signal);
      const bounded = waitMs === undefined ? given : AbortSignal.any([given, AbortSignal.timeout(waitMs)]);
      return await reading(calls, () => waitForVerdict(team, { ...task, signal: bounded }));
    },
    async verifyArtifacts(options) {
      const read = readArguments(callShapes.signal, options);
      if (!read.ok) return err(inProgramWords(first(read.error)));
      const signal = calls.signalWith(read.value.signal);
      return await reading(calls, () => team.verifyArtifacts(place, { signal }));
    },
  };
}

function recordCalls({ team, calls }: Inside): Pick<Team, "log" | "show" | "watch"> {
  return {
    log: (options) => calls.pulled(logged({ team, calls }, options)),
    async show(key, options) {
      const read = readWith(callShapes.show, { key }, options);
      if (!read.ok) return err(inProgramWords(first(read.error)));
      const { key: asked, ...whose } = read.value;
      return await reading(calls, () => team.show(String(asked), whose));
    },
    watch: (options) => calls.pulled(watched({ team, calls }, options)),
  };
}

async function* logged(
  { team, calls }: Inside,
  options: LogOptions | undefined,
): AsyncGenerator<Result<LogLine, Problem>, void> {
  const read = readArguments(callShapes.log, options);
  if (!read.ok) return yield err(inProgramWords(first(read.error)));
  if (calls.closed !== null) return yield err(calls.closed);
  for await (const line of team.log({ ...read.value, signal: calls.signalWith(read.value.signal) })) {
    yield line.ok ? line : err(inProgramWords(line.error));
    if (calls.closed !== null) return yield err(calls.closed);
  }
}

async function* watched(
  { team, calls }: Inside,
  options: WatchOptions | undefined,
): AsyncGenerator<Result<LogLine, Problem>, void> {
  const read = readArguments(callShapes.watch, options);
  if (!read.ok) return yield err(inProgramWords(first(read.error)));
  if (calls.closed !== null) return yield err(calls.closed);
  const signal = calls.signalWith(read.value.signal);
  const status = read.value.after === undefined ? await team.status() : null;
  if (signal.aborted) return;
  if (status?.ok === false) return yield err(inProgramWords(status.error));
  const after = read.value.after ?? status?.value.head.seq ?? 0;
  for await (const line of team.follow({ after, signal })) {
    yield ok(line);
    if (signal.aborted) return;
  }
  if (signal.aborted) return;
  // Following ends by itself only where it can no longer be done; asking says why.
  const now = await team.status();
  const lost = makeProblem("interrupted", team.name, "The record can no longer be followed from here.", {
    hint: "Watch again with `arguments.after` of the last entry.",
  });
  yield err(inProgramWords(now.ok ? lost : now.error));
}
