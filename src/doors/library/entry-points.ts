/**
 * Where a program begins: it opens the team of a folder, connects to a hub or creates a team, with the rules of the
 * command; `orThrow` is for programs that prefer exceptions. Nothing of the runtime is loaded before it is asked for.
 * Rules: docs/protocol/doors.md, section 8; docs/protocol/record.md, sections 23 to 25.
 */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { DialectId } from "../../messages/message.ts";
import { problemsOf, type Reply } from "../../perform/operations/reply.ts";
import type { TeamKindName } from "../../team/state/kinds.ts";
import type { CreatedTeam, NewAgent } from "./folder-team.ts";
import type { Team } from "./team.ts";

/** Which team is opened, and who acts. */
export interface OpenTeamOptions {
  /**
   * Who acts: an agent of the team, or `owner`, the person. There is no default: a program that forgets it must not
   * become the owner.
   */
  readonly agent: string;
  /**
   * A folder of the project; the team is looked for here and above, up to the repository's root. Absent: the working
   * folder.
   */
  readonly folder?: string;
  /**
   * A journal by its URL, as the command's `--journal` takes it, or by its path from the folder. Absent: the team's own.
   */
  readonly journal?: string;
  /** Needed where a journal that is named holds several teams. */
  readonly team?: string;
  /** How long a call waits for other processes' locks, in milliseconds; absent: as long as the command does. */
  readonly waitMs?: number;
  /**
   * Called with words for a person: the project was copied and can only be read, a changed team file has an error or
   * waits for the owner, entries are missing.
   */
  onNotice?(words: string): void;
}

/**
 * Opens the team of a folder as an agent. Works in the same way with a hub on the same journal and without one. Close
 * the team when you are done, or declare it with `await using`.
 *
 * Problems: `missing-field`, `wrong-type`, `unknown-field` (arguments); `unknown-agent`; `not-found` (no such folder);
 * `not-initialised` (no team there); `unknown-team`; `team-file`; and those of the journal (`journal-…`).
 *
 * @example
 * const opened = await openTeam({ folder: ".", agent: "dev-1" });
 * if (!opened.ok) throw new Error(opened.error[0]?.message);
 * await using team = opened.value;
 */
export async function openTeam(options: OpenTeamOptions): Promise<Result<Team, readonly Problem[]>> {
  // Loaded here: programs that only read messages need none of it.
  const { openFolderTeam } = await import("./folder-team.ts");
  return await openFolderTeam(options);
}

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
      import("../http/client/client.ts"),
      import("../../perform/workspace/config.ts"),
      import("../../perform/workspace/config.ts"),
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

/** The team that is wanted. */
export interface CreateTeamOptions {
  /** The root of the project. Absent: the working folder. */
  readonly folder?: string;
  /** 1 to 64 of `a-z`, `0-9` and `-`. Absent: after the folder. */
  readonly name?: string;
  /** The wire formats of the team, the first is the default of its agents. Absent: `vbw/2`. */
  readonly dialects?: readonly DialectId[];
  /** Who is in the team. Absent: nobody yet; `team.register` adds agents later. */
  readonly agents?: readonly NewAgent[];
  /** Instead of dialects and agents: a whole team of this kind, as `baton init --kind`. */
  readonly kind?: TeamKindName;
}

/**
 * Creates a team in a folder: `.baton/team.yaml`, with comments for those who edit it, and what git ignores. A repeat
 * changes nothing; a team file that says something else is never overwritten.
 *
 * Problems: `missing-field`, `wrong-type`, `wrong-value`, `unknown-field`, `not-found` (no such folder),
 * `already-exists`, `human-required` (a program of an agent), `journal-cannot-open` (the folder cannot be written).
 *
 * @example
 * const created = await createTeam({
 *   folder: ".",
 *   dialects: ["vbw/2"],
 *   agents: [{ agent: "lead-1", role: "lead" }, { agent: "dev-1", role: "dev" }],
 * });
 */
export async function createTeam(options: CreateTeamOptions = {}): Promise<Result<CreatedTeam, readonly Problem[]>> {
  const { writeNewTeam } = await import("./folder-team.ts");
  return await writeNewTeam(options);
}

/** What `orThrow` throws: every problem, and the first of them as the message. */
export class BatonError extends Error {
  override readonly name = "BatonError";
  /** The problems in their order; the first decides. */
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const [first] = problems;
    const hint = first?.hint === undefined ? "" : ` ${first.hint}`;
    super(first === undefined ? "Baton refused this." : `${first.code} at ${first.path}: ${first.message}${hint}`);
    this.problems = problems;
  }
}

/**
 * The value of a `Result`, or the accepted `Reply`. Anything else is thrown as a `BatonError`.
 *
 * @example
 * const team = orThrow(await openTeam({ agent: "dev-1" }));
 * const claim = orThrow(await team.claim({ task: "1-1-T1" }));
 * const { receipt } = orThrow(await team.complete({ task: "1-1-T1", token: claim.token, commit }));
 */
export function orThrow<Value>(answer: Result<Value, Problem | readonly Problem[]>): Value;

export function orThrow<Answer extends Reply>(answer: Answer): Extract<Answer, { readonly outcome: "accepted" }>;

export function orThrow(answer: Result<unknown, Problem | readonly Problem[]> | Reply): unknown {
  if ("ok" in answer) {
    if (answer.ok) return answer.value;
    throw new BatonError(isList(answer.error) ? answer.error : [answer.error]);
  }
  if (answer.outcome === "accepted") return answer;
  throw new BatonError(problemsOf(answer));
}

function isList(error: Problem | readonly Problem[]): error is readonly Problem[] {
  return Array.isArray(error);
}
