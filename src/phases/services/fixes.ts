/**
 * Places that a review said must be fixed, checked against the repository: whether the commit that was reported since
 * changes that line, counted as it was when it was reviewed. Looked at outside the write lock, and recorded under it
 * and reported, as verdicts are. Source: docs/protocol/verdicts.md, section 10.
 */
import { ok } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { isLineTouched } from "../../evidence/git/changes.ts";
import { findCommit } from "../../evidence/git/commits.ts";
import { answerOf, look } from "../../evidence/git/questions.ts";
import { openRepository } from "../../evidence/git/repository.ts";
import type { RepositoryPlace } from "../../evidence/services/gate.ts";
import { foreignNote, namedRepository } from "../../evidence/services/own-repository.ts";
import { askedBy, mayJudge } from "../../evidence/services/reported-work.ts";
import { hearers, line, shownMax, type VerdictNotification } from "../../evidence/services/verdict-notification.ts";
import { type VerifyOptions, verify } from "../../evidence/services/verification.ts";
import type { Note } from "../../messages/message.ts";
import { type Actor, batonActor, type Context } from "../../perform/context.ts";
import { type CoordinationEvent, decidePhaseCommand } from "../../perform/deciders.ts";
import type { TaskVerdict } from "../../perform/operations/reply.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import { prose } from "../../perform/prose.ts";
import type { TeamState } from "../../perform/state.ts";
import { findTask } from "../../tasks/state/task-state.ts";
import { type FixFinding, type MustFix, reviewOf } from "../state/review-state.ts";

/**
 * The verdicts on reported work, and after them a look at what was reported as fixed: a verdict notes the places that its
 * report does not change. Refuses what `verify` refuses.
 */
export async function verifyWithFixes(
  context: Context,
  actor: Actor,
  place: RepositoryPlace,
  options?: VerifyOptions,
): ReturnType<typeof verify> {
  const verdicts = await verify(context, actor, place, options);
  if (!verdicts.ok) return verdicts;
  await judgeFixes(context, actor, place, options?.signal);
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { state } = folded.value;
  return ok(verdicts.value.map((verdict) => ({ ...verdict, notes: [...verdict.notes, ...unfixed(state, verdict)] })));
}

/** A note for each place that the task's report was to fix, and that the repository shows as it was. */
function unfixed({ coordination: { work, reviews } }: TeamState, { task, plan }: TaskVerdict): readonly Note[] {
  const known = findTask(work, task, plan);
  if (known?.report === null || known === null || known.plan === null) return [];
  const { seq } = known.report;
  const places = reviewOf(reviews, known.plan).review?.mustFix ?? [];
  return places.flatMap(({ at, state, claimedAt, commit }) => {
    if (state !== "untouched" || claimedAt !== seq) return [];
    const message = `A review asked for a change here, and commit ${commit ?? ""} does not change it. It is not fixed.`;
    return [{ code: "fix-not-seen", path: at, message }];
  });
}

/** Judges every place that was reported as fixed and not looked at yet; what cannot be seen stays as it is. */
async function judgeFixes(context: Context, actor: Actor, place: RepositoryPlace, signal?: AbortSignal): Promise<void> {
  const folded = await context.journal.state(context.team);
  if (!folded.ok || !mayJudge(actor, folded.value.state)) return;
  const waiting = reportedFixes(folded.value.state);
  const named = namedRepository(context, folded.value.state);
  if (waiting.length === 0) return;
  const opened = await openRepository(place.directory, place);
  if (!opened.ok) return;
  await using repository = opened.value;
  if ((await foreignNote(context, named, repository)) !== null) return;
  for (const { plan, fixes } of waiting) {
    const found: FixFinding[] = [];
    for (const { at, cycle, line } of fixes) {
      if (signal?.aborted === true) return;
      const change = await look(async () => {
        const [before, commit] = await Promise.all([
          findCommit(repository, line.before),
          findCommit(repository, line.after),
        ]);
        const asked = { ...line, before: answerOf(before), after: answerOf(commit) };
        return { isTouched: await isLineTouched(repository, asked), commit: asked.after };
      });
      if (change.ok) found.push({ at, cycle, ...change.value });
    }
    const judged = { plan, ...askedBy(actor), fixes: found };
    if (found.length > 0) await perform({ context, actor: batonActor }, recordFixes, judged);
  }
}

/** What was reported as fixed, by plan. Read before anything waits: the state is folded in place. */
function reportedFixes({ coordination: { reviews } }: TeamState) {
  return [...reviews.plans.values()].flatMap(({ plan, review }) => {
    const fixes = (review?.mustFix ?? []).flatMap(({ at, cycle, file, line, state, reviewed, commit }) =>
      state === "reported" && reviewed !== null && commit !== null
        ? [{ at, cycle, line: { before: reviewed, after: commit, file, line } }]
        : [],
    );
    return fixes.length === 0 ? [] : [{ plan, fixes }];
  });
}

interface JudgedFixes {
  readonly plan: string;
  readonly askedBy?: string;
  readonly fixes: readonly FixFinding[];
}

const recordFixes: Operation<JudgedFixes> = {
  name: "record-fixes",
  decide(state, { plan, fixes }, { seq }) {
    const decided = decidePhaseCommand(state.coordination, {
      decider: "reviews",
      command: { command: "judge-fixes", plan, fixes, seq },
    });
    return decided.ok ? ok({ ...decided.value, delivered: toldOfFixes(state, decided.value.events) }) : decided;
  },
};

/*
 * What Baton says of fixes that a review asked for: that one was reported and is not to be seen, and that it is seen
 * after all. The author can repair it; the reviewer decides whether it is. Source: docs/protocol/verdicts.md,
 * section 10.
 */

/**
 * What these events, which record findings, say about the places as they were before. Null: nothing, because they hold
 * no finding, or each confirms an undisputed fix.
 */
function toldOfFixes(state: TeamState, events: readonly CoordinationEvent[]): VerdictNotification | null {
  const [judged] = events.flatMap((event) => (event.event === "fixes-judged" ? [event] : []));
  if (judged === undefined) return null;
  const { plan, fixes } = judged;
  const places = reviewOf(state.coordination.reviews, plan).review?.mustFix ?? [];
  const found = fixes.flatMap((finding) => {
    const place = places.find(({ at, cycle }) => at === finding.at && cycle === finding.cycle);
    return place === undefined ? [] : [{ place, ...finding }];
  });
  const missing = found.filter(({ isTouched }) => !isTouched);
  const mended = found.filter(({ isTouched, place }) => isTouched && place.untouchedAt !== undefined);
  const meant = [...missing, ...mended].map(({ place }) => place);
  if (meant.length === 0) return null;
  const said = [
    ...missing.map(({ place, commit }) => missingLine(place, commit)),
    ...mended.map(({ place, commit }) => mendedLine(place, commit)),
  ];
  const more = said.length - shownMax;
  const lines = [
    headOf(plan, missing.length > 0),
    ...said.slice(0, shownMax),
    ...(more > 0 ? [`Further places: ${more}; the phase shows all.`] : []),
    ...(missing.length === 0
      ? []
      : [
          whatToDo(
            state,
            missing.map(({ place }) => place),
          ),
        ]),
  ];
  return { message: prose(lines), receivers: receiversOf(state, meant) };
}

function headOf(plan: string, isMissing: boolean): string {
  const what = isMissing
    ? "a required change was reported as made, but the repository does not show it."
    : "a required change that was missing is made now.";
  return `Review of plan ${visible(plan)}: ${what}`;
}

function missingLine({ at, issue, askedBy, seq, claimedBy, claimedAt }: MustFix, commit: string): string {
  const asked = askedBy === undefined ? `asked for in entry ${seq}` : `${askedBy} asked for it (entry ${seq})`;
  const claimed =
    claimedBy === undefined ? "it was reported as fixed" : `${claimedBy} reported it as fixed (entry ${claimedAt})`;
  return line(
    "Found",
    `${at} is as it was; ${asked}, ${claimed} with commit ${commit}.${issue === null ? "" : ` ${issue}`}`,
  );
}

function mendedLine({ at, untouchedAt }: MustFix, commit: string): string {
  return line(
    "Fixed",
    `${at} is changed by commit ${commit}, and what entry ${untouchedAt} said against it no longer holds.`,
  );
}

function whatToDo(state: TeamState, missing: readonly MustFix[]): string {
  const isGone = missing.every(({ claimedBy }) => hearers(state, claimedBy ?? "").isGone);
  const askers = askersOf(state, missing);
  const mend = `${isGone ? "have somebody change" : "change"} what was asked for, and report the task as complete again with the commit that holds it`;
  const decides =
    askers.length === 0 ? "the next review decides" : `tell ${askers.join(", ")}, whose next review decides`;
  return `What to do: ${mend}. If it was corrected in another place, ${decides}.`;
}

function receiversOf(state: TeamState, places: readonly MustFix[]): readonly string[] {
  const claimants = places.flatMap(({ claimedBy }) => hearers(state, claimedBy ?? "").receivers);
  return [...new Set([...claimants, ...askersOf(state, places)])];
}

/** Those who asked for it and are there still; where one is gone, somebody else reviews next. */
function askersOf({ team }: TeamState, places: readonly MustFix[]): readonly string[] {
  const askers = new Set(places.flatMap(({ askedBy }) => askedBy ?? []));
  return [...askers].filter((agent) => team.roster.get(agent)?.status === "active");
}
