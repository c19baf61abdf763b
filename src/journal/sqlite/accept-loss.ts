/** The operation that accepts what the anchor shows to be lost. */
import { argument } from "../../base/argument.ts";
import { canonical, sha256 } from "../../base/canonical.ts";
import type { MessageId, TeamName } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Json } from "../../messages/facts.ts";
import { nothingLost } from "../attempt.ts";
import { noticeLoss, receiptOf } from "../chain.ts";
import type { Entry, EntryDraft, Receipt } from "../entry.ts";
import type { Act } from "./append.ts";
import { type Answer, answering, append, type Recorded } from "./commit.ts";
import { findHolder } from "./id-index.ts";
import { foldNow } from "./read.ts";
import { type KeptFold, type Store, teamNumber } from "./store.ts";

/** Appends the epoch entry that accepts what the anchor shows to be lost. */
export function acceptLossAct<State>(
  store: Store<State>,
  team: TeamName,
  asked: AcceptedLoss,
  answer: Answer<Receipt>,
  recorded: Recorded,
): Act {
  const { by, reason, id } = asked;
  const digest = id === null ? null : sha256(canonical({ acceptLoss: reason }));
  let outcome: Result<{ readonly entry: Entry; readonly isRepeated: boolean }, Problem>;
  return {
    ...answering(answer),
    team,
    isRepair: true,
    perform() {
      const regression = store.regressions.get(team);
      const kept = foldNow(store, team);
      const earlier = kept.ok ? entryUnder(store, team, kept.value, by.agent, id) : kept;
      if (!kept.ok || !earlier.ok || earlier.value !== null || regression === undefined) {
        outcome = !earlier.ok ? earlier : repeatedLoss(team, earlier.value, digest);
        return 0;
      }
      const { notice, place } = noticeLoss(kept.value.fold.head, regression.anchor, reason);
      // A notice is plain JSON; an interface just lacks the index signature.
      const content = notice as unknown as Json;
      const draft: EntryDraft = { kind: "epoch", principal: by, id, digest, receivers: [], content };
      const { entry, bytes } = append(store, team, kept.value, draft, place);
      outcome = ok({ entry, isRepeated: false });
      return bytes;
    },
    settle() {
      if (!outcome.ok) return answer.resolve(outcome);
      const { entry, isRepeated } = outcome.value;
      if (!isRepeated) {
        store.regressions.delete(team);
        recorded(entry);
      }
      answer.resolve(ok(receiptOf(entry, store.durability, isRepeated)));
    },
  };
}

/** Who accepts a loss, why, and under which id. */
interface AcceptedLoss {
  readonly by: EntryDraft["principal"];
  readonly reason: string;
  readonly id: MessageId | null;
}

function entryUnder<State>(
  store: Store<State>,
  team: TeamName,
  kept: KeptFold<State>,
  agent: string,
  id: MessageId | null,
): Result<Entry | null, Problem> {
  const number = id === null ? null : teamNumber(store, team);
  return id === null || number === null ? ok(null) : findHolder(store, number, kept.fold, { team, agent, id });
}

/** What becomes of an accepted loss where nothing is left to accept, or where its id is recorded. */
function repeatedLoss(
  team: TeamName,
  earlier: Entry | null,
  digest: string | null,
): Result<{ readonly entry: Entry; readonly isRepeated: true }, Problem> {
  if (earlier === null) return err(nothingLost(team));
  if (earlier.digest === digest) return ok({ entry: earlier, isRepeated: true });
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
