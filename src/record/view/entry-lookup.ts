/**
 * One entry whole, by its number or its message's id. Else what the id names that is no entry: a task, a plan, an
 * escalation, a request, a round, a handoff or an agent, and the command that shows it, so that the caller learns where
 * it is.
 */

import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { escalationOf } from "../../escalations/state.ts";
import type { Entry } from "../../journal/entry.ts";
import { planKey } from "../../messages/task-ids.ts";
import { type Content, contentOf, effectsOf } from "../../perform/content.ts";
import type { TeamContext } from "../../perform/context.ts";
import { approvalOf, roundOf } from "../../perform/coordination-state.ts";
import { isVerdictAgainst, outcomeOf } from "../../perform/line-outcome.ts";
import { entryAt } from "../../perform/reply.ts";
import type { TeamState } from "../../perform/state.ts";
import { reportStatusOf, verdictOn } from "../../tasks/state/report-status.ts";
import { findTask, type Work } from "../../tasks/state/task-state.ts";
import type { ReportVerdict, Shown } from "../operations/entries.ts";
import { logLine, reportsIn } from "./log.ts";

/** What it is, in words, and how to see it. */
interface NamedThing {
  readonly what: string;
  readonly hint: string;
}

/** What `id` names in the team; null: nothing that is known. Of several things that have the id the first of this list. */
export function thingNamed({ coordination, team }: TeamState, id: string): NamedThing | null {
  // A command line in a hint must be safe to paste.
  const word = /^[A-Za-z0-9._:/@-]+$/.test(id) && !id.startsWith("-") ? id : "ID";
  const task = findTask(coordination.work, id, null);
  if (task !== null)
    return {
      what: `the task ${visible(task.task)}`,
      hint: `\`baton task list\` shows its state, \`baton log --task ${word}\` what was said and done about it.`,
    };
  const escalation = escalationOf(coordination.escalations, id);
  if (escalation !== null)
    return {
      what: `the escalation ${visible(escalation.id)}, which is ${escalation.status}`,
      hint: "`baton needs --escalations` shows it with its steps and decision.",
    };
  if (approvalOf(coordination, id) !== null)
    return { what: "a request for an approval", hint: "`baton needs --requests` shows it with its answer." };
  if (roundOf(coordination, id) !== null)
    return { what: "a shutdown round", hint: `\`baton shutdown status ${word}\` shows it.` };
  if (coordination.handoffs.all.has(id)) return { what: "a handoff", hint: `\`baton handoff list ${word}\` shows it.` };
  if (coordination.contracts.plans.has(planKey(id)))
    return {
      what: "a plan",
      hint: `\`baton contract show ${word}\` shows its contract, \`baton summary ${word}\` what became of it.`,
    };
  if (team.roster.has(id))
    return {
      what: "an agent",
      hint: `\`baton agent list\` shows it, \`baton log --from ${word}\` what it sent and did.`,
    };
  return null;
}

/**
 * One entry by its seq or its id, with how far its delivery came. Several senders may have used one id: `sender` says whose
 * is meant. Refuses `not-found`, and `ambiguous-request` with every entry of the id.
 */
export async function show(
  context: TeamContext,
  key: string,
  { sender }: { readonly sender?: string } = {},
): Promise<Result<Shown, Problem>> {
  const found = await findEntry(context, key, sender);
  if (!found.ok) return found;
  const entry = found.value;
  const content = contentOf(entry);
  const folded = await context.journal.state(context.team);
  if (!folded.ok) return folded;
  const { mail, coordination } = folded.value.state;
  // Taken out before the next await: the state is only lent.
  const report = reportStatusOf(coordination.work, entry.seq, reportsIn(content));
  const judged = verdictsOn(coordination.work, entry.seq, content);
  const became = content.events === undefined ? {} : outcomeOf(coordination, entry.seq, content.events);
  const cursors = entry.receivers.map((agent) => ({ agent, acknowledged: mail.get(agent)?.acknowledged ?? 0 }));
  const delivery: Shown["delivery"][number][] = [];
  for (const { agent, acknowledged } of cursors) {
    const marks = await context.journal.marks(context.team, agent);
    if (!marks.ok) return marks;
    delivery.push({ agent, state: stageOf(entry.seq, { ...marks.value, acknowledged }) });
  }
  const verdicts: ReportVerdict[] = [];
  for (const { key, ...verdict } of judged) {
    const found = await entryAt(context, verdict.seq);
    if (!found.ok) return found;
    const problems = found.value === null ? [] : problemsFound(found.value, key);
    verdicts.push({ ...verdict, problems });
  }
  return ok({
    ...logLine(entry),
    report,
    ...became,
    ...(verdicts.length === 0 ? {} : { verdicts }),
    entry,
    durability: context.journal.abilities.durability,
    message: content.message ?? null,
    problems: content.problems ?? [],
    notes: content.notes ?? [],
    delivery,
  });
}

/** The verdicts on the reports of an entry, each with the key of its task. */
function verdictsOn(work: Work, seq: number, { events = [] }: Content) {
  return events.flatMap((event) => {
    const verdict = event.event === "task-reported" ? verdictOn(work, seq, event.key) : null;
    if (event.event !== "task-reported" || verdict === null) return [];
    return [{ key: event.key, task: event.task, seq: verdict.seq, state: verdict.state }];
  });
}

/** Why the verdict in `entry` on the task `key` is so. */
function problemsFound(entry: Entry, key: string): readonly Problem[] {
  const { events = [] } = effectsOf(entry);
  return events.flatMap((event) => (isVerdictAgainst(event, key) ? event.problems : []));
}

function stageOf(seq: number, at: { readonly offered: number; readonly seen: number; readonly acknowledged: number }) {
  if (seq <= at.acknowledged) return "acknowledged" as const;
  if (seq <= at.seen) return "seen" as const;
  return seq <= at.offered ? ("offered" as const) : ("waiting" as const);
}

async function findEntry(context: TeamContext, key: string, sender?: string): Promise<Result<Entry, Problem>> {
  const { journal, team } = context;
  if (sender === undefined && /^\d{1,15}$/.test(key)) {
    const page = await journal.read(team, { after: Number(key) - 1, limit: 1 });
    if (!page.ok) return page;
    const entry = page.value.entries[0];
    if (entry?.seq === Number(key)) return ok(entry);
  }
  const found = await journal.find(team, key);
  if (!found.ok) return found;
  const entries = found.value.filter(({ principal }) => sender === undefined || principal.agent === sender);
  const [entry, ...others] = entries;
  if (entry !== undefined) return others.length === 0 ? ok(entry) : err(ambiguousId(key, entries));
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const named = sender === undefined ? thingNamed(folded.value.state, key) : null;
  const whose = sender === undefined ? "" : ` from ${sender}`;
  const nothing = `There is no entry with the number or id "${key}"${whose} in team "${team}".`;
  const hint = "`baton log` lists the entries with their numbers, `baton log --json` with their ids too.";
  const message = named === null ? nothing : `${nothing} It is the id of ${named.what}.`;
  return err(makeProblem("not-found", key, message, { hint: named?.hint ?? hint }));
}

function ambiguousId(id: string, entries: readonly Entry[]): Problem {
  const told = entries.map((entry) => {
    const { seq, type, kind, sender, recordedAt } = logLine(entry);
    return `#${seq} ${type ?? kind} from ${sender} at ${recordedAt}`;
  });
  const message = `${entries.length} senders used the id "${id}": ${told.join("; ")}.`;
  return makeProblem("ambiguous-request", id, message, {
    expected: entries.map(({ principal }) => principal.agent).join(" | "),
    hint: `Name the sender (\`baton show ID --from ${entries[0]?.principal.agent ?? ""}\`) or the entry's number (\`baton show ${entries[0]?.seq ?? 0}\`).`,
  });
}
