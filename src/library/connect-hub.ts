/** The team of a hub in a program: the same interface as that of a folder. Rule: docs/protocol/doors.md, section 8. */
import type { Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Team } from "./team.ts";

/** Which hub, and the token that proves who acts. */
export interface ConnectHubOptions {
  /** As `baton up` printed it, such as `http://127.0.0.1:4777`. */
  readonly url: string;
  /** A token of one agent, or of the owner: `baton token create AGENT`. It is never in a URL, a problem or a log. */
  readonly token: string;
  /** The team that is meant; absent: the one that the token is for. */
  readonly team?: string;
  /** Whom the caller believes to be; another token is refused. Absent: the agent of `BATON_AGENT`, if it is set. */
  readonly agent?: string;
  /** How long one question waits for its answer, in milliseconds; absent: 30 seconds. */
  readonly answerMsMax?: number;
  /** Called with words for a person: a stream was interrupted or goes on, others can read the token on its way. */
  onNotice?(words: string): void;
}

/**
 * Connects to a hub as the agent that the token proves. A hub that goes away for a short time is waited for, and a call
 * whose answer was lost is repeated under the same id, so nothing is recorded twice.
 *
 * Problems: `missing-field`, `wrong-type`, `unknown-field` (arguments); `wrong-usage` (no such URL); `unauthenticated`,
 * `token-revoked`, `identity-mismatch`, `unknown-team`, `too-many-requests`, `hub-unreachable`, `not-a-hub`.
 *
 * @example
 * const connected = await connectHub({ url: "http://127.0.0.1:4777", token: process.env.BATON_TOKEN ?? "" });
 * if (!connected.ok) throw new Error(connected.error[0]?.message);
 * await using team = connected.value;
 */
export async function connectHub(options: ConnectHubOptions): Promise<Result<Team, readonly Problem[]>> {
  const [{ connectShape, readArguments }, { checkedTeam }, { inProgramWords }, hub, { readConfig }, { agentOfShell }] =
    await Promise.all([
      import("./arguments.ts"),
      import("./checked-team.ts"),
      import("./arguments.ts"),
      import("../doors/http/client/client.ts"),
      import("../workspace/config.ts"),
      import("../workspace/config.ts"),
    ]);
  const read = readArguments(connectShape, options);
  if (!read.ok) return err(read.error.map(inProgramWords));
  const config = readConfig();
  const { url, token, agent = agentOfShell(config), team = null, answerMsMax, onNotice } = read.value;
  const closing = new AbortController();
  const connected = await hub.connectHub({
    url,
    token: token === "" ? null : token,
    agent,
    team,
    ...(answerMsMax === undefined ? {} : { answerMsMax }),
    say: (words) => onNotice?.(words),
    signal: closing.signal,
  });
  const found = connected.ok ? connected.value.team() : connected;
  if (!found.ok) return err([inProgramWords(found.error)]);
  return ok(
    checkedTeam(found.value, {
      place: { directory: config.directory, environment: config.environment() },
      stop: () => closing.abort(),
    }),
  );
}
