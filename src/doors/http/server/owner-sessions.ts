/**
 * The owner's browser sessions. The person gets a one-time code in the fragment of the URL that `baton up` prints,
 * or `baton start --link`, which no server and no log sees, and exchanges it for a session, whose
 * secret the page keeps for its own origin. Codes and session ids are secrets of
 * 256 bits, kept as hashes. The hub's own codes die with it; those for a public address are kept in the journal, where
 * another hub may be asked, and so are sessions: a page goes on by itself when the hub is back, and at every hub.
 */
import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../../../base/canonical.ts";
import { type Clock, steadyNow } from "../../../base/clock.ts";
import { newSecret } from "../../../base/new-ids.ts";
import type { Hub } from "../../../perform/hub.ts";
import type { OwnerSession } from "../../../team/state/credentials.ts";
import type { HubLimits } from "./http-limits.ts";

export type Session = OwnerSession;

/** A new session with its id, the secret of the page. */
export interface OpenedSession {
  readonly id: string;
  readonly session: Session;
}

export interface Sessions {
  /** A new code. It buys one session, soon. */
  newCode(): string;
  /** A code that any hub of the journal takes; only this one where the journal cannot be written. */
  newSharedCode(): Promise<string>;
  /** The session that `code` buys; null for a wrong, used or expired code. */
  exchange(code: string): Promise<OpenedSession | null>;
  /** A session for somebody who has proven to be the owner otherwise. */
  open(): Promise<OpenedSession>;
  /** The session with this id, or null. */
  find(id: string): Promise<Session | null>;
  isOpen(session: Session): Promise<boolean>;
  close(session: Session): Promise<void>;
}

/** Keeps sessions over the hub's end. Only hashes are kept: reading the store lets nobody in. */
export interface SessionStore {
  /** The session with this hash; null: there is none, or it cannot be reported. */
  find(hash: string): Promise<Session | null>;
  /** Whether it is kept. */
  add(session: Session): Promise<boolean>;
  remove(hash: string): Promise<void>;
  /** Whether the one-time code of this hash is kept for so long. */
  keepCode(hash: string, goodMs: number): Promise<boolean>;
  /** Whether the code was kept and is good; from now on it is not, wherever it is shown. */
  takeCode(hash: string): Promise<boolean>;
}

/** Codes that were made outside this hub, by who may write its journal; by their SHA-256. */
export interface CodeStore {
  /** Whether the code was good; from now on it is not. */
  take(hash: string): boolean;
}

/** The sessions and codes in the journal of `hub`. */
export function journalSessions(
  hub: Pick<Hub, "findSession" | "openSession" | "endSession" | "keepCode" | "takeCode">,
): SessionStore {
  return {
    keepCode: async (hash, goodMs) => (await hub.keepCode(hash, goodMs)).ok,
    async takeCode(hash) {
      const taken = await hub.takeCode(hash);
      return taken.ok && taken.value;
    },
    async find(hash) {
      const found = await hub.findSession(hash);
      return found.ok ? found.value : null;
    },
    add: async (session) => (await hub.openSession(session)).ok,
    async remove(hash) {
      await hub.endSession(hash);
    },
  };
}

/** So many sessions are kept by a hub whose journal takes none; the oldest make room. */
const unsavedMax = 64;

/**
 * The sessions of one hub; `clock` is the journal's, by which every hub of it counts. A journal that cannot be written is
 * served all the same: sessions that it does not take end with the hub.
 */
export function newSessions(
  clock: Clock,
  limits: Pick<HubLimits, "codeMs" | "sessionMs">,
  store: SessionStore,
  otherCodes: CodeStore | null = null,
): Sessions {
  const codes = new Map<string, number>();
  const unsaved = new Map<string, Session>();

  const withHash = async (hash: string): Promise<Session | null> => {
    const found = unsaved.get(hash) ?? (await store.find(hash));
    return found !== null && steadyNow(clock) < found.expiresAtMs ? found : null;
  };

  const open = async (): Promise<OpenedSession> => {
    const id = newSecret();
    const openedAtMs = steadyNow(clock);
    const session = { hash: sha256(id), openedAtMs, expiresAtMs: openedAtMs + limits.sessionMs };
    if (!(await store.add(session))) unsaved.set(session.hash, session);
    for (const oldest of [...unsaved.keys()].slice(0, -unsavedMax)) unsaved.delete(oldest);
    return { id, session };
  };

  const newCode = (): string => {
    const code = newSecret();
    codes.set(sha256(code), clock.monotonic() + limits.codeMs);
    return code;
  };

  return {
    newCode,
    async newSharedCode() {
      const code = newSecret();
      return (await store.keepCode(sha256(code), limits.codeMs)) ? code : newCode();
    },
    async exchange(code) {
      const hash = sha256(code);
      const found = [...codes.keys()].find((known) => isEqual(known, hash));
      if (found === undefined) {
        const isGood = otherCodes?.take(hash) === true || (await store.takeCode(hash));
        return isGood ? await open() : null;
      }
      const endsAt = codes.get(found) ?? 0;
      // Before anything is waited for: a code is good once.
      codes.delete(found);
      return clock.monotonic() < endsAt ? await open() : null;
    },
    open,
    find: (id) => withHash(sha256(id)),
    isOpen: async ({ hash }) => (await withHash(hash)) !== null,
    async close({ hash }) {
      if (!unsaved.delete(hash)) await store.remove(hash);
    },
  };
}

function isEqual(one: string, other: string): boolean {
  const known = Buffer.from(one);
  const shown = Buffer.from(other);
  return known.length === shown.length && timingSafeEqual(known, shown);
}
