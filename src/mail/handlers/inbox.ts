/**
 * An agent's inbox: what is addressed to it beyond its cursor, in order, each message in the reader's own dialect
 * (`messages/intake/drafts.ts`). Reading it offers messages and moves no cursor; only the agent's own acknowledgement does.
 * Source: docs/protocol/record.md, section 5; docs/protocol/messages.md, section 19.
 */
import { argument } from "../../base/argument.ts";
import { canonical, sha256 } from "../../base/canonical.ts";
import { type MessageId, messageId } from "../../base/ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Entry, EntryDraft } from "../../journal/entry.ts";
import type { Moment } from "../../journal/journal.ts";
import { ownerName } from "../../messages/principal.ts";
import { asJson, type Content, commandRefusal, contentOf, wireOf } from "../../perform/content.ts";
import { type Actor, principalOf, type TeamContext } from "../../perform/context.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { perform, type Sending } from "../../perform/perform.ts";
import { idConflict, invalidId } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import { limitOf } from "../../team/state/definition.ts";
import { unknownAgent } from "../../team/state/roster.ts";
import { isReadBeforeStop, replacedProblem, retiredProblem } from "../../team/view/session-endings.ts";
import type { Delivery, InboxPage } from "../operations.ts";
import { noteAcknowledged, noteOffered, noteSeen, noteShown, type ShownMail } from "../services/delivery-note.ts";
import type { Translate, translationFor } from "./translation.ts";

export interface InboxOptions {
  /** Only messages after this seq; never before the cursor. */
  readonly after?: number;
  readonly limit?: number;
  /** Wait so long for the first message, in milliseconds; 0 or absent: answer at once. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

const inboxPageDefault = 100;

/**
 * The page after the cursor (or `after`, when later). Refuses `unknown-agent` for a name that is neither in the roster
 * nor the owner, `timed-out` when nothing came within `waitMs`, and `unauthenticated` when the actor's proof ended
 * meanwhile.
 */
export async function inbox(
  context: TeamContext,
  actor: Actor,
  options: InboxOptions = {},
): Promise<Result<InboxPage, Problem>> {
  const before = await context.journal.state(context.team);
  if (!before.ok) return before;
  // Waiting starts from the head before the first look, so that nothing that comes in between is missed.
  const from = before.value.head.seq;
  const page = await readInbox(context, actor, options);
  if (!page.ok || page.value.deliveries.length > 0 || (options.waitMs ?? 0) <= 0) return page;
  const arrived = await waitForMail(context, actor, from, options);
  if (!arrived.ok) return arrived;
  if ((await actor.isStillProven?.()) === false) return err(proofEnded);
  return readInbox(context, actor, options);
}

async function readInbox(
  context: TeamContext,
  actor: Actor,
  options: InboxOptions,
): Promise<Result<InboxPage, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  const { definition, roster } = state.team;
  const member = roster.get(actor.agent);
  if (member === undefined && actor.agent !== ownerName) return err(unknownAgent(actor.agent, roster.keys()));
  const mail = state.mail.get(actor.agent);
  const acknowledged = mail?.acknowledged ?? 0;
  const waiting = new Set(mail?.waiting);
  const unread = waiting.size;
  if (unread === 0) return ok({ deliveries: [], unread, acknowledged });

  const limit = Math.min(options.limit ?? inboxPageDefault, limitOf(definition?.limits, "inboxPage"));
  const start = Math.max(options.after ?? 0, acknowledged);
  const shown = Math.min(limit, [...waiting].filter((seq) => seq > start).length);
  const found: Entry[] = [];
  for (let after = start; found.length < shown; ) {
    const page = await context.journal.read(context.team, { receiver: actor.agent, after, limit });
    if (!page.ok) return page;
    // A request to stop whose round is over does not wait any more.
    found.push(...page.value.entries.filter(({ seq }) => waiting.has(seq)));
    const last = page.value.entries.at(-1);
    if (last === undefined) break;
    after = last.seq;
  }
  const entries = found.slice(0, limit).map((entry) => ({ entry, content: contentOf(entry) }));
  // Prose is the same in every dialect.
  const isSpoken = entries.some(({ content: { message } }) => message !== undefined && message.dialect !== null);
  const translate = isSpoken && member !== undefined ? await (await load())(member, context, definition) : null;
  const deliveries = entries.flatMap(({ entry, content }) => deliver(entry, content, translate) ?? []);
  const offered = await offer(context, actor, deliveries);
  return offered.ok ? ok({ deliveries, unread, acknowledged }) : offered;
}

/** Records that a door returned these. A journal that can be read but not written still shows the mail. */
async function offer(
  context: TeamContext,
  actor: Actor,
  deliveries: readonly Delivery[],
): Promise<Result<void, Problem>> {
  const last = deliveries.at(-1);
  if (last === undefined || context.journal.condition().condition !== "ready") return ok(undefined);
  const marked = await context.journal.mark(context.team, actor.agent, { offered: last.seq });
  // That it was offered is a courtesy to others; the reader gets its mail all the same.
  if (!marked.ok && ["journal-read-only", "journal-copied", "journal-full"].includes(marked.error.code))
    return ok(undefined);
  return marked.ok ? await noteOffered(context, actor.agent, deliveries) : marked;
}

/** Resolves when something addressed to the agent was recorded, or refuses with `timed-out`. */
async function waitForMail(
  context: TeamContext,
  actor: Actor,
  from: number,
  options: InboxOptions,
): Promise<Result<void, Problem>> {
  const waitMs = options.waitMs ?? 0;
  const over = new AbortController();
  const signal = options.signal === undefined ? over.signal : AbortSignal.any([over.signal, options.signal]);
  const timer = context.clock.wait(waitMs, signal).then(() => over.abort());
  try {
    for await (const entry of context.journal.follow(context.team, {
      after: Math.max(from, options.after ?? 0),
      signal,
    })) {
      if (entry.receivers.includes(actor.agent)) return ok(undefined);
    }
  } finally {
    over.abort();
    await timer;
  }
  return err(waitedInVain(actor.agent, waitMs));
}

const proofEnded = makeProblem(
  "unauthenticated",
  argument("credential"),
  "The credential ended while the mail was waited for.",
  {
    hint: "The owner makes a new one with `baton token create AGENT`.",
  },
);

/** The answer to a wait in which nothing came. */
export function waitedInVain(agent: string, waitMs: number): Problem {
  return makeProblem("timed-out", agent, `No message for ${agent} came within ${waitMs / 1000} s.`, {
    hint: "Nothing was lost: ask again, or wait longer.",
  });
}

/** Marks as seen what the reader used. Refuses `not-found` for a number that the team has not reached. */
export async function markSeen(context: TeamContext, actor: Actor, seq: number): Promise<Result<void, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { head } = folded.value;
  if (Number.isSafeInteger(seq) && seq >= 1 && seq <= head.seq) {
    const marked = await context.journal.mark(context.team, actor.agent, { offered: seq, seen: seq });
    return marked.ok ? await noteSeen(context, actor.agent, seq) : marked;
  }
  return err(notReached(seq, head.seq));
}

/**
 * Notes what a hook or a tool showed to the actor's model, in which of its contexts. Refuses `not-found` for a number
 * that the team has not reached.
 */
export async function markShown(context: TeamContext, actor: Actor, mail: ShownMail): Promise<Result<void, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { head } = folded.value;
  const seq = Math.max(mail.seq, mail.told ?? 0);
  if (seq > head.seq) return err(notReached(seq, head.seq));
  return await noteShown(context, actor.agent, mail, head.seq);
}

/** The error of an entry beyond the head. */
export function notReached(seq: number, head: number): Problem {
  return makeProblem("not-found", String(seq), `The team has no entry ${seq}; the last is ${head}.`, {
    expected: `1 to ${head}`,
    received: String(seq),
    hint: "Take a number that `baton inbox` showed.",
  });
}

let translating: Promise<typeof translationFor> | null = null;

function load(): Promise<typeof translationFor> {
  translating ??= import("./translation.ts").then((file) => file.translationFor);
  return translating;
}

/** The delivery of `entry` to a reader with that translation, or null when the entry carries no message. */
function deliver(entry: Entry, content: Content, translate: Translate | null): Delivery | null {
  const { message } = content;
  if (message === undefined) return null;
  const head = {
    seq: entry.seq,
    id: message.wireId ?? entry.id,
    sender: entry.principal.agent,
    recordedAt: entry.recordedAt,
    effect: content.effect !== false,
    notes: content.notes ?? [],
  };
  const { fact, type } = message;
  if (fact === null || type === null || message.dialect === null) {
    return { ...head, dialect: null, type: null, message: message.text };
  }
  const wire = wireOf(message);
  if (translate === null) return { ...head, dialect: message.dialect, type, message: wire };
  const id = message.wireId ?? entry.id ?? String(entry.seq);
  return { ...head, ...translate({ dialect: message.dialect, type, fact, wire }, { id, entry, content }) };
}

/*
 * Acknowledging: the reader's own word that everything addressed to it up to a number is dealt with. The only thing
 * that moves its cursor.
 * Source: docs/protocol/record.md, sections 1 and 5.
 */

/**
 * Acknowledges up to `seq`, which also marks it as seen. The same number again is the same act. Refuses `unknown-agent`,
 * `retired-agent`, and `not-found` for a number the team has not reached.
 */
export async function acknowledge(
  context: TeamContext,
  actor: Actor,
  seq: number,
  options: { readonly id?: string } = {},
): Promise<Reply> {
  const reply = await perform({ context, actor }, acknowledgeMail, { seq }, options.id);
  if (reply.outcome !== "accepted") return reply;
  const marked = await context.journal.mark(context.team, actor.agent, { offered: seq, seen: seq });
  const noted = marked.ok ? await noteAcknowledged(context, actor.agent, seq) : marked;
  return noted.ok ? reply : { outcome: "failed", problem: noted.error };
}

const acknowledgeMail: Sending<{ readonly seq: number }, TeamContext> = {
  attempt({ seq }, { actor }, given) {
    const named = given ?? `ack/${actor.agent}/${seq}`;
    const id = messageId(named);
    const digest = sha256(canonical({ acknowledge: seq }));
    return {
      once: id === null ? null : { principal: actor.agent, id, digest },
      decide: (state, moment) => decide(actor, { seq, id, named, digest }, state, moment),
    };
  },
};

interface Acknowledgement {
  readonly seq: number;
  readonly id: MessageId | null;
  /** The id as it was given. */
  readonly named: string;
  readonly digest: string;
}

function decide(actor: Actor, asked: Acknowledgement, state: TeamState, moment: Moment): EntryDraft {
  const { seq, id, digest } = asked;
  const principal = principalOf(actor, state);
  const problem = problemOf(actor, asked, state, moment);
  if (problem !== null) {
    return commandRefusal({ principal, id, digest, name: "ack", asked: { acknowledge: seq }, problems: [problem] });
  }
  return { kind: "ack", principal, id, digest, receivers: [], content: asJson({ acknowledged: seq }) };
}

function problemOf(actor: Actor, asked: Acknowledgement, state: TeamState, moment: Moment): Problem | null {
  if (asked.id === null) return invalidId(asked.named, argument("id"));
  if (moment.earlier !== null) return idConflict(asked.id, moment.earlier, argument("id"));
  if (actor.agent !== ownerName && !state.team.roster.has(actor.agent))
    return unknownAgent(actor.agent, state.team.roster.keys());
  const retired = isReadBeforeStop(state, actor.agent, asked.seq) ? null : retiredProblem(state, actor.agent);
  const ended = retired ?? replacedProblem(state, actor);
  if (ended !== null) return ended;
  if (Number.isSafeInteger(asked.seq) && asked.seq >= 1 && asked.seq < moment.seq) return null;
  return notReached(asked.seq, moment.seq - 1);
}
