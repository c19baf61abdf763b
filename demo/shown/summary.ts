/** The end of the demo: what really is in journal and git, as a table, and what is wrong with it. */
import { visible } from "../../src/base/text.ts";
import type { Output } from "../../src/doors/cli/terminal/output.ts";
import { table } from "../../src/doors/cli/terminal/terminal-text.ts";
import type { VerifyReport } from "../../src/journal/journal.ts";
import type { RecordedPhase, RecordedReport } from "../checks/record.ts";
import { silenceIn } from "../checks/silence-check.ts";
import type { PlayEnd } from "../phase.ts";

/** Everything that the end tells. */
export interface Ending {
  readonly phase: RecordedPhase;
  readonly play: PlayEnd;
  readonly verified: VerifyReport;
  /** What the check found; none: the demo holds what it promises. */
  readonly problems: readonly string[];
}

/** Prints the table, then `faults` where there are any. */
export function summarise(output: Output, { phase, play, verified, problems }: Ending): void {
  const paint = output.paint.stdout;
  const { messages, refusals, approvals, contracts, commits } = phase;
  const work = workOf(phase);
  const silence = silenceOf(phase);
  const head = verified.teams[0]?.head;
  const value = {
    event: "summary",
    messages: messages.length,
    refused: refusals.length,
    duplicates: play.duplicates,
    approvals: approvals.length,
    claims: work.claims,
    claimsDenied: work.denied.length,
    reports: phase.reports.length,
    reportsDisputed: work.disputed,
    tasksVerified: work.verified,
    plans: work.plans,
    commits: commits.length,
    ...countsOf(play),
    silence,
    entries: phase.entries,
    journal: { ok: verified.ok, head: head ?? null },
    problems,
  };
  const granted = approvals.map(({ requester, standing, by }) => `${requester}: ${standing} by ${by ?? "nobody"}`);
  const widened = contracts.map(({ plan, revision }) => `${plan} at revision ${revision}`);
  const isWhole = problems.length === 0;
  const rows = [
    ["messages", String(messages.length), isWhole ? "each recorded once, each receiver acknowledged it" : ""],
    ["refused", String(refusals.length), unique(refusals.flatMap(({ codes }) => codes)).join(", ")],
    ["duplicates", String(play.duplicates), "answered with the first receipt"],
    ["approvals", String(approvals.length), granted.join("; ")],
    ["contracts", String(contracts.length), widened.join("; ")],
    [
      "claims",
      String(work.claims),
      `granted, ${isWhole ? "no two at the same files; " : ""}${work.denied.length} denied`,
    ],
    [
      "reports",
      String(phase.reports.length),
      `${work.verified} verified in git, ${work.disputed} disputed${isWhole ? " and repaired" : ""}`,
    ],
    ["plans", String(work.plans.length), work.plans.join("; ")],
    [
      "commits",
      String(commits.length),
      isWhole ? "in the repository; those reported are among them, files as reported" : "",
    ],
    ["agents", String(play.left), `played to the end; ${play.killed} killed with kill -9 and back`],
    ...(silence === null ? [] : [["silent", String(play.silenced), silenceText(silence)]]),
    [
      "journal",
      String(phase.entries),
      `entries, ${verified.ok ? "sound" : "NOT SOUND"}, head ${head?.hash.slice(0, 16) ?? "none"}`,
    ],
  ];
  output.result(value, () => {
    const shown = table(rows.map((row) => row.map(visible)));
    const end = isWhole
      ? paint.good("Nothing lost, nothing doubled, no files shared, no lie believed, nobody left waiting.")
      : paint.bad("This does not hold:");
    return [`\n${paint.strong("What is in the journal and in git")}`, shown, "", end].join("\n");
  });
  for (const problem of problems) output.say(`  ${visible(problem)}`);
}

/** How many ended, and how. */
function countsOf({ left, killed, silenced }: PlayEnd) {
  return { agentsEnded: left, agentsKilled: killed, agentsSilenced: silenced };
}

/** The figures about tasks. */
function workOf({ work, reports, refusals }: RecordedPhase) {
  const judged = (verdict: RecordedReport["verdict"]) => reports.filter((report) => report.verdict === verdict).length;
  const summaries = work.flatMap(({ event }) => (event.event === "plan-summarised" ? [event.summary] : []));
  const last = new Map(summaries.map((summary) => [summary.plan, summary]));
  return {
    claims: work.filter(({ event }) => event.event === "task-claimed").length,
    denied: refusals.filter(({ type }) => type === "claim-task"),
    verified: judged("verified"),
    disputed: judged("disputed"),
    plans: [...last.values()].map(({ plan, status, tasksCompleted, tasksTotal, filesModified }) => {
      return `${plan} summed up: ${status}, ${tasksCompleted} of ${tasksTotal} tasks, ${filesModified.length} files`;
    }),
  };
}

/** The silence that was found out, and who has its task since; null: none was. */
function silenceOf(phase: RecordedPhase) {
  const found = silenceIn(phase);
  if (found === null) return null;
  const { lost, first, next } = found;
  return {
    agent: lost.agent,
    silentMs: lost.lastSignMs === null ? null : lost.atMs - lost.lastSignMs,
    tasks: lost.tasks,
    token: first?.token ?? null,
    successor: next?.holder ?? null,
    newToken: next?.token ?? null,
  };
}

function silenceText({
  agent,
  silentMs,
  tasks,
  token,
  successor,
  newToken,
}: NonNullable<ReturnType<typeof silenceOf>>) {
  const after = silentMs === null ? "" : ` after ${(silentMs / 1_000).toFixed(1)} s`;
  const moved = `${tasks.join(", ")} went to ${successor ?? "nobody"}, token ${token ?? "none"} to ${newToken ?? "none"}`;
  return `${agent}, found out${after}; ${moved}`;
}

/** Each once, in order of the alphabet: which developer is denied what differs from run to run. */
function unique(codes: readonly string[]): readonly string[] {
  return [...new Set(codes)].toSorted();
}
