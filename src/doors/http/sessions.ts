/**
 * The owner's browser sessions. The person gets a one-time code in the fragment of the URL that `baton up` prints,
 * or `baton open`, which no server and no log sees, and exchanges it for a cookie. Codes and session ids are secrets of
 * 256 bits, kept as hashes. The hub's own codes die with it; sessions outlive it where they are kept in a store, so
 * that a page goes on by itself when the hub is back.
 */
import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { newSecret } from "../../base/new-ids.ts";
import type { HubLimits } from "./limits.ts";

export interface Session {
  /** SHA-256 of the session's id. */
  readonly hash: string;
  /** By the machine's wall clock, for people. */
  readonly expiresAtMs: number;
}

export interface Sessions {
  /** A new code. It buys one session, soon. */
  newCode(): string;
  /** The session that `code` buys, with its id for the cookie; null for a wrong, used or expired code. */
  exchange(code: string): { readonly id: string; readonly session: Session } | null;
  /** A session for somebody who has proven to be the owner otherwise. */
  open(): { readonly id: string; readonly session: Session };
  /** The session with this id, or null. */
  find(id: string): Session | null;
  isOpen(session: Session): boolean;
  close(session: Session): void;
}

/** Keeps sessions over the hub's end. Only hashes are kept: reading the store lets nobody in. */
export interface SessionStore {
  read(): readonly Session[];
  write(sessions: readonly Session[]): void;
}

/** Codes that were made outside this hub, by who may write its journal; by their SHA-256. */
export interface CodeStore {
  /** Whether the code was good; from now on it is not. */
  take(hash: string): boolean;
}

/** More sessions than a person has browsers; the oldest make room. */
const sessionsMax = 64;

/** The sessions of one hub; without a store they end with it. */
export function newSessions(
  clock: Clock,
  limits: Pick<HubLimits, "codeMs" | "sessionMs">,
  store: SessionStore = memoryStore(),
  otherCodes: CodeStore | null = null,
): Sessions {
  const codes = new Map<string, number>();

  const standing = () => store.read().filter(({ expiresAtMs }) => clock.now() < expiresAtMs);
  const withHash = (hash: string) => standing().find((session) => isEqual(session.hash, hash)) ?? null;

  const open = () => {
    const id = newSecret();
    const session = { hash: sha256(id), expiresAtMs: clock.now() + limits.sessionMs };
    store.write([...standing(), session].slice(-sessionsMax));
    return { id, session };
  };

  return {
    newCode() {
      const code = newSecret();
      codes.set(sha256(code), clock.monotonic() + limits.codeMs);
      return code;
    },
    exchange(code) {
      const hash = sha256(code);
      const found = [...codes.keys()].find((known) => isEqual(known, hash));
      if (found === undefined) return otherCodes?.take(hash) === true ? open() : null;
      const endsAt = codes.get(found) ?? 0;
      codes.delete(found);
      return clock.monotonic() < endsAt ? open() : null;
    },
    open,
    find: (id) => withHash(sha256(id)),
    isOpen: ({ hash }) => withHash(hash) !== null,
    close: ({ hash }) => store.write(standing().filter((session) => session.hash !== hash)),
  };
}

function memoryStore(): SessionStore {
  let kept: readonly Session[] = [];
  return {
    read: () => kept,
    write: (sessions) => {
      kept = sessions;
    },
  };
}

function isEqual(one: string, other: string): boolean {
  const known = Buffer.from(one);
  const shown = Buffer.from(other);
  return known.length === shown.length && timingSafeEqual(known, shown);
}
