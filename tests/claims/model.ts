/**
 * A naive model of tasks and claims, written from docs/protocol/tasks.md without a look at the rules in
 * `src/coordination`: lists that are searched from end to end. It takes the answers as they were given, one after the
 * other in journal order, and says where it would have answered otherwise.
 */
import type { Entry } from "../../src/journal/entry.ts";
import { type Answer, type Operation, tasks } from "./operations.ts";
import { leaseMs } from "./worker-team.ts";

export interface Model {
  /** An answer that was given. Yields what is wrong with it. */
  take(agent: string, operation: Operation, answer: Answer): Iterable<string>;
  /** An entry in which deadlines passed. Yields claims that ran out too early, or that nobody held. */
  expire(entry: Entry): Iterable<string>;
  /** An entry of an agent was recorded. */
  sign(agent: string, atMs: number): void;
  /** How many claims ran out. */
  expired(): number;
}

interface Claim {
  readonly holder: string;
  readonly token: number;
  files: readonly string[];
}

interface Task {
  readonly task: string;
  readonly files: readonly string[];
  claim: Claim | null;
  /** Every grant, oldest first. */
  readonly grants: Claim[];
  doneBy: string | null;
}

/** What the model would have answered. A refusal's reason is null where it is not about the task being free. */
interface Expected {
  readonly granted: boolean;
  readonly token?: number;
  readonly reason?: Answer["reason"];
  readonly holders?: readonly string[];
  readonly paths?: readonly string[];
}

/** The model before the first operation. */
export function newModel(): Model {
  const board: readonly Task[] = tasks.map(({ task, files }) => ({
    task,
    files,
    claim: null,
    grants: [],
    doneBy: null,
  }));
  const signs = new Map<string, number>();
  let ranOut = 0;
  const find = (name: string): Task => {
    const found = board.find(({ task }) => task === name);
    if (found === undefined) throw new Error(`the campaign knows no task ${name}`);
    return found;
  };
  return {
    *take(agent, operation, answer) {
      const task = find(operation.task);
      const expected = expect(board, task, agent, operation, answer);
      const difference = differenceOf(expected, answer);
      if (difference !== null) yield `${answer.seq}: ${agent} ${operation.act} ${task.task}: ${difference}`;
      if (!answer.granted) return;
      const before = task.claim?.holder ?? agent;
      if (operation.act === "claim" && before !== agent) {
        yield `${answer.seq}: ${before} and ${agent} hold ${task.task} at once`;
      }
      apply(task, agent, operation, answer);
      yield* collisions(board, task, answer.seq);
    },
    *expire(entry) {
      const atMs = Date.parse(entry.recordedAt);
      for (const { holder, tasks: ended } of expiredIn(entry)) {
        const early = (signs.get(holder) ?? 0) + leaseMs - atMs;
        if (early > 0) yield `${entry.seq}: the claims of ${holder} ran out ${early} ms early`;
        for (const name of ended) {
          const task = find(name);
          if (task.claim?.holder !== holder) yield `${entry.seq}: ${holder} did not hold ${name}, which ran out`;
          task.claim = null;
          ranOut++;
        }
      }
    },
    sign: (agent, atMs) => void signs.set(agent, Math.max(atMs, signs.get(agent) ?? 0)),
    expired: () => ranOut,
  };
}

function expect(board: readonly Task[], task: Task, agent: string, operation: Operation, answer: Answer): Expected {
  const mine = mayAct(task, agent, "token" in operation ? operation.token : undefined);
  switch (operation.act) {
    case "claim":
      return expectClaim(board, task, agent, operation.files, answer);
    case "renew":
      return mine && task.claim !== null ? { granted: true, token: task.claim.token } : { granted: false };
    case "release":
      return { granted: mine };
    case "complete":
      // What is done stays so until its reporter takes the report back, which it may also repeat.
      if (task.doneBy !== null) return { granted: mine && task.doneBy === agent && operation.status !== "partial" };
      return { granted: mine };
  }
}

function expectClaim(
  board: readonly Task[],
  task: Task,
  agent: string,
  files: readonly string[] | undefined,
  { seq }: Answer,
): Expected {
  const asked = files ?? (task.claim?.holder === agent ? [] : task.files);
  const met = board.filter(({ claim }) => claim !== null && claim.holder !== agent && meets(claim.files, asked));
  const paths = met.flatMap(({ claim }) => (claim?.files ?? []).filter((file) => meets([file], asked)));
  if (task.doneBy !== null) return { granted: false, reason: "done" };
  if (task.claim !== null && task.claim.holder !== agent) {
    return { granted: false, reason: "held", holders: [task.claim.holder], paths };
  }
  if (met.length > 0) {
    return { granted: false, reason: "overlap", holders: met.flatMap(({ claim }) => claim?.holder ?? []), paths };
  }
  return { granted: true, token: task.claim?.token ?? seq };
}

/** Whether an agent may act as the task's holder: by the token of the last grant, or, with none, unless another holds it. */
function mayAct({ claim, grants }: Task, agent: string, token: number | undefined): boolean {
  if (token === undefined) return claim === null || claim.holder === agent;
  const last = grants.at(-1);
  return last?.holder === agent && last.token === token;
}

function differenceOf(expected: Expected, told: Answer): string | null {
  const said = told.granted ? `granted ${told.token}` : `refused (${told.reason ?? told.code})`;
  if (expected.granted !== told.granted)
    return `${said}, and the model ${expected.granted ? "grants" : `refuses ${expected.reason ?? ""}`}`;
  if (expected.granted) {
    return expected.token === undefined || expected.token === told.token
      ? null
      : `${said}, and the model grants ${expected.token}`;
  }
  if (expected.reason !== undefined && expected.reason !== told.reason)
    return `${said}, and the model says ${expected.reason}`;
  if (expected.holders !== undefined && !expected.holders.includes(told.holder ?? "")) {
    return `${told.holder} is named, and the model knows ${expected.holders.join(", ")}`;
  }
  const named = (paths: readonly string[]) => [...new Set(paths.map(withoutSlash))].toSorted().join(" ");
  if (expected.paths !== undefined && named(expected.paths) !== named(told.paths)) {
    return `${named(told.paths)} are named, and the model knows ${named(expected.paths)}`;
  }
  return null;
}

function apply(task: Task, agent: string, operation: Operation, answer: Answer): void {
  switch (operation.act) {
    case "claim": {
      const files = operation.files ?? task.files;
      if (task.claim?.holder === agent) {
        task.claim.files = [...task.claim.files, ...(operation.files ?? [])];
        return;
      }
      task.claim = { holder: agent, token: answer.token ?? 0, files };
      task.grants.push(task.claim);
      return;
    }
    case "renew":
      return;
    case "release":
      task.claim = null;
      return;
    case "complete":
      if (operation.status === "failed" && task.doneBy === agent) task.doneBy = null;
      if (operation.status !== "complete") return;
      // A task that nobody holds is claimed for that moment, and its previous holder is fenced.
      if (task.claim === null && task.doneBy === null) {
        task.grants.push({ holder: agent, token: answer.seq, files: task.files });
      }
      task.claim = null;
      task.doneBy = agent;
  }
}

/** Claims of others that share a file with the task's. */
function* collisions(board: readonly Task[], { task, claim }: Task, seq: number): Iterable<string> {
  for (const other of board) {
    if (claim === null || other.claim === null || other.claim.holder === claim.holder) continue;
    if (meets(claim.files, other.claim.files)) {
      yield `${seq}: ${claim.holder} (${task}) and ${other.claim.holder} (${other.task}) hold the same file at once`;
    }
  }
}

/** Whether some file of the one is, is in, or holds one of the other. */
function meets(some: readonly string[], others: readonly string[]): boolean {
  return some.some((one) => others.some((other) => liesIn(one, other) || liesIn(other, one)));
}

function liesIn(file: string, folder: string): boolean {
  return withoutSlash(file) === withoutSlash(folder) || file.startsWith(`${withoutSlash(folder)}/`);
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

/** What an entry says about claims that ran out: holders and the tasks that each lost. */
function expiredIn({ content }: Entry): readonly { readonly holder: string; readonly tasks: readonly string[] }[] {
  const { events = [] } = content as unknown as { readonly events?: readonly LeaseEvent[] }; // a timer's entry
  return events.flatMap((event) => (event.event === "leases-expired" ? event.holders : []));
}

interface LeaseEvent {
  readonly event: string;
  readonly holders: readonly { readonly holder: string; readonly tasks: readonly string[] }[];
}
