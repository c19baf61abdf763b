/**
 * The gate for an agent that repeats a refused request: each one is answered, few are recorded. Those that are not
 * recorded are counted next to the journal. Source: docs/protocol/record.md, section 1.
 */
import { steadyNow } from "../base/clock.ts";
import { isJsonList, type Json, parseBounded } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { EntryDraft } from "../journal/entry.ts";
import { type RefusedRequest, singlyMax } from "../needs/view/refusal-loops.ts";
import type { Gate } from "./commit.ts";
import { asJson, contentOfDraft, type RecordedContent } from "./content.ts";
import type { Actor, TeamContext } from "./context.ts";
import { heartbeat } from "./heartbeat.ts";
import type { TeamState } from "./state.ts";

/** After so long an equal refusal is recorded again: ten minutes. */
const apartMs = 600_000;
/** Most requests of an agent that are counted at a time. */
const countedMax = 20;

/** A request that was refused as often before as is recorded one by one. */
interface Repeated {
  readonly same: string;
  readonly before: RefusedRequest;
  readonly problems: readonly Problem[];
}

/** Counts an equal refusal instead of recording it, until its number or its time is due. */
export function repeats(context: TeamContext, actor: Actor): Gate {
  let due: (Repeated & { readonly unrecorded: number }) | null = null;
  return {
    after(draft, state) {
      const repeated = repeatedIn(state, actor, draft);
      if (repeated === null) return draft;
      const { same, before, problems } = repeated;
      if (due !== null) {
        const isSame = same === due.same && before.seq === due.before.seq;
        return isSame ? withUnrecorded(draft, due.unrecorded - 1) : draft;
      }
      return {
        decline: problems,
        draft,
        remedy: async () => {
          const counted = await countOne(context, actor.agent, repeated);
          if (!counted.ok) return counted;
          const isDue =
            /^10+$/.test(String(before.times + counted.value)) || steadyNow(context.clock) - before.atMs >= apartMs;
          if (isDue) due = { ...repeated, unrecorded: counted.value };
          // A replaced program has no heartbeat; its answer says so already.
          else await heartbeat(context, actor);
          return ok(isDue ? "again" : "done");
        },
      };
    },
  };
}

/** What a decision refuses once more; null: it accepts, or its refusal is recorded. */
function repeatedIn({ refusedRequests }: TeamState, { agent }: Actor, draft: EntryDraft): Repeated | null {
  if (draft.kind !== "refusal") return null;
  const { refused, problems = [] } = contentOfDraft(draft);
  const same = refused?.same;
  const before = same === undefined ? undefined : refusedRequests.get(agent)?.get(same);
  if (same === undefined || before === undefined || before.times < singlyMax) return null;
  return { same, before, problems };
}

function withUnrecorded(draft: EntryDraft, unrecorded: number): EntryDraft {
  const { refused, ...content } = contentOfDraft(draft);
  const counted: RecordedContent =
    refused === undefined ? content : { ...content, refused: { ...refused, unrecorded } };
  return { ...draft, content: asJson(counted) };
}
/** Counts one refusal that is not recorded; answers how many there are since the entry that was. */
async function countOne(
  { journal, team }: TeamContext,
  agent: string,
  { same, before: { seq } }: Repeated,
): Promise<Result<number, Problem>> {
  let times = 1;
  // No agent can have such a name.
  const noted = await journal.note(team, `${agent}/refused`, (text) => {
    const counts = countsIn(text);
    const found = counts.find(([of, since]) => of === same && since === seq);
    times = (found?.[2] ?? 0) + 1;
    const others = counts.filter(([of]) => of !== same).slice(1 - countedMax);
    return JSON.stringify([...others, [same, seq, times]]);
  });
  return noted.ok ? ok(times) : noted;
}

type Count = readonly [same: string, seq: number, times: number];

/** What this file noted; anything else counts as nothing. */
function countsIn(text: string | null): readonly Count[] {
  const read = text === null ? null : parseBounded(text);
  return read?.ok === true && isJsonList(read.value) ? read.value.flatMap((each) => countOf(each)) : [];
}

function countOf(said: Json): readonly Count[] {
  if (!isJsonList(said)) return [];
  const [same, seq, times] = said;
  return typeof same === "string" && typeof seq === "number" && typeof times === "number" ? [[same, seq, times]] : [];
}
