/**
 * One-time codes for the owner's browser that every hub of a journal accepts: their hashes are noted in the journal, next to
 * the entries. The note changes under the team's lock, so of two hubs that are shown the same code one accepts it.
 * Source: docs/protocol/authority.md, section 15.
 */
import { steadyNow } from "../base/clock.ts";
import { isJsonList, parseBounded } from "../base/json.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import type { Context } from "./context.ts";

/** No agent can have such a name. */
const noteName = "owner/codes";
/** More links than a person opens at once; the oldest make room. */
const codesMax = 64;

type Code = readonly [hash: string, endsAtMs: number];

/** Notes the code of this hash, which is good for so long. */
export async function keepCode(
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
export async function takeCode({ journal, team, clock }: Context, hash: string): Promise<Result<boolean, Problem>> {
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
