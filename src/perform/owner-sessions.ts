/**
 * The owner's sessions and the links to read, at every hub of a journal: they are recorded in a team and looked for in all.
 * Source: docs/protocol/doors.md, section 4.
 */
import { argument } from "../base/argument.ts";
import { steadyNow } from "../base/clock.ts";
import type { TeamName } from "../base/ids.ts";
import { isJsonList, parseBounded } from "../base/json.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { endSession, findSession, findShare, openSession } from "../team/handlers/credentials.ts";
import type { OwnerSession, Share } from "../team/state/credentials.ts";
import type { Context } from "./context.ts";
import type { OpenedJournal } from "./open.ts";

/** What a hub's calls share. */
export interface HubServices {
  readonly journal: OpenedJournal;
  readonly contextOf: (team: TeamName) => Context;
  /** Teams that were seen to have entries. Entries never go, so these need not be looked up with every request. */
  readonly met: Set<TeamName>;
}

/** A link by which somebody may read a team now. */
export interface OpenShare {
  readonly team: TeamName;
  readonly share: Share;
}

export interface OwnerSessions {
  /** The owner's session with this hash in any team of the journal; null: there is none. */
  findSession(hash: string): Promise<Result<OwnerSession | null, Problem>>;
  /** Records an open session for every hub of the journal. Refuses `unknown-team` where the journal holds none. */
  openSession(session: OwnerSession): Promise<Result<void, Problem>>;
  /** Ends a session at every hub of the journal; one that is not open changes nothing. */
  endSession(hash: string): Promise<Result<void, Problem>>;
  /** Notes a one-time code for every hub of the journal. Refuses `unknown-team` where the journal holds none. */
  keepCode(hash: string, goodMs: number): Promise<Result<void, Problem>>;
  /** Whether the code was noted and is good; from then on no hub accepts it. */
  takeCode(hash: string): Promise<Result<boolean, Problem>>;
  /** The link to read with the secret of this hash, if it is good now, and the team that it shows; null: none is. */
  findShare(hash: string): Promise<Result<OpenShare | null, Problem>>;
}

/** The teams of the journal, which are known from then on. */
export async function meetTeams({ journal, met }: HubServices): Promise<Result<readonly TeamName[], Problem>> {
  const known = await journal.teams();
  if (known.ok) for (const team of known.value) met.add(team);
  return known;
}

/** The owner's sessions: recorded in the hub's own team, else in the first of the journal, and looked for in all. */
export function ownerSessions(services: HubServices, home: TeamName | null): OwnerSessions {
  const holding = async (hash: string): Promise<Result<readonly [TeamName, OwnerSession] | null, Problem>> => {
    const known = await meetTeams(services);
    if (!known.ok) return known;
    for (const team of known.value) {
      const found = await findSession(services.contextOf(team), hash);
      if (!found.ok) return found;
      if (found.value !== null) return ok([team, found.value]);
    }
    return ok(null);
  };
  /** Where codes are noted: hubs of other teams look there, too. */
  const first = async (): Promise<Result<Context, Problem>> => {
    const known = await meetTeams(services);
    if (!known.ok) return known;
    const [team] = known.value;
    return team === undefined ? err(noTeam()) : ok(services.contextOf(team));
  };
  return {
    async keepCode(hash, goodMs) {
      const context = await first();
      return context.ok ? await keepCode(context.value, hash, goodMs) : context;
    },
    async takeCode(hash) {
      const context = await first();
      return context.ok ? await takeCode(context.value, hash) : context;
    },
    async findShare(hash) {
      const known = await meetTeams(services);
      if (!known.ok) return known;
      for (const team of known.value) {
        const found = await findShare(services.contextOf(team), hash);
        if (!found.ok) return found;
        if (found.value !== null) return ok({ team, share: found.value });
      }
      return ok(null);
    },
    async findSession(hash) {
      const found = await holding(hash);
      return found.ok ? ok(found.value?.[1] ?? null) : found;
    },
    async openSession(session) {
      const known = await meetTeams(services);
      if (!known.ok) return known;
      const team = home ?? known.value[0];
      return team === undefined ? err(noTeam()) : await openSession(services.contextOf(team), session);
    },
    async endSession(hash) {
      const found = await holding(hash);
      if (!found.ok) return found;
      return found.value === null ? ok(undefined) : await endSession(services.contextOf(found.value[0]), hash);
    },
  };
}

function noTeam(): Problem {
  return makeProblem("unknown-team", argument("team"), "The journal holds no team yet.");
}

/** No agent can have such a name. */
const noteName = "owner/codes";
/** More links than a person opens at once; the oldest make room. */
const codesMax = 64;

type Code = readonly [hash: string, endsAtMs: number];

/** Notes the code of this hash, which is good for so long. */
async function keepCode(
  { journal, team, clock }: Context,
  hash: string,
  goodMs: number,
): Promise<Result<void, Problem>> {
  return await journal.note(team, noteName, (before) => {
    const now = steadyNow(clock);
    const good = codesIn(before).filter(([, endsAtMs]) => now < endsAtMs);
    return JSON.stringify([...good.slice(1 - codesMax), [hash, now + goodMs]]);
  });
}

/** Whether the code of this hash was good; from now on it is not, at no hub. */
async function takeCode({ journal, team, clock }: Context, hash: string): Promise<Result<boolean, Problem>> {
  const known = await journal.notes(team);
  if (!known.ok) return known;
  // A guess takes no lock.
  if (!codesIn(known.value.get(noteName) ?? null).some(([each]) => each === hash)) return ok(false);
  let isGood = false;
  const noted = await journal.note(team, noteName, (before) => {
    const codes = codesIn(before);
    const found = codes.find(([each]) => each === hash);
    isGood = found !== undefined && steadyNow(clock) < found[1];
    return found === undefined ? null : JSON.stringify(codes.filter((each) => each !== found));
  });
  return noted.ok ? ok(isGood) : noted;
}

/** The codes in a note; anything that this file did not write counts as none. */
function codesIn(text: string | null): readonly Code[] {
  const read = text === null ? null : parseBounded(text);
  if (read?.ok !== true || !isJsonList(read.value)) return [];
  return read.value.flatMap((each): readonly Code[] => {
    const [hash, endsAtMs] = isJsonList(each) ? each : [];
    return typeof hash === "string" && typeof endsAtMs === "number" ? [[hash, endsAtMs]] : [];
  });
}
