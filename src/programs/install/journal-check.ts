/** What `baton doctor` says of the journal: whether it opens and is sound, and can be written where it is in a server. */
import { existsSync } from "node:fs";
import type { Problem } from "../../base/problem.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { acceptLossLine } from "../../doors/cli/kernel/next-command.ts";
import { anchorPath } from "../../journal/anchor-file.ts";
import type { Journal } from "../../journal/journal.ts";
import { leftProblem } from "../../perform/closed-team.ts";
import { openTeamJournal } from "../../perform/open.ts";
import type { Place } from "../../perform/workspace/place.ts";
import type { Check } from "./examined-programs.ts";
import { olderFileChecks } from "./team-file-check.ts";

/** So long the journal's server may take to answer, in milliseconds: a look must not take as long as a command waits. */
const serverMs = 4_000;

/** Whether the journal can be opened and is sound, and what its server says. Nothing is changed. */
export async function journalChecks(call: Pick<Call, "given">, place: Place): Promise<readonly Check[]> {
  const { journal: file, address, shown } = place;
  if (address === file && !existsSync(file))
    return [
      {
        check: "journal",
        state: "ok",
        finding: "not written yet",
        advice: "the first command that records something makes it",
      },
    ];
  const options = { create: false, readOnly: true, headsFile: anchorPath(file), waitMs: serverMs };
  const opened = await openTeamJournal(address, options);
  if (!opened.ok)
    return [opened.error.code === "journal-unreachable" ? away(opened.error) : failed("journal", opened.error)];
  await using journal = opened.value;
  const status = journal.condition();
  if (status.condition === "unreachable") return [away(status.problem)];
  if (status.condition === "failed") return [failed("journal", status.problem)];
  if (status.condition === "regressed") {
    const finding = `team ${status.team} is at entry ${status.head.seq}, but ${status.anchor.seq} were acknowledged`;
    return [bad("journal", finding, `restore a backup, or go on without them: ${acceptLossLine(call)}`)];
  }
  const report = await journal.verify();
  const [first] = report.problems;
  if (first !== undefined) return [failed("journal", first)];
  const left = await leftProblem(journal);
  if (left !== null) return [failed("journal", left)];
  const where = address === file ? "" : `, in ${shown}`;
  const entries = report.teams.reduce((sum, each) => sum + each.entries, 0);
  const sound = await ofServer(journal, good("journal", `sound, ${entries} entries${where}`));
  return [sound, ...(await olderFileChecks(journal, place))];
}

/** The same of a sound journal with what its server says: whether it can be written, and what to heed at a failover. */
async function ofServer(journal: Pick<Journal<unknown>, "stats">, sound: Check): Promise<Check> {
  const stats = await journal.stats();
  if (!stats.ok) return failed(sound.check, stats.error);
  const { lacksRights, failoverTo, isStandby } = stats.value.engine;
  if (isStandby === true) {
    const finding = `${sound.finding}, but its server is a standby, which can only be read`;
    return bad(
      sound.check,
      finding,
      "name the primary; if it is lost, docs/guides/when-something-fails.md says how to promote one",
    );
  }
  if (lacksRights !== undefined) {
    const finding = `${sound.finding}, but its user may not write: it lacks ${lacksRights}`;
    return bad(sound.check, finding, "as the owner of the tables grant it these rights, or name another user");
  }
  if (failoverTo !== "furthest replica") return sound;
  const advice =
    "if the server is lost, promote only the replica that is furthest: docs/guides/when-something-fails.md says how";
  return { ...sound, advice };
}

/** A check that found things in order. */
export function good(check: string, finding: string): Check {
  return { check, state: "ok", finding, advice: null };
}

/** A check that failed, with what to do. */
export function bad(check: string, finding: string, advice: string): Check {
  return { check, state: "fail", finding, advice };
}

/** The same of a problem. */
export function failed(check: string, { code, path, message, hint }: Problem): Check {
  return bad(check, `${path}: ${message} (${code})`, hint ?? "see baton journal verify");
}

/** The server of the journal does not answer: why, and what was not looked at. */
function away({ code, path, message, received }: Problem): Check {
  const why = received === undefined ? "" : ` ${received}.`;
  return bad(
    "journal",
    `${path}: ${message}${why} (${code})`,
    "Not checked: the server's settings, whether entries are missing or changed, whether the team file is older. Look whether the server runs and can be reached from here, and run this again.",
  );
}
