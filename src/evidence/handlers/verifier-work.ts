/**
 * What a verifier on another machine needs: the reports that it has to judge, as data, and the recording of what it found
 * under its own name. It judges with the same code as a hub; only the repository is another one.
 * Source: docs/protocol/verdicts.md, section 9.
 */
import { argument } from "../../base/argument.ts";
import { isProblemCode, makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { isVerifier, type Principal } from "../../messages/principal.ts";
import { plainJson } from "../../perform/content.ts";
import type { Actor, Context } from "../../perform/context.ts";
import { decideWork } from "../../perform/deciders.ts";
import type { ListReportedWork, RecordFinding } from "../../perform/operations/generated/calls.ts";
import type { Operation } from "../../perform/perform.ts";
import type { TeamState } from "../../perform/state.ts";
import { type SightedTips, tipsAt } from "../../tasks/state/branches.ts";
import { commitsOf } from "../../tasks/state/report-status.ts";
import type { Report } from "../../tasks/state/task-report.ts";
import { findTask } from "../../tasks/state/task-state.ts";
import { verifierOf } from "../../team/state/credentials.ts";
import type { WorkReport, WorkSheet } from "../operations/verification.ts";
import { type Candidate, candidatesIn, isJudgedWith, reportedIn, wasCreditedSince } from "../services/reported-work.ts";
import { undecidedNotification, verdictNotification } from "../services/verdict-notification.ts";

/** Most reports of one sheet. */
const sheetReportsMax = 200;

/**
 * The reports that have no verdict, with those that name the same commits and are not verified; or all of them. In the order
 * in which they were reported. For a caller that is no verifier none has been judged.
 */
export async function reportedWork(
  context: Context,
  actor: Actor,
  { after = -1, from = 0, all = false }: ListReportedWork = {},
): Promise<Result<WorkSheet, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state, head } = folded.value;
  const { seq } = head;
  const changed = Math.max(state.changed.get("work") ?? 0, state.changed.get("contracts") ?? 0);
  const empty = { seq, isUnchanged: true, reports: [], others: [], sightings: [], next: null };
  if (changed <= after) return ok(empty);
  const found = candidatesIn(state, null, isVerifier(actor.agent));
  if (!found.ok) return found;
  const isWanted = ({ report, before }: Candidate): boolean => report > from && (all || before === null);
  const wanted = found.value.filter(isWanted).toSorted((one, other) => one.report - other.report);
  const shown = wanted.slice(0, sheetReportsMax);
  if (shown.length === 0) return ok({ ...empty, isUnchanged: false });
  // What names a commit of these and was not verified is judged with them: it answers for its part, or does not.
  const joined = found.value
    .filter((each) => !shown.includes(each) && isJudgedWith(each, shown))
    .slice(0, sheetReportsMax);
  const sheets = [...joined, ...shown]
    .toSorted((one, other) => one.report - other.report)
    .map((each) => sheetOf(state, each));
  return ok({
    seq,
    isUnchanged: false,
    reports: sheets,
    others: reportedIn(state),
    sightings: sightingsOf(state, sheets),
    next: wanted.length > shown.length ? (shown.at(-1)?.report ?? null) : null,
  });
}

function sheetOf({ coordination: { work } }: TeamState, candidate: Candidate): WorkReport {
  const { key, task, plan, report, before, undecided } = candidate;
  const { branches = null, ...reported } = candidate.work;
  const known = work.tasks.get(key);
  const { commits, filesModified, scope, claimed, forecast = null, held = [], needs = [] } = reported;
  return {
    key,
    task,
    plan,
    report,
    work: { task, commits, filesModified, scope, claimed, forecast, held, needs },
    recorded: known?.branches ?? null,
    isFinishedBefore: branches?.isFinishedBefore === true,
    before,
    undecided,
  };
}

/** Where branches were, once for each sighting that the reports name. */
function sightingsOf(
  { coordination: { work } }: TeamState,
  sheets: readonly WorkReport[],
): readonly (SightedTips & { readonly seq: number })[] {
  const named = new Set(sheets.flatMap(({ recorded }) => recorded ?? []));
  return [...named].flatMap((seq) => {
    const tips = tipsAt(work.branches, seq);
    return tips === null ? [] : [{ seq, ...tips }];
  });
}

/**
 * Records what the team's verifier found. Refuses everybody else (`sender-not-authorised`), a finding that names other
 * commits than the report or problems that do not exist (`wrong-value`), and `unknown-task`. What comes too late is noted.
 */
export const recordFinding: Operation<RecordFinding> = {
  name: "record-finding",
  recorded(given) {
    const { task, plan, report } = given;
    // The work is in the event of the same entry.
    const { problems, notes, work: _, grown: __, ...said } = keptOf(given);
    return { task, plan, report, ...said, problems: problems.map(plainJson), notes: notes?.map(plainJson) };
  },
  decide(state, given, { by, seq }, { context }) {
    const { task, plan = null, report, asOf, state: found, commits } = given;
    const { coordination } = state;
    const judged = findTask(coordination.work, task, plan);
    const problem = verifierOnly(by, state) ?? wrongFinding(given, judged?.report ?? null);
    if (problem !== null) return err([problem]);
    const key = judged?.key ?? "";
    if (found === "verified" && wasCreditedSince(coordination.work, commits, { asOf, together: new Set([key]) })) {
      const message = "Another task was credited with the commit meanwhile; the work is judged again.";
      return ok({ events: [], notes: [{ code: "verdict-outdated", path: "$.body.report", message }] });
    }
    const order = { command: "record-finding", taskId: task, planId: plan, report, judge: by.agent } as const;
    const decided = decideWork(coordination, { ...order, ...keptOf(given), seq });
    if (!decided.ok || judged === null) return decided;
    const { events } = decided.value;
    const delivered =
      verdictNotification(context, state, judged, events) ?? undecidedNotification(state, judged, events);
    return ok({ ...decided.value, delivered });
  },
};

/** The finding as it is kept. Codes that Baton does not have are left out, and refused by `wrongFinding`. */
function keptOf({ state, commit, commits, files, problems, notes, work, grown, place }: RecordFinding) {
  return {
    ...(work === undefined ? {} : { work }),
    ...(grown === undefined ? {} : { grown }),
    ...(place === undefined ? {} : { place }),
    state,
    commit,
    ...(commits.length < 2 ? {} : { commits }),
    files,
    problems: problems.filter((each): each is Problem => isProblemCode(each.code)),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function verifierOnly({ agent }: Principal, { credentials }: TeamState): Problem | null {
  const verifier = verifierOf(credentials);
  if (isVerifier(agent) && (verifier === null || verifier === agent)) return null;
  const message = isVerifier(agent)
    ? `${verifier} judges the reports of this team.`
    : `${agent} is no verifier, so it records no findings.`;
  return makeProblem("sender-not-authorised", agent, message, {
    expected: verifier ?? "a verifier",
    received: agent,
    hint: "The owner creates its token: `baton token create verifier:NAME`.",
  });
}

/** A finding can only be about the commits that the report names, and consists of problems that Baton has. */
function wrongFinding(
  { state, commits, problems }: Pick<RecordFinding, "state" | "commits" | "problems">,
  report: Pick<Report, "commit" | "commits"> | null,
): Problem | null {
  const unknown = problems.find(({ code }) => !isProblemCode(code));
  if (unknown !== undefined) return wrong("problems", unknown.code, "There is no such problem.");
  const isSound = problems.length === 0;
  if (isSound !== (state === "verified"))
    return wrong("problems", state, "Verified work has no problem, and every other finding has one.");
  if (report === null) return null;
  const named = commitsOf(report).map((each) => each.toLowerCase());
  const foreign = commits.find((id) => !named.some((each) => each !== "" && id.startsWith(each)));
  if (foreign !== undefined) return wrong("commits", foreign, "The report does not name this commit.");
  const isWhole = commits.length > 0 && named.every((each) => commits.some((id) => id.startsWith(each)));
  return state === "verified" && !isWhole ? wrong("commits", commits.join(), "Verified work has its commits.") : null;
}

function wrong(name: string, received: string, message: string): Problem {
  return makeProblem("wrong-value", argument(name), message, { received: received.slice(0, 64).toWellFormed() });
}
