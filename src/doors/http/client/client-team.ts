/**
 * A team of a hub as `Team`: each call is a request, so every command and every tool works against a hub as against a
 * journal of this machine. It keeps nothing; who acts is what the token proves.
 */
import { messageId } from "../../../base/ids.ts";
import { decodeUtf8 } from "../../../base/json.ts";
import { newMessageId } from "../../../base/new-ids.ts";
import { ok } from "../../../base/result.ts";
import { decode } from "../../../intake/decode.ts";
import { wireIdOf } from "../../../intake/wire-id.ts";
import type { JournalCondition } from "../../../journal/journal.ts";
import { writeAddress } from "../../../message/address.ts";
import type { Reply } from "../../../operations/reply.ts";
import type { Actor } from "../../../runtime/context.ts";
import { linesOf } from "../../../runtime/record/log.ts";
import type { SendOptions, WorkingTeam } from "../../../runtime/team/team.ts";
import * as answers from "./client-answers.ts";
import { type Asked, actOf, again, type Caller } from "./client-caller.ts";
import { remoteCalls } from "./client-calls.ts";
import * as entryAnswers from "./client-entry-answers.ts";
import { followLines } from "./client-follow.ts";
import { readInbox } from "./client-inbox.ts";
import { logPage } from "./client-log.ts";
import { reading, reply } from "./client-reply.ts";
import { remoteRepositoryWork } from "./client-repository.ts";
import { opaque } from "./client-shape.ts";
import * as statusAnswers from "./client-status-answers.ts";

/** What the hub said when it was asked who the caller is. */
export interface Standing {
  readonly team: string;
  readonly actor: Actor;
  readonly condition: JournalCondition;
  /** Tells a person that a stream was interrupted, and that it goes on. */
  say(words: string): void;
}

/** The team over `caller`. Disposing of it closes nothing: a hub keeps its journal open. */
export function remoteTeam(caller: Caller, standing: Standing): WorkingTeam {
  const at = (...rest: readonly string[]) => ["api", "teams", standing.team, ...rest];
  const mine = (...rest: readonly string[]) => at("agents", standing.actor.agent, ...rest);
  const act = (path: readonly string[], body: object, id?: string) =>
    reply(caller, { ...actOf(path, body, id), shape: answers.accepted });
  const read = <Value>(asked: Asked<Value>) => reading(caller, asked);
  return {
    name: standing.team,
    actor: standing.actor,
    condition: () => standing.condition,
    send: (text, options = {}) => send(caller, at("messages"), text, options),
    inbox: (options = {}) => readInbox(caller, mine("inbox"), { ...options, agent: standing.actor.agent }),
    async seen(seq) {
      const marked = await read({ method: "POST", path: mine("seen"), body: JSON.stringify({ seq }), shape: opaque() });
      return marked.ok ? ok(undefined) : marked;
    },
    async signOfLife() {
      const shown = await read({ method: "POST", path: mine("alive"), body: "{}", shape: opaque() });
      return shown.ok ? ok(undefined) : shown;
    },
    async attend() {
      const shown = await read({ method: "POST", path: mine("alive"), body: "{}", shape: statusAnswers.attendance });
      return shown.ok ? ok({ everyMs: shown.value.everyMs }) : shown;
    },
    async leave() {
      const left = await read({ method: "POST", path: mine("leave"), body: "{}", shape: opaque(), retriesMax: 0 });
      return left.ok ? ok(undefined) : left;
    },
    acknowledge(seq, options = {}) {
      // The same number is the same act, as it is in the runtime.
      const id = options.id ?? `ack/${standing.actor.agent}/${seq}`;
      return act(mine("ack"), { seq }, id);
    },
    log: (options = {}) => linesOf((page) => logPage(caller, at("messages"), page), options),
    logPage: (options = {}) => logPage(caller, at("messages"), options),
    show: (key, { sender } = {}) =>
      read({ method: "GET", path: at("messages", key), query: { sender }, shape: entryAnswers.shown }),
    follow: (options) => followLines(caller, at("events"), { ...options, say: standing.say }),
    status: () => read({ method: "GET", path: at("status"), shape: statusAnswers.teamStatus }),
    ...remoteCalls(caller, at),
    ...remoteRepositoryWork({ at, read }),
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
  const asked = { method: "POST", path, shape: answers.accepted, again } as const;
  const decoded = typeof text === "string" ? ok(text) : decodeUtf8(text);
  if (decoded.ok && decoded.value.isWellFormed()) {
    const body = {
      message: decoded.value,
      ...(to === undefined ? {} : { to }),
      ...(id === undefined ? {} : { id }),
      ...(proseId === undefined ? {} : { proseId }),
      ...(options.strict === true ? { strict: true } : {}),
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

/** The names that go with a text, and the words that say the same of a repetition by hand. */
interface Names extends Pick<SendOptions, "id" | "proseId"> {
  readonly again: string;
}

/**
 * Every try of one act goes under the same names, made here where nobody gave them: a message that names itself is the
 * same act by that name, and words that only quote a message are the same words by a name of their own.
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
