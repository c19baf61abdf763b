/**
 * The check in witness order. The journal says in which order the operations took effect; so no operation may have
 * ended before one with an earlier entry began, and each answer must be what a naive model says when it is asked in
 * that order.
 */
import type { Entry } from "../../src/journal/entry.ts";
import { type Model, newModel } from "./model.ts";
import type { Answer, Began, Line, Operation } from "./operations.ts";

export interface Findings {
  /** Operations that were answered. */
  readonly operations: number;
  readonly grants: number;
  readonly denials: number;
  readonly completions: number;
  /** Claims that ran out. */
  readonly expired: number;
  /** Operations that had been recorded although their worker died before it knew. */
  readonly repeated: number;
  readonly entries: number;
  /** What must not be; at most a few of each kind are reported. */
  readonly violations: readonly string[];
}

/** An operation with its answer. `began`: when the attempt began that was decided. */
interface Performed {
  readonly agent: string;
  readonly id: string;
  readonly operation: Operation;
  readonly began: bigint;
  readonly ended: bigint;
  readonly answer: Answer;
}

/** Everything that is wrong with the workers' answers, given the journal. */
export function checkWitness(entries: readonly Entry[], books: ReadonlyMap<string, readonly Line[]>): Findings {
  const performed = [...books].flatMap(([agent, lines]) => performedBy(agent, lines));
  const model = newModel();
  const wrong = [
    ...entryProblems(entries, performed),
    ...orderProblems(performed),
    ...replay(entries, performed, model),
  ];
  const answers = performed.map(({ answer }) => answer);
  return {
    operations: performed.length,
    grants: answers.filter(({ token }) => token !== null).length,
    denials: answers.filter(({ reason }) => reason !== null).length,
    completions: performed.filter(
      ({ operation, answer }) => answer.granted && operation.act === "complete" && operation.status === "complete",
    ).length,
    expired: model.expired(),
    repeated: answers.filter(({ duplicate }) => duplicate).length,
    entries: entries.length,
    violations: wrong,
  };
}

function performedBy(agent: string, lines: readonly Line[]): readonly Performed[] {
  const performed: Performed[] = [];
  const asked = new Map<number, { readonly first: Began; readonly latest: Began }>();
  for (const line of lines) {
    if ("began" in line) {
      asked.set(line.began, { first: asked.get(line.began)?.first ?? line, latest: line });
      continue;
    }
    const attempts = asked.get(line.ended);
    if (attempts === undefined) continue;
    // What is recorded already may have been recorded by any attempt; what is not, was decided by the last.
    const { id, operation } = attempts.first;
    const { at } = line.answer.duplicate ? attempts.first : attempts.latest;
    performed.push({ agent, id, operation, began: BigInt(at), ended: BigInt(line.at), answer: line.answer });
  }
  return performed;
}

/** Each answer is in the journal where its receipt says, under its id, and no id was accepted twice. */
function* entryProblems(entries: readonly Entry[], performed: readonly Performed[]): Iterable<string> {
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  for (const { agent, id, answer } of performed) {
    const entry = bySeq.get(answer.seq);
    const isThat = entry?.id === id && entry.principal.agent === agent && (entry.kind === "refusal") !== answer.granted;
    if (!isThat) yield `the answer to ${id} is not entry ${answer.seq}`;
  }
  const accepted = new Set<string>();
  for (const { id, kind, seq } of entries) {
    if (id === null || kind === "refusal") continue;
    if (accepted.has(id)) yield `${id} was accepted twice, the second time at ${seq}`;
    accepted.add(id);
  }
}

/** No operation ends before one earlier in the journal begins. */
function* orderProblems(performed: readonly Performed[]): Iterable<string> {
  let latest: Performed | null = null;
  for (const each of performed.toSorted((a, b) => a.answer.seq - b.answer.seq)) {
    if (latest !== null && each.ended < latest.began) {
      yield `${each.id} (${each.answer.seq}) ended before ${latest.id} (${latest.answer.seq}) began`;
    }
    if (latest === null || each.began > latest.began) latest = each;
  }
}

/** The answers in journal order, against the model. A refusal without an answer is still a heartbeat. */
function* replay(entries: readonly Entry[], performed: readonly Performed[], model: Model): Iterable<string> {
  const bySeq = new Map(performed.map((each) => [each.answer.seq, each]));
  for (const entry of entries) {
    if (entry.kind === "timer") yield* model.expire(entry);
    const told = bySeq.get(entry.seq);
    if (told !== undefined) yield* model.take(told.agent, told.operation, told.answer);
    model.sign(entry.principal.agent, Date.parse(entry.recordedAt));
  }
}
