/** Errors planted between the core and its journal: what is kept, found again, and reported. */
import type { JsonObject } from "../../src/base/json.ts";
import { ok } from "../../src/base/result.ts";
import type { EntryDraft } from "../../src/journal/entry.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { teamProjection } from "../../src/perform/projection.ts";
import type { TeamState } from "../../src/perform/state.ts";
import type { Plant } from "./planting.ts";

type Kept = Journal<TeamState>;

/** An error in the journal itself. */
function journal(problem: string, wrap: (kept: Kept) => Partial<Kept>): Plant {
  return { problem, plant: () => ({ journal: (kept) => ({ ...kept, ...wrap(kept) }) }) };
}

/** Drafts as they are written instead; null: as they are. */
export function writing(problem: string, change: (draft: EntryDraft, state: TeamState) => EntryDraft): Plant {
  return journal(problem, (kept) => ({
    commit: (team, attempt) =>
      kept.commit(team, {
        once: attempt.once,
        decide(state, moment) {
          const decided = attempt.decide(state, moment);
          return "decline" in decided ? decided : change(decided, state);
        },
      }),
  }));
}

/** The draft without the events of these names. */
export function without(draft: EntryDraft, ...names: readonly string[]): EntryDraft {
  const content = draft.content as JsonObject & { readonly events?: readonly { readonly event: string }[] };
  const events = (content.events ?? []).filter(({ event }) => !names.includes(event));
  return { ...draft, content: { ...content, events } };
}

/** Errors of the journal, and of what the runtime hands it. */
export const journalPlants: readonly Plant[] = [
  journal("an act that is repeated happens again", (kept) => {
    let count = 0;
    return {
      commit: (team, attempt) => {
        const { once } = attempt;
        if (once === null || ++count % 7 !== 0) return kept.commit(team, attempt);
        const id = `${once.id}-again`;
        return kept.commit(team, {
          once: { ...once, id },
          decide: (state, moment) => {
            const decided = attempt.decide(state, moment);
            return "decline" in decided ? decided : ({ ...decided, id } as EntryDraft);
          },
        });
      },
    };
  }),
  journal("a receipt is given for what was not written", (kept) => {
    let count = 0;
    return {
      commit: async (team, attempt) => {
        if (++count % 31 !== 0) return kept.commit(team, attempt);
        const folded = await kept.state(team);
        if (!folded.ok || attempt.once === null) return kept.commit(team, attempt);
        const before = await kept.read(team, { after: folded.value.head.seq - 1 });
        const [last] = before.ok ? before.value.entries : [];
        if (last === undefined) return kept.commit(team, attempt);
        const { id, digest } = attempt.once;
        const entry = { ...last, seq: last.seq + 1, id, digest, hash: "f".repeat(64) } as typeof last;
        const receipt = { ...entry, durability: "memory" as const, duplicate: false };
        return ok({ outcome: "recorded", receipt, entry });
      },
    };
  }),
  journal("an acknowledged entry is gone after a while", (kept) => {
    return {
      read: async (team, options) => {
        const page = await kept.read(team, options);
        if (!page.ok || options?.receiver !== undefined || (options?.after ?? 0) !== 0 || page.value.next !== null)
          return page;
        return ok({ ...page.value, entries: page.value.entries.slice(0, -1) });
      },
    };
  }),
  journal("an entry is changed where it lies", (kept) => ({
    read: async (team, options) => {
      const page = await kept.read(team, options);
      if (!page.ok || (options?.after ?? 0) !== 0) return page;
      const entries = page.value.entries.map((entry) => (entry.seq === 9 ? { ...entry, receivers: ["owner"] } : entry));
      return ok({ ...page.value, entries });
    },
  })),
  journal("what is shown lags behind", (kept) => {
    let old: TeamState | null = null;
    let count = 0;
    return {
      state: async (team) => {
        const folded = await kept.state(team);
        if (!folded.ok) return folded;
        if (count++ % 40 === 0) old = teamProjection.decode(teamProjection.encode(folded.value.state));
        return ok({ ...folded.value, state: old ?? folded.value.state });
      },
    };
  }),
  journal("a message is left out of its reader's mail", (kept) => ({
    read: async (team, options) => {
      const page = await kept.read(team, options);
      if (!page.ok || options?.receiver === undefined) return page;
      return ok({ ...page.value, entries: page.value.entries.filter(({ seq }) => seq % 5 !== 0) });
    },
  })),
  journal("a timer fires twice", (kept) => ({
    commit: async (team, attempt) => {
      if (attempt.once !== null) return kept.commit(team, attempt);
      let draft: EntryDraft | null = null;
      const committed = await kept.commit(team, {
        once: null,
        decide(state, moment) {
          const decided = attempt.decide(state, moment);
          draft = "decline" in decided ? null : decided;
          return decided;
        },
      });
      const again: EntryDraft | null = draft;
      if (again !== null) await kept.commit(team, { once: null, decide: () => again });
      return committed;
    },
  })),
  writing("whoever stopped works on", (draft) => {
    const content = draft.content as JsonObject & { readonly team?: readonly { readonly event: string }[] };
    if (draft.kind !== "message" || content.team === undefined) return draft;
    const team = content.team.filter(({ event }) => event !== "agent-retired");
    return { ...draft, content: { ...content, team } };
  }),
  writing("whoever stopped keeps its tasks", (draft) =>
    draft.kind === "message" || draft.kind === "timer" ? without(draft, "claim-released") : draft,
  ),
  writing("a reader's cursor runs ahead of its word", (draft) => {
    const { acknowledged } = draft.content as { readonly acknowledged?: number };
    return acknowledged === undefined ? draft : { ...draft, content: { acknowledged: acknowledged + 1 } };
  }),
  writing("the one who asked is not told the answer", (draft) => {
    const { events } = draft.content as { readonly events?: readonly { readonly event: string }[] };
    return events?.some(({ event }) => event === "approval-answered") === true ? { ...draft, receivers: [] } : draft;
  }),
  writing("a retired agent's role is the lead's", (draft) =>
    draft.kind === "command" && draft.principal.role === "dev"
      ? { ...draft, principal: { ...draft.principal, role: "lead" } }
      : draft,
  ),
];
