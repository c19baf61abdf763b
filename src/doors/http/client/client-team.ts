/**
 * A team of a hub as `Team`: each call is a request, so every command and every tool works against a hub as against a
 * journal of this machine. It keeps nothing; who acts is what the token proves.
 */
import { messageId } from "../../../base/ids.ts";
import { decodeUtf8 } from "../../../base/json.ts";
import { pageRowsMax } from "../../../base/limits.ts";
import { newMessageId } from "../../../base/new-ids.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { type AskPermissions, judgeRange, judgeStaged } from "../../../evidence/services/gate.ts";
import type { JournalCondition } from "../../../journal/journal.ts";
import { waitedInVain } from "../../../mail/handlers/inbox.ts";
import type { InboxPage } from "../../../mail/operations.ts";
import { decode } from "../../../messages/intake/decode.ts";
import { wireIdOf } from "../../../messages/intake/id-check.ts";
import { writeAddress } from "../../../messages/role.ts";
import type { Actor } from "../../../perform/context.ts";
import type { Reply } from "../../../perform/operations/reply.ts";
import type { RepositoryWork, SendOptions, Team, WorkingTeam } from "../../../perform/team.ts";
import type { LogPage } from "../../../record/operations/entries.ts";
import { linesOf } from "../../../record/view/log.ts";
import type { LogOptions } from "../../../record/view/log-line.ts";
import { type Asked, again, type Caller } from "./client-caller.ts";
import {
  acknowledged,
  askedByHand,
  isAccepted,
  type KnownOperations,
  type Place,
  questionOf,
  reading,
  remoteCalls,
  reply,
} from "./client-calls.ts";
import { followLines } from "./client-follow.ts";
import { notAHub } from "./client-problems.ts";

/** What the hub said when it was asked who the caller is. */
export interface Connection {
  readonly team: string;
  readonly actor: Actor;
  readonly condition: JournalCondition;
  /** The operations that the hub knows; null: it is older than this list and does not say. */
  readonly known: KnownOperations | null;
  /** Tells a person that a stream was interrupted, and that it goes on. */
  say(words: string): void;
}

/** The team over `caller`. Disposing of it closes nothing: a hub keeps its journal open. */
export function remoteTeam(caller: Caller, connection: Connection): WorkingTeam {
  const { team, actor, condition } = connection;
  const place: Place = { team, agent: actor.agent };
  const read = <Value>(asked: Asked<Value>) => reading(caller, asked);
  const done = async (asked: Asked<unknown>): Promise<Result<void, Problem>> => {
    const came = await read(asked);
    return came.ok ? ok(undefined) : came;
  };
  return {
    name: team,
    actor,
    condition: () => condition,
    send: (text, options = {}) => send(caller, ["api", "teams", team, "messages"], text, options),
    inbox: (options = {}) => readInbox(caller, place, options),
    seen: (seq) => done(askedByHand("seen", { seq }, place)),
    shown: (mail) => done(askedByHand("shown", mail, place)),
    heartbeat: () => done(askedByHand("attend", {}, place)),
    async attend() {
      const shown = await read(askedByHand("attend", {}, place));
      return shown.ok ? ok({ everyMs: shown.value.everyMs }) : shown;
    },
    leave: () => done({ ...askedByHand("leave", {}, place), retriesMax: 0 }),
    // The same number is the same act, as it is in the runtime.
    acknowledge: (seq, { id = `ack/${actor.agent}/${seq}` } = {}) => reply(caller, acknowledged(seq, id, place)),
    log: (options = {}) => linesOf((page) => logPage(caller, place, page), options),
    logPage: (options = {}) => logPage(caller, place, options),
    show: (key, { sender } = {}) => read(askedByHand("show", sender === undefined ? { key } : { key, sender }, place)),
    follow: (options) => followLines(caller, questionOf("follow", {}, place).path, { ...options, say: connection.say }),
    ...remoteCalls(caller, place, connection.known),
    ...remoteRepositoryWork(caller, place),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/**
 * The text goes whole inside an envelope, as a string: so nothing on the way can take it apart. What no JSON string can
 * hold goes as bytes; it is no message either, and the hub records why.
 */
async function send(
  caller: Caller,
  path: readonly string[],
  text: string | Uint8Array,
  options: SendOptions,
): Promise<Reply> {
  const { id, proseId, again } = await namesOf(text, options);
  const to = options.to?.map(writeAddress);
  const asked = { method: "POST", path, shape: isAccepted, again } as const;
  const decoded = typeof text === "string" ? ok(text) : decodeUtf8(text);
  if (decoded.ok && decoded.value.isWellFormed()) {
    const body = {
      message: decoded.value,
      ...(to === undefined ? {} : { to }),
      ...(id === undefined ? {} : { id }),
      ...(proseId === undefined ? {} : { proseId }),
      ...(options.strict === true ? { strict: true } : {}),
      ...(options.draft === true ? { draft: true } : {}),
    };
    return reply(caller, { ...asked, body: JSON.stringify(body) });
  }
  const name = id ?? proseId;
  const bytes = typeof text === "string" ? Buffer.from(text, "utf16le") : text;
  return reply(caller, {
    ...asked,
    body: new Uint8Array(bytes),
    query: { to },
    headers: name === undefined || messageId(name) === null ? {} : { "idempotency-key": name },
  });
}

/** The ids of an input, and the hint for repeating it by hand. */
interface Names extends Pick<SendOptions, "id" | "proseId"> {
  readonly again: string;
}

/**
 * Every try of one operation has the same ids, created here if the caller gave none: a message's own id, and a separate
 * id for prose that only quotes a message.
 */
async function namesOf(text: string | Uint8Array, options: SendOptions): Promise<Names> {
  if (options.id !== undefined) return { id: options.id, again: again("id", options.id) };
  const decoded = await decode(text);
  const inside = wireIdOf(decoded);
  const { proseId = newMessageId() } = options;
  if (inside === null && options.proseId === undefined) return { id: proseId, again: again("id", proseId) };
  if (inside === null) return { proseId, again: again("proseId", proseId) };
  return decoded.as === "quoted" ? { proseId, again: again("proseId", proseId) } : { again: again("id", inside) };
}

/*
 * The inbox of a hub, waited for by asks that are each short enough for every proxy in between. A hub that goes away
 * while somebody waits is waited for too: nothing is lost meanwhile, because only an acknowledgement takes mail away.
 */
type InboxOptions = NonNullable<Parameters<Team["inbox"]>[0]>;

/** Longest wait of one request. */
const askMsMax = 20_000;
/** Between two asks of a hub that is away. */
const awayPauseMs = 1_000;
/** A page of the usual hundred messages, each as large as messages may be. */
const pageBytesMax = 64 * 1024 * 1024;

/** The page, or `timed-out` after `waitMs` in vain and when the wait is stopped. */
async function readInbox(
  caller: Caller,
  place: Place,
  { after, limit, waitMs = 0, signal }: InboxOptions,
): Promise<Result<InboxPage, Problem>> {
  const { clock } = caller.wire;
  const end = clock.monotonic() + waitMs;
  for (;;) {
    const left = Math.max(0, end - clock.monotonic());
    const waitNowMs = Math.min(left, askMsMax);
    const asked = askedByHand(
      "inbox",
      {
        ...(after === undefined ? {} : { after }),
        ...(limit === undefined ? {} : { limit: Math.min(limit, pageRowsMax) }),
        ...(waitNowMs > 0 ? { wait: Math.ceil(waitNowMs) / 1000 } : {}),
      },
      place,
    );
    const page = await caller.ask({ ...asked, bytesMax: pageBytesMax, extraMs: waitNowMs }, signal);
    if (page.ok) return page;
    const [problem] = page.error.problems;
    if (signal?.aborted === true) return err(waitedInVain(place.agent, waitMs));
    const isAway = problem.code === "hub-unreachable";
    if (clock.monotonic() >= end || !(isAway || problem.code === "timed-out")) {
      return err(problem.code === "timed-out" ? waitedInVain(place.agent, waitMs) : problem);
    }
    if (isAway) await clock.wait(Math.min(awayPauseMs, end - clock.monotonic()), signal);
  }
}

/* The log of a hub, read page by page in either direction. */

/** The lines that match among those that the hub looks at for one answer. */
async function logPage(caller: Caller, place: Place, options: LogOptions): Promise<Result<LogPage, Problem>> {
  const { newestFirst = false, limit = pageRowsMax, kinds, outcomes, signal, looked: _, ...filters } = options;
  const asked = {
    ...filters,
    ...(kinds === undefined ? {} : { kind: kinds }),
    ...(outcomes === undefined ? {} : { outcome: outcomes }),
    order: newestFirst ? "desc" : "asc",
    limit: Math.min(limit, pageRowsMax),
  } as const;
  const page = await caller.ask(askedByHand("logPage", asked, place), signal);
  if (!page.ok) return err(page.error.problems[0]);
  const { next } = page.value;
  const { after = -1, before = Number.POSITIVE_INFINITY } = options;
  // A page that leads nowhere would be asked for without end.
  const isOnward = next === null || (newestFirst ? next < before : next > after);
  return isOnward ? ok(page.value) : err(notAHub(caller.wire.hub.shown, "its pages lead in a circle"));
}

/* Work checked against git: the hub judges what was reported, next to whose journal the repository is; what is about to be
 * committed is judged here, where its files are, by what the hub says that agents may change. */

/** How much longer than other answers a judgement may take, and how much longer where checks are run, in milliseconds. */
const judgingMs = 5 * 60_000;
const checkingMs = 60 * 60_000;

/** A place is one of this machine; the hub knows its own. */
function remoteRepositoryWork(caller: Caller, place: Place): RepositoryWork {
  const judging = { isRead: true, extraMs: judgingMs } as const;
  const ask: AskPermissions = async (query) => {
    const found = await reading(caller, askedByHand("permissions", query, place));
    return found.ok ? ok(found.value.permissions) : found;
  };
  return {
    async verify(_, { tasks } = {}) {
      const asked = tasks === undefined ? {} : { tasks };
      // Checks that were begun are not begun a second time.
      const once = { isRead: true, extraMs: checkingMs, retriesMax: 0 } as const;
      const found = await reading(caller, { ...askedByHand("verify", asked, place), ...once });
      return found.ok ? ok(found.value.tasks) : found;
    },
    async verifyArtifacts() {
      const found = await reading(caller, { ...askedByHand("verifyArtifacts", {}, place), ...judging });
      return found.ok ? ok(found.value.messages) : found;
    },
    // The hub looks by itself, where its repository is and the programs run.
    passAgents: () => Promise.resolve(ok(0)),
    resumeAgents: () => Promise.resolve(ok(0)),
    inspectRounds: () => Promise.resolve(ok(0)),
    permissions: ask,
    editFiles: (files, options = {}) =>
      reading(caller, { ...askedByHand("editFiles", { files, ...options }, place), isRead: true }),
    judgeStaged: (where, agent) => judgeStaged(ask, where, agent),
    judgeRange: (where, range, who) => judgeRange(ask, where, range, who),
  };
}
