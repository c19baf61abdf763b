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
import * as completions from "../../tasks/decide/completions.ts";
import { commitsOf } from "../../tasks/state/report-status.ts";
import { findTask, type Report } from "../../tasks/state/task-state.ts";
import { verifierOf } from "../../team/state/credentials.ts";
import type { WorkSheet } from "../operations/verification.ts";
import { type Candidate, candidatesIn, isJudgedWith, reportedIn, wasCreditedSince } from "../services/reported-work.ts";
import { undecidedNotification, verdictNotification } from "../services/verdict-notification.ts";

/** The reports that have no verdict, with those that name the same commits and are not verified; or all of them. */
export async function reportedWork(
  context: Context,
  _: Actor,
  { after = -1, all = false }: ListReportedWork = {},
): Promise<Result<WorkSheet, Problem>> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state, head } = folded.value;
  const changed = Math.max(state.changed.get("work") ?? 0, state.changed.get("contracts") ?? 0);
  const main = state.team.definition?.main ?? null;
  if (changed <= after) return ok({ seq: head.seq, isUnchanged: true, main, reports: [], others: [] });
  const found = candidatesIn(state, null);
  if (!found.ok) return found;
  const wanted = found.value.filter(({ before }) => all || before === null);
  const judged = all ? wanted : found.value.filter((each) => each.before === null || isJudgedWith(each, wanted));
  const inOrder = judged.toSorted((one, other) => one.report - other.report);
  const others = wanted.length === 0 ? [] : reportedIn(state);
  return ok({ seq: head.seq, isUnchanged: false, main, reports: inOrder.map(asSent), others });
}

/** What was verified is not accused later, so nobody asks whether it is older than its task. */
function asSent(candidate: Candidate): Candidate {
  const { before } = candidate;
  if (before === null || before.state === "disputed") return candidate;
  const { branches: _, ...work } = candidate.work;
  return { ...candidate, work };
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
    const order = { taskId: task, planId: plan, report, judge: by.agent } as const;
    const decided = decideWork(coordination, completions.recordFinding, { ...order, ...keptOf(given), seq });
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
