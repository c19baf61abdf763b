/**
 * The owner's session: a one-time code in the address's fragment becomes a cookie that scripts cannot read. The
 * fragment never leaves the browser, and the code leaves the address bar before anything else happens. The owner's
 * token does as well; it is sent once and kept nowhere.
 */
import { problem } from "../../../base/problem.ts";
import { err, type Result } from "../../../base/result.ts";
import { ask, type Refused } from "./request.ts";

export interface Session {
  readonly agent: string;
  readonly role: string | null;
  /** The team that the credential is bound to; null: every team of the journal. */
  readonly team: string | null;
  readonly teams: readonly string[];
  readonly version: string;
}

/** The code in a fragment: `#code=CODE`, or the whole of it; null: there is none. */
export function codeIn(fragment: string): string | null {
  const words = fragment.replace(/^#/, "");
  if (words === "") return null;
  if (!words.includes("=")) return words;
  return new URLSearchParams(words).get("code");
}

/** Takes the code out of the address, so that it is neither seen nor kept in the browser's history. */
export function takeCode(location: Location, history: History): string | null {
  const code = codeIn(location.hash);
  if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/** The current session, once `code` was exchanged for one. 401 with the hub's reason: there is none. */
export async function openSession(code: string | null): Promise<Result<Session, Refused>> {
  const exchanged = code === null ? null : await ask("/api/session", { method: "POST", body: { code } });
  if (exchanged !== null && !exchanged.ok && exchanged.error.status === 0) return exchanged;
  const session = await ask<Session>("/api/session");
  // A code that was used before is no error while its session lasts.
  if (session.ok || exchanged === null || exchanged.ok) return session;
  return exchanged;
}

/** Exchanges the owner's token for a session. Refuses what cannot be a token before it is sent anywhere. */
export async function exchangeToken(token: string): Promise<Result<unknown, Refused>> {
  if (/^[A-Za-z0-9._~+/-]+=*$/.test(token)) return ask("/api/session", { method: "POST", body: {}, token });
  const fault = problem("unauthenticated", "token", "This is no token: it has characters that none has.");
  return err({ status: 401, problems: [fault] });
}
