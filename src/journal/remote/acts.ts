/**
 * The operations of a lane: a commit, entries of another journal, a heartbeat, a note, an accepted loss, and a look at
 * the fold. Each answers its promise once the transaction is durable.
 */

import { argument } from "../../base/argument.ts";
import { canonical, sha256 } from "../../base/canonical.ts";
import type { MessageId, TeamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Json } from "../../messages/facts.ts";
import { decideAttempt, nothingLost } from "../attempt.ts";
import { continuation, noticeLoss, receiptOf, sealEntry, stampOf } from "../chain.ts";
import type { Entry, EntryDraft, Head, Receipt } from "../entry.ts";
import type { Attempt, Committed } from "../journal.ts";
import type { KeptFold, Store } from "./store.ts";
import type { Act, Turn } from "./turn.ts";

/** Where an operation's answer goes. */
export interface Reply<Value> {
  resolve(value: Result<Value, Problem>): void;
  reject(error: unknown): void;
}

function replying<Value>(reply: Reply<Value>): Pick<Act<never>, "refuse" | "abandon"> {
  return { refuse: (reason) => reply.resolve(err(reason)), abandon: (error) => reply.reject(error) };
}

/** Answers the fold at the head. */
export function lookAct<State>(reply: Reply<KeptFold<State>>): Act<State> {
  return { ...replying(reply), settle: (kept) => reply.resolve(ok(kept)) };
}

/** A commit. When `decide` throws, this commit alone is rejected with what it threw. */
export function commitAct<State>(
  store: Store<State>,
  team: TeamName,
  attempt: Attempt<State>,
  reply: Reply<Committed>,
): Act<State> {
  let committed: Result<Committed, Problem>;
  const { once } = attempt;
  const ids = once === null ? [] : once.orId === undefined ? [once.id] : [once.id, once.orId];
  return {
    ...replying(reply),
    pairs: ids.map((id) => ({ id, agent: once?.principal ?? "" })),
    perform(turn) {
      const { head } = turn;
      const decided = decideAttempt(attempt, {
        team,
        head,
        state: turn.kept.fold.state,
        durability: store.backend.durability,
        findEarlier: (agent, id) => turn.holder({ id, agent }),
        heartbeat: (agent) => turn.signOf(agent),
      });
      committed = ok("answer" in decided ? decided.answer : recorded(store, team, turn, decided.draft));
    },
    repeats: () => committed.ok && committed.value.outcome === "duplicate",
    settle: () => reply.resolve(committed),
  };
}

function recorded<State>(store: Store<State>, team: TeamName, turn: Turn<State>, draft: EntryDraft): Committed {
  const sealed = sealEntry(team, turn.head, draft, stampOf(store.clock));
  turn.add(sealed);
  return {
    outcome: "recorded",
    receipt: receiptOf(sealed.entry, store.backend.durability, false),
    entry: sealed.entry,
  };
}

/** Appends what of `entries` the team's stream does not hold yet, all or none. Refuses as `continuation` does. */
export function restoreAct<State>(team: TeamName, entries: readonly Entry[], reply: Reply<Head>): Act<State> {
  let outcome: Result<Head, Problem>;
  return {
    ...replying(reply),
    isAlone: true,
    perform(turn) {
      const more = continuation(team, turn.head, entries);
      for (const sealed of more.ok ? more.value : []) turn.add(sealed);
      outcome = more.ok ? ok(turn.head) : more;
    },
    repeats: () => outcome.ok,
    settle: () => reply.resolve(outcome),
  };
}

/** Keeps an agent's heartbeat; a team without entries has nobody who could give one. */
export function signAct<State>(agent: string, at: () => number, reply: Reply<void>): Act<State> {
  // Asked once, also where the transaction must be repeated: the heartbeat came at that time.
  let asked: number | null = null;
  return {
    ...replying(reply),
    perform(turn) {
      if (turn.head.seq === 0) return;
      asked ??= at();
      turn.sign(agent, asked);
    },
    settle: () => reply.resolve(ok(undefined)),
  };
}

/** Changes what is noted about an agent. */
export function noteAct<State>(
  agent: string,
  change: (before: string | null) => string | null,
  reply: Reply<void>,
): Act<State> {
  return {
    ...replying(reply),
    isNote: true,
    perform(turn) {
      const text = turn.head.seq === 0 ? null : change(turn.notes.get(agent) ?? null);
      if (text !== null) turn.note(agent, text);
    },
    settle: () => reply.resolve(ok(undefined)),
  };
}

/** Who accepts a loss, why, and under which id. */
interface AcceptedLoss {
  readonly by: EntryDraft["principal"];
  readonly reason: string;
  readonly id: MessageId | null;
}

/** Appends the epoch entry that accepts what is known to be lost. */
export function acceptLossAct<State>(
  store: Store<State>,
  team: TeamName,
  { by, reason, id }: AcceptedLoss,
  reply: Reply<Receipt>,
): Act<State> {
  const digest = id === null ? null : sha256(canonical({ acceptLoss: reason }));
  let outcome: Result<Receipt, Problem>;
  return {
    ...replying(reply),
    isRepair: true,
    isAlone: true,
    pairs: id === null ? [] : [{ id, agent: by.agent }],
    perform(turn) {
      const earlier = id === null ? null : turn.holder({ id, agent: by.agent });
      const regression = store.regressions.get(team);
      if (earlier !== null || regression === undefined) {
        outcome = earlier === null ? err(nothingLost(team)) : repeated(store, earlier, digest);
        return;
      }
      const { notice, place } = noticeLoss(turn.head, regression.anchor, reason);
      // A notice is plain JSON; an interface just lacks the index signature.
      const content = notice as unknown as Json;
      const draft: EntryDraft = { kind: "epoch", principal: by, id, digest, receivers: [], content };
      const sealed = sealEntry(team, turn.head, draft, stampOf(store.clock), place);
      turn.add(sealed);
      outcome = ok(receiptOf(sealed.entry, store.backend.durability, false));
    },
    repeats: () => outcome.ok && outcome.value.duplicate,
    settle(kept) {
      if (outcome.ok && !outcome.value.duplicate) {
        store.regressions.delete(team);
        store.seen.set(team, kept.fold.head);
        store.heads?.move();
        kept.isChecked = true;
      }
      reply.resolve(outcome);
    },
  };
}

function repeated(store: Store<unknown>, earlier: Entry, digest: string | null): Result<Receipt, Problem> {
  if (earlier.digest === digest) return ok(receiptOf(earlier, store.backend.durability, true));
  const hint = "To repeat an operation, give the same reason as then. Something new needs a new id.";
  return err(
    makeProblem(
      "id-conflict",
      argument("id"),
      `This id was used before, for something else: it is entry ${earlier.seq}.`,
      {
        hint,
      },
    ),
  );
}
