/**
 * Restores entries of another journal: they are checked against their hashes, each other and what this journal has of
 * the same team, and folded, before one of them is written. The result is the same stream, exactly. Source:
 * docs/protocol/record.md, section 7.
 */

import { canonical, sha256 } from "../base/canonical.ts";
import { messageId, type TeamName } from "../base/ids.ts";
import { invariant } from "../base/invariant.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { continuation, emptyHead, headAfter } from "../journal/chain.ts";
import { addressForm } from "../journal/engines.ts";
import { type Entry, type Head, readEntry } from "../journal/entry.ts";
import type { Journal } from "../journal/journal.ts";
import type { Message, Note } from "../messages/message.ts";
import { logLine } from "../record/view/log.ts";
import { commitBehind } from "./commit.ts";
import { asJson, type Origin } from "./content.ts";
import { type Actor, type Context, principalOf } from "./context.ts";
import type { Reply } from "./operations/reply.ts";
import { evolve } from "./projection.ts";
import { recordMessage } from "./recorded-message.ts";
import { initialState, type TeamState } from "./state.ts";

/** What becomes of a team's stream. */
export interface RestoredStream {
  readonly team: TeamName;
  /** The head of the entries that came. */
  readonly head: Head;
  /** How many of them this journal does not hold yet. */
  readonly fresh: number;
}

export interface EntryCheck {
  /** The next entry; refuses with `wrong-value` one that is none, was changed, does not follow, or cannot be folded. */
  take(value: Json): Result<Entry, Problem>;
  /** The streams that came. Refuses with `already-exists` one of which this journal holds another. */
  streams(): Promise<Result<readonly RestoredStream[], Problem>>;
}

interface Stream {
  head: Head;
  readonly state: TeamState;
  fresh: number;
  /** What this journal holds of the team; null: nothing. */
  readonly held: Head | null;
  /** The hash that came under the number of the held head. */
  hashThere: string | null;
}

/** A check of entries against `journal`; null: there is none yet. `heads`: what it holds of each team. */
export function checkEntries(journal: Journal<TeamState> | null, heads: ReadonlyMap<TeamName, Head>): EntryCheck {
  const streams = new Map<TeamName, Stream>();
  return {
    take(value) {
      const entry = readEntry(value);
      if (entry === null) return err(notAnEntry);
      const held = heads.get(entry.team) ?? null;
      const stream: Stream = streams.get(entry.team) ?? newStream(held);
      const next = continuation(entry.team, stream.head, [entry]);
      if (!next.ok) return next;
      if (next.value.length === 0) return err(repeated(entry));
      if (!canFold(stream.state, entry)) return err(notFoldable(entry));
      streams.set(entry.team, stream);
      stream.head = headAfter(entry);
      if (entry.seq === held?.seq) stream.hashThere = entry.hash;
      if (entry.seq > (held?.seq ?? 0)) stream.fresh += 1;
      return ok(entry);
    },
    async streams() {
      const found: RestoredStream[] = [];
      for (const [team, { head, fresh, held, hashThere }] of streams) {
        if (held !== null && journal !== null) {
          const isSame = hashThere === held.hash || (head.seq < held.seq && (await holds(journal, team, head)));
          if (!isSame) return err(otherStream(team));
        }
        found.push({ team, head, fresh });
      }
      return ok(found);
    },
  };
}

function newStream(held: Head | null): Stream {
  return { head: emptyHead, state: initialState(), fresh: 0, held, hashThere: null };
}

async function holds(journal: Journal<TeamState>, team: TeamName, head: Head): Promise<boolean> {
  const page = await journal.read(team, { after: head.seq - 1, limit: 1 });
  return page.ok && page.value.entries[0]?.hash === head.hash;
}

/**
 * Whether this version can fold and show the entry. What it says comes from outside although its hash fits, and what is
 * thrown here says nothing else than no.
 */
function canFold(state: TeamState, entry: Entry): boolean {
  try {
    evolve(state, entry);
    logLine(entry);
    return true;
  } catch {
    return false;
  }
}

const notAnEntry = makeProblem("wrong-value", "$", "This has the marks of an entry, but is none.", {
  expected: "a line of `baton journal export`",
  hint: "Export the journal again.",
});

function repeated({ team, seq }: Entry): Problem {
  return makeProblem("wrong-value", `${team}/${seq}`, "This entry came before.", { hint: "Export the journal again." });
}

function notFoldable({ team, seq }: Entry): Problem {
  return makeProblem("wrong-value", `${team}/${seq}`, "What this entry says cannot be folded by this version.", {
    hint: "Import it with the version that recorded it, or a newer one.",
  });
}

function otherStream(team: TeamName): Problem {
  return makeProblem("already-exists", team, `This journal has a team ${team} with other entries.`, {
    hint: `Import into a journal without that team (--journal ${addressForm}).`,
  });
}

/*
 * Imported messages: what was sent elsewhere, recorded as history. The operation is that of the person who imports it,
 * marked with where it comes from, addressed to nobody and without effect: no deadline begins, nothing is approved,
 * nobody is asked to stop. A repeat is the same operation. Source: docs/protocol/record.md, sections 1, 4 and 14.
 */

/** Whether a folder of a phase, or a file in it, may be called so: nothing that a path or a terminal would obey. */
export function isPhaseName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name);
}

/** Whether `file` names a file of a phase's folder and nothing else. */
export function isPhaseFile(file: string): boolean {
  const parts = file.split("/");
  return parts.length === 2 && parts.every(isPhaseName) && file.endsWith(".jsonl");
}

/** An imported message. */
export interface Past {
  readonly message: Message;
  readonly notes: readonly Note[];
  readonly origin: Origin;
}

/** What only those have who work where the journal lies. */
export interface History {
  /** Records an imported message; `known`: it is recorded already. */
  remember(past: Past): Promise<Result<"imported" | "known", Problem>>;
  /** Records that a session of an agent program was not let in as the actor, and why. */
  refuseProgram(said: { readonly session: string | null; readonly refused: Problem }): Promise<Reply>;
}

/** Records it, once for each message and origin. */
export async function remember(
  context: Context,
  actor: Actor,
  { message, notes, origin }: Past,
): Promise<Result<"imported" | "known", Problem>> {
  // An origin holds strings and numbers only, so it is plain JSON.
  const said: JsonObject = { text: message.text, origin: origin as unknown as JsonObject };
  const digest = sha256(canonical(said));
  const id = messageId(`imported/${digest}`);
  invariant(id !== null, "a digest can be an id");
  const committed = await commitBehind(context, [], {
    once: { principal: actor.agent, id, digest },
    decide: (state) => ({
      kind: "message",
      principal: principalOf(actor, state),
      id,
      digest,
      receivers: [],
      content: asJson({
        imported: origin,
        message: recordMessage(message, id, null),
        effect: false,
        ...(notes.length === 0 ? {} : { notes }),
      }),
      text: message.text,
    }),
  });
  if (!committed.ok) return committed;
  invariant(committed.value.outcome !== "declined", "what was imported is never declined");
  return ok(committed.value.outcome === "recorded" ? "imported" : "known");
}
