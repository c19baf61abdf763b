/**
 * Notifies the author of a report or artifact that the repository does not confirm it, why, and what to do; and again
 * when that no longer applies. As prose: no dialect has a message for it. Source: docs/protocol/verdicts.md.
 */
import type { Problem } from "../../base/problem.ts";
import { counted, shorten, shortList, visible } from "../../base/text.ts";
import { agentsAt } from "../../escalations/view.ts";
import { chainLevelOf, isAtOrAbove } from "../../messages/authority/chain-of-command.ts";
import type { Message } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Context } from "../../perform/context.ts";
import type { CoordinationEvent } from "../../perform/deciders.ts";
import { prose } from "../../perform/prose.ts";
import type { TeamState } from "../../perform/state.ts";
import { completingType } from "../../perform/system-message.ts";
import { leadsOf } from "../../shutdown/services/agent-departure.ts";
import type { TaskJudged } from "../../tasks/state/task-events.ts";
import type { Report, Task, Verdict } from "../../tasks/state/task-state.ts";
import type { ArtifactRecord, Whereabouts } from "../state.ts";

/** What is reported, and to whom. */
export interface VerdictNotification {
  readonly message: Message;
  readonly receivers: readonly string[];
}

/** The most findings that are reported in full, and most characters of a line with words of agents or of git. */
export const shownMax = 10;
const lineCharactersMax = 2_000;

/**
 * What these events, which record a verdict, say about the report on `task` as it was before. Null: nothing, because
 * they hold no verdict, or it confirms an undisputed report.
 */
export function verdictNotification(
  context: Pick<Context, "dialectOf">,
  state: TeamState,
  task: Task,
  events: readonly CoordinationEvent[],
): VerdictNotification | null {
  const { report, verdict: before } = task;
  const [judged] = events.flatMap((event) =>
    event.event === "task-verified" || event.event === "task-disputed" || event.event === "task-gone" ? [event] : [],
  );
  if (judged === undefined || report === null) return null;
  const { reporter } = report;
  const { isGone, receivers: answering } = hearers(state, reporter);
  const receivers = [...new Set([...answering, ...leadsAbove(state, reporter)])];
  const isOnlyTheirs = receivers.every((agent) => agent === reporter);
  const name = visible(task.task);
  const subject = `${isOnlyTheirs ? "Your" : `${reporter}'s`} report of ${name} (entry ${report.seq})`;
  const further = judged.notes?.find(({ code }) => code === "further-report");
  if (further !== undefined && before?.report !== judged.report)
    return { receivers, message: prose([line(subject, further.message)]) };
  if (judged.event === "task-verified") {
    const part = partGone(before, judged);
    if (part !== null) return { receivers: leadsOf(state, reporter), message: prose([line(name, part)]) };
    if (before === null || before.state === "verified") return null;
    return { receivers, message: prose([borneOut(subject, before.seq)]) };
  }
  if (judged.event === "task-gone" && judged.place?.at === "reverted") {
    const resting = restingOn(state, task.key);
    const others = resting.length === 0 ? [] : [line("Rests on it", shortList(resting.map((each) => each.task)))];
    const lines = [`The work of ${name} had landed and was taken back: it is not done any more.`, ...others];
    const all = new Set([...receivers, ...resting.flatMap(({ by }) => by ?? [])]);
    return { receivers: [...all], message: prose([...lines, ...problemLines(judged.problems)]) };
  }
  if (judged.event === "task-gone") return { receivers, message: prose(goneLines(name, judged.problems)) };
  const type = isGone ? null : completingType(context, state, reporter);
  const said = type === null ? "" : ` (in a message: ${type})`;
  const lines = [
    `${subject} is disputed: the repository does not confirm it.`,
    line("Claimed", claimOf(report)),
    ...problemLines(judged.problems),
    `What to do: ${toDo(name, isGone ? null : isOnlyTheirs ? "you" : reporter)} with the commit that holds the work${said}. Its plan is not summed up before.`,
  ];
  return { receivers, message: prose(lines) };
}

/** Tasks that come right after this one, and who works on each or reported it, if that agent is there; null: nobody. */
function restingOn(
  { coordination, team }: TeamState,
  key: string,
): readonly { readonly task: string; readonly by: string | null }[] {
  const { tasks, neededBy } = coordination.work;
  return [...(neededBy.tasks.get(key)?.keys() ?? [])].flatMap((other) => {
    const { task, claim = null, report = null } = tasks.get(other) ?? {};
    const agent = claim?.holder ?? report?.reporter ?? "";
    return task === undefined ? [] : [{ task, by: team.roster.get(agent)?.status === "active" ? agent : null }];
  });
}

/** What is newly gone of work that is still there; null: nothing. */
function partGone(before: Verdict | null, { place }: TaskJudged): string | null {
  const said = ({ notes = [] }: Pick<Whereabouts, "notes">) => notes.filter(({ code }) => code === "part-gone");
  const known = said(before?.place ?? {}).map(({ path }) => path);
  const fresh = said(place ?? {}).filter(({ path }) => !known.includes(path));
  return fresh.length === 0 ? null : fresh.map(({ message }) => message).join(" ");
}

function goneLines(name: string, problems: readonly Problem[]): readonly string[] {
  return [
    `The work of ${name} was verified, and is gone. The task stays done and is not free; what depends on it and was not begun waits.`,
    ...problemLines(problems),
  ];
}

/** Tells the reporter and its leads that a report could not be judged, and why. Null: nobody reported it. */
export function unjudgedNotification(
  state: TeamState,
  { report, task }: Task,
  problems: readonly Problem[],
): VerdictNotification | null {
  if (report === null) return null;
  const { reporter, seq } = report;
  const receivers = [...new Set([...hearers(state, reporter).receivers, ...leadsAbove(state, reporter)])];
  const isOnlyTheirs = receivers.every((agent) => agent === reporter);
  const name = visible(task);
  const lines = [
    `${isOnlyTheirs ? "Your" : `${reporter}'s`} report of ${name} (entry ${seq}) could not be judged: the repository says nothing for or against it.`,
    line("Claimed", claimOf(report)),
    ...problemLines(problems),
    `What to do: end what keeps it from being judged, or report ${name} in a way that can be judged. It does not count as done before. Baton looks again when branches change, else more and more rarely.`,
  ];
  return { receivers, message: prose(lines) };
}

/** The leads of an agent that leads nobody itself: its task is free again, so they decide who goes on with it. */
export function leadsAbove(state: TeamState, agent: string): readonly string[] {
  const role = state.team.roster.get(agent)?.role;
  const level = role === undefined ? null : chainLevelOf(role);
  const isLeading = agent === ownerName || (level !== null && isAtOrAbove(level, "lead"));
  return isLeading ? [] : agentsAt(state, "lead", agent);
}

/** What the reporter does, as its readers read it. Null: it left the team, so somebody else does it. */
function toDo(task: string, reporter: string | null): string {
  if (reporter === null || reporter === "you")
    return `${reporter === null ? "have somebody claim" : "claim"} ${task} again, because it is free again, correct what is wrong, and report it as complete again`;
  return `${reporter} claims ${task} again, because it is free again, corrects what is wrong, and reports it as complete again`;
}

/** The same of the artifacts that a message names; its readers believed it, so they are reported too. */
export function artifactNotification(
  state: TeamState,
  record: ArtifactRecord,
  events: readonly CoordinationEvent[],
  readers: readonly string[],
): VerdictNotification | null {
  const { sender, type, seq, artifacts, finding: before } = record;
  const [judged] = events.flatMap((event) =>
    event.event === "artifacts-verified" || event.event === "artifacts-disputed" ? [event] : [],
  );
  if (judged === undefined) return null;
  const { isGone, receivers: answering } = hearers(state, sender);
  const active = readers.filter((agent) => agent === ownerName || state.team.roster.get(agent)?.status === "active");
  const receivers = [...new Set([...answering, ...active])];
  const subject = `What ${sender}'s ${visible(type)} (entry ${seq}) says of ${counted(artifacts.length, "artifact")}`;
  if (judged.event === "artifacts-verified")
    return before?.state !== "disputed" ? null : { receivers, message: prose([borneOut(subject, before.seq)]) };
  const lines = [
    `${subject} is disputed: the repository does not confirm it.`,
    line("Claimed", shortList(artifacts)),
    ...problemLines(judged.problems),
    `What to do: ${isGone ? "have somebody put" : `${sender} puts`} the artifact right and commit${isGone ? "" : "s"} it, or send${isGone ? "" : "s"} the message again with what is right. What it is about is held up until it is looked at again and found so.`,
  ];
  return { receivers, message: prose(lines) };
}

/** The author; if that agent is gone, its lead, else the owner. */
export function hearers(
  state: TeamState,
  sayer: string,
): { readonly isGone: boolean; readonly receivers: readonly string[] } {
  if (sayer === ownerName || state.team.roster.get(sayer)?.status === "active")
    return { isGone: false, receivers: [sayer] };
  const leads = agentsAt(state, "lead", sayer);
  return { isGone: true, receivers: leads.length === 0 ? [ownerName] : leads };
}

function borneOut(subject: string, seq: number): string {
  return `${subject} is verified now: the repository bears it out, and what entry ${seq} said against it no longer holds.`;
}

function claimOf({ commit, files }: Report): string {
  const at = commit === "" ? "no commit" : `commit ${commit}`;
  return files === null ? at : `${at}, which changes ${shortList(files)}`;
}

/** What the repository shows against it, a line each with how to correct it. */
function problemLines(problems: readonly Problem[]): readonly string[] {
  const shown = problems.slice(0, shownMax).map(({ code, path, message, hint }) => {
    const where = path === "" || path === "$" ? "" : ` at ${path}`;
    return line("Found", `${code}${where}: ${message}${hint === undefined ? "" : ` ${hint}`}`);
  });
  const more = problems.length - shown.length;
  return more === 0
    ? shown
    : [...shown, `Found: ${counted(more, "more finding")}; the entry of this message holds all of them.`];
}

/** One line, whatever the words hold: what agents or git wrote must not look like a line of Baton's own. */
export function line(head: string, words: string): string {
  return `${head}: ${shorten(visible(words), lineCharactersMax)}`;
}

/** A report that is taken back by command concerns the leads too; a message says it to them itself. */
export function withdrawalNotice(state: TeamState, events: readonly CoordinationEvent[]) {
  const taken = events.find((event) => event.event === "task-reported" && event.withdraws !== undefined);
  if (taken?.event !== "task-reported") return {};
  const { reporter, task, withdraws, deviations } = taken;
  const message = prose([
    `${reporter} took back its report of ${visible(task)} (entry ${withdraws ?? 0}): it no longer counts as done.`,
    ...deviations.slice(0, 1).map((each) => line("Said", each)),
    "What to do: the task is free again; have it claimed, repaired and reported again.",
  ]);
  return { delivered: { message, receivers: leadsOf(state, reporter) } };
}
