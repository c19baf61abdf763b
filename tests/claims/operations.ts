/**
 * What the workers of the claim campaign do, and how they write it down: one line before each operation and one after its
 * answer, so that what was said is known even of a worker that was killed.
 */
import type { Grant } from "../../src/perform/operations/generated/calls.ts";
import type { Reply } from "../../src/perform/operations/reply.ts";
import type { Team } from "../../src/perform/team.ts";
import type { DenialReason } from "../../src/tasks/decide/claims.ts";
import { type Chance, chanceFrom } from "../crash/seed.ts";

/** One thing that a worker asks for. */
export type Operation =
  | { readonly act: "claim"; readonly task: string; readonly files?: readonly string[] }
  | { readonly act: "renew" | "release"; readonly task: string; readonly token?: number }
  | {
      readonly act: "complete";
      readonly task: string;
      readonly token?: number;
      readonly status: "complete" | "partial" | "failed";
    };

/** The answer that the worker got. */
export interface Answer {
  /** The entry that holds the decision. */
  readonly seq: number;
  readonly duplicate: boolean;
  readonly granted: boolean;
  /** Of a grant: its token. */
  readonly token: number | null;
  /** Of a denied claim: why, who, and which paths. */
  readonly reason: DenialReason | null;
  readonly holder: string | null;
  readonly paths: readonly string[];
  /** Of a refusal: the code of its first problem. */
  readonly code: string | null;
}

/**
 * A line of a worker's book before an operation. Times are nanoseconds of the clock that all processes of a machine
 * share.
 */
export interface Began {
  readonly began: number;
  readonly at: string;
  readonly id: string;
  readonly operation: Operation;
  /** It was asked before, and the worker was killed. */
  readonly again?: true;
}

/** The line after its answer. */
export interface Ended {
  readonly ended: number;
  readonly at: string;
  readonly answer: Answer;
}

export type Line = Began | Ended;

/** Tasks are fifty; their files lie so that many pairs of them overlap, by a file or by a folder. */
export const taskCount = 50;
const folders = ["a", "b", "c", "d", "e", "f"];

export interface TaskFacts {
  readonly task: string;
  readonly files: readonly string[];
}

/** The tasks of every campaign: two files each of 36, and every tenth a whole folder. */
export const tasks: readonly TaskFacts[] = Array.from({ length: taskCount }, (_, index) => {
  const folder = folders[index % folders.length] ?? "";
  const other = folders[(index * 5 + 1) % folders.length] ?? "";
  const files =
    index % 10 === 9 ? [`src/${folder}/`] : [`src/${folder}/${index % 7}.ts`, `src/${other}/${index % 5}.ts`];
  return { task: `1-1-T${index + 1}`, files };
});

/** What a worker does how often, from 0 to 1. */
export interface Habits {
  /** Completions that are meant to end a task. */
  readonly completions: number;
  /** Claims that name their own files. */
  readonly ownFiles: number;
}

/** Chooses the operation of a worker that was granted `held` and has lost `lost`; the same arguments choose the same. */
export function chooseOperation(
  seed: number,
  held: ReadonlyMap<string, number>,
  lost: ReadonlyMap<string, number>,
  { completions, ownFiles }: Habits,
): Operation {
  const chance = chanceFrom(seed);
  const roll = chance.next();
  const anyTask = () => tasks[chance.below(tasks.length)]?.task ?? "";
  const mine = pick(chance, [...held]);
  const gone = pick(chance, [...lost]);
  // Now and then a worker acts on what is not its own, or with a token that has had its day.
  if (roll < 0.03) return { act: "release", task: anyTask() };
  if (roll < 0.05) return { act: "renew", task: anyTask() };
  if (roll < 0.07 && gone !== null) return { act: "renew", task: gone[0], token: gone[1] };
  if (roll < 0.1 && gone !== null) return { act: "release", task: gone[0], token: gone[1] };
  if (roll < 0.12 && gone !== null) return { act: "complete", task: gone[0], token: gone[1], status: "partial" };
  if (mine === null || (held.size < 5 && roll < 0.6)) return claimOf(chance, anyTask(), ownFiles);
  const [task, token] = mine;
  if (roll < 0.66) return { act: "renew", task, token };
  if (roll < 0.7) return { act: "claim", task };
  if (roll < 0.9) return { act: "release", task, token };
  if (chance.next() < completions) return { act: "complete", task, token, status: "complete" };
  return { act: "complete", task, token, status: chance.next() < 0.5 ? "partial" : "failed" };
}

/** Mostly with the task's own files, sometimes with others. */
function claimOf(chance: Chance, task: string, ownFiles: number): Operation {
  if (chance.next() >= ownFiles) return { act: "claim", task };
  const folder = folders[chance.below(folders.length)] ?? "";
  return {
    act: "claim",
    task,
    files: [chance.next() < 0.2 ? `src/${folder}/` : `src/${folder}/${chance.below(7)}.ts`],
  };
}

function pick<Item>(chance: Chance, items: readonly Item[]): Item | null {
  return items[chance.below(Math.max(1, items.length))] ?? null;
}

/** Asks, and says what was answered; null: the journal gave no answer, so the request must be repeated. */
export async function perform(team: Team, operation: Operation, id: string): Promise<Answer | null> {
  switch (operation.act) {
    case "claim": {
      const { act: _, ...claimed } = operation;
      return answerOf(await team.claim(claimed, { id }));
    }
    case "renew": {
      const { act: _, task, ...which } = operation;
      return answerOf(await team.renew({ task, ...which }, { id }));
    }
    case "release": {
      const { act: _, task, ...which } = operation;
      return answerOf(await team.release({ task, ...which }, { id }));
    }
    case "complete": {
      const { act: _, ...completion } = operation;
      const commit = completion.status === "complete" ? { commit: "abc1234" } : {};
      return answerOf(await team.complete({ ...completion, ...commit }, { id }));
    }
  }
}

function answerOf(reply: Reply | Reply<Grant>): Answer | null {
  // Every decision about work is an entry, the refused ones too.
  if (reply.outcome === "failed" || reply.receipt === null) return null;
  const { seq, duplicate } = reply.receipt;
  const code = reply.outcome === "refused" ? (reply.problems[0]?.code ?? "none") : null;
  return {
    seq,
    duplicate,
    granted: reply.outcome === "accepted",
    token: "token" in reply ? reply.token : null,
    reason: null,
    holder: null,
    paths: [],
    code,
    ...(reply.outcome === "refused" ? reply.denial : {}),
  };
}
