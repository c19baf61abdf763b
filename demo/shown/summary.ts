/** The end of the demo: what really is in journal and git, as a table, and what is wrong with it. */

import type { Json } from "../../src/base/json.ts";
import { shorten, visible } from "../../src/base/text.ts";
import type { Output, Paint } from "../../src/doors/cli/terminal/output.ts";
import { table } from "../../src/doors/cli/terminal/terminal-text.ts";
import type { VerifyReport } from "../../src/journal/journal.ts";
import { type Answer, type ClaimAnswer, fencedCode, type ReportedProblem, waitingHelps } from "../agents/agent-door.ts";
import type { Step } from "../agents/agent-process.ts";
import type { RecordedPhase, RecordedReport } from "../checks/record.ts";
import { silenceIn } from "../checks/silence-check.ts";
import type { PlayEnd, Scene } from "../phase.ts";
import { castMembers } from "../story/story.ts";

/** Everything that the end tells. */
export interface Ending {
  readonly phase: RecordedPhase;
  readonly play: PlayEnd;
  readonly verified: VerifyReport;
  /** What the check found; none: the demo holds what it promises. */
  readonly faults: readonly string[];
}

/** Prints the table, then `faults` where there are any. */
export function summarise(output: Output, { phase, play, verified, faults }: Ending): void {
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
    faults,
  };
  const granted = approvals.map(({ requester, standing, by }) => `${requester}: ${standing} by ${by ?? "nobody"}`);
  const widened = contracts.map(({ plan, revision }) => `${plan} at revision ${revision}`);
  const isWhole = faults.length === 0;
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
    ...strikeRows(play),
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
  for (const fault of faults) output.say(`  ${visible(fault)}`);
}

/** How many ended, and how. */
function countsOf({ left, killed, silenced, hubsKilled, serversKilled }: PlayEnd) {
  return { agentsEnded: left, agentsKilled: killed, agentsSilenced: silenced, hubsKilled, serversKilled };
}

/** Hubs and servers that were killed. */
function strikeRows({ hubsKilled, serversKilled }: PlayEnd): readonly (readonly string[])[] {
  return [
    ...(hubsKilled === 0 ? [] : [["hubs", "2", `${hubsKilled} killed with kill -9; its agents went on at the other`]]),
    ...(serversKilled === 0
      ? []
      : [["servers", String(serversKilled), "killed with kill -9 in the middle of the work"]]),
  ];
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

/* Lines of the demo: who, what, and the rest, in columns; and what Baton answered. Agent text is made visible. */

export const nameWidth = Math.max(...castMembers.map(({ agent }) => agent.length)) + 2;
const typeWidth = "shutdown_response".length + 2;

/** A line about what an agent does; `what` is padded and shown as it is. */
export function row(agent: string, what: string, rest: string, paint: Paint): string {
  return `${paint.strong(visible(agent).padEnd(nameWidth))}${what.padEnd(typeWidth)} ${rest}`.trimEnd();
}

/** The outcome of a message, with the hint of a refusal on a separate line. */
export function answerText(answer: Answer, paint: Paint): string {
  if (answer.outcome === "failed") return paint.warn(`no answer (${visible(answer.said)}), sent again`);
  if (answer.outcome === "accepted") {
    if (answer.duplicate) return paint.warn(`duplicate of entry ${answer.seq}`);
    return `${paint.good(`entry ${answer.seq}`)} -> ${answer.receivers.map(visible).join(", ")}`;
  }
  const [fault] = answer.faults;
  if (fault === undefined) return paint.bad("refused");
  // Where nothing is wrong with what was sent, its place says nothing.
  const where = fault.code === fencedCode ? `, ${visible(fault.message)}` : ` at ${visible(fault.path)}`;
  return `${paint.bad(`refused: ${fault.code}`)}${where}${hintText(fault)}`;
}

/** The hint of an error on a separate line; empty where it has none. */
function hintText({ hint }: ReportedProblem): string {
  return hint === null ? "" : `\n${" ".repeat(nameWidth)}hint: ${visible(hint)}`;
}

/*
 * Lines about what happens to agents, hubs and servers: killed and back, silent and found out, and what Baton said of it by
 * itself.
 */

/** What happens to one of them. */
type AgentScene = Exclude<Scene, { readonly scene: "begin" }>;

/** The scene as a value of `--json`. */
export function sceneValue({ scene, ...rest }: AgentScene): { readonly [name: string]: Json } {
  return { event: scene, ...rest };
}

/** The scene as a line. */
export function sceneLine(scene: AgentScene, paint: Paint): string {
  const struckAt = (who: string, how: string) => `\n${paint.strong(who.padEnd(nameWidth))}${paint.bad(how)}`;
  const struck = (how: string) => ("agent" in scene ? struckAt(scene.agent, how) : how);
  switch (scene.scene) {
    case "killed":
      return struck(`is killed with kill -9 (process ${scene.pid ?? "unknown"}); it had not acknowledged its contract`);
    case "returns":
      return `${row(scene.agent, "is started again and remembers nothing", "", paint)}\n`;
    case "silenced": {
      const { pid, task, token } = scene;
      return struck(
        `is stopped with SIGSTOP (process group ${pid ?? "unknown"}), as a program that hangs; it holds ${task} under token ${token ?? "unknown"}`,
      );
    }
    case "hub-killed":
      return struckAt(
        "the hub",
        `at ${scene.hub} is killed with kill -9 (process ${scene.pid ?? "unknown"}); at it: ${listed(scene.agents)}`,
      );
    case "server-killed":
      return struckAt("the server", `${scene.server} is killed with kill -9 (process ${scene.pid ?? "unknown"})`);
    case "server-returns":
      return `\n${row("the server", scene.how, `entries again after ${(scene.afterMs / 1_000).toFixed(1)} s`, paint)}\n`;
    case "continued":
      return `\n${row(scene.agent, "goes on by SIGCONT where it was, and knows of nothing", "", paint)}`;
  }
}

/** What is worth knowing about an agent that was stopped. */
export function silentAside({ limitSeconds }: Extract<Scene, { readonly scene: "silenced" }>): string {
  return `Nobody is notified. Until now its program sent heartbeats; in this team a heartbeat may be ${limitSeconds} s late.`;
}

/** What Baton said, a line each sentence. */
export function noticeLines({ agent, seq, words }: Extract<Step, { readonly step: "told" }>, paint: Paint): string {
  const [first = "", ...rest] = visible(words).split(/(?<=\.) /);
  const head = row(agent, "hears from Baton", `entry ${seq}: ${paint.bad(first)}`, paint);
  return [head, ...rest.map((sentence) => `${" ".repeat(nameWidth)}${sentence}`)].join("\n");
}

/* The lines about tasks: planned, claimed, looked for on the board and in git, summed up. */
type TaskStep = Extract<Step, { readonly step: "planned" | "claimed" | "looked" | "summed" | "compared" }>;

const faultCharactersMax = 100;

/** The step as a line. */
export function taskLine(step: TaskStep, paint: Paint): string {
  const line = (what: string, rest: string) => row(step.agent, what, rest, paint);
  switch (step.step) {
    case "planned": {
      const { task, answer } = step;
      const added = answer.outcome === "accepted" ? "on the board" : paint.bad("not on the board");
      return line(`plans ${task.task}`, `${added}: ${task.title.toLowerCase()}, ${listed(task.files)}`);
    }
    case "claimed":
      return line(`claims ${visible(step.task)}`, claimText(step.answer, paint));
    case "looked": {
      const [fault] = step.line.faults;
      const why =
        fault === undefined ? "" : `, ${shorten(visible(`${fault.path}: ${fault.message}`), faultCharactersMax)}`;
      return line("reads the board", `${visible(step.line.task)} is ${paint.bad(visible(step.line.state))}${why}`);
    }
    case "summed": {
      const { plan, status, tasksCompleted, tasksTotal, files } = step.plan;
      const done = `${tasksCompleted} of ${tasksTotal} tasks, ${files.length} files`;
      return line("reads the summary", `plan ${visible(plan)} is ${paint.good(visible(status))}: ${done}`);
    }
    case "compared": {
      const changes = step.committed === null ? "is not in git" : `changes ${listed(step.committed)}`;
      const rest = `${visible(step.commit.slice(0, 7))} ${changes}, not ${listed(step.reported)}`;
      return line("git show", `${rest}: ${paint.bad("does not count")}`);
    }
  }
}

/** What is worth knowing about it. */
export function taskAsides(step: Step): readonly string[] {
  if (step.step === "looked")
    return ["Baton believes no report, it looks in git. A disputed task is free again, so it is claimed and done."];
  if (step.step !== "claimed" || step.answer.outcome !== "denied") return [];
  if (step.answer.reason === "overlap")
    return ["Both want the same files at once; one is granted them, the other learns who holds them, and tries again."];
  if (step.answer.reason === "outside-contract")
    return ["The contract is held before anything is touched. So it asks, as the hint says."];
  return [];
}

function claimText(answer: ClaimAnswer, paint: Paint): string {
  switch (answer.outcome) {
    case "failed":
      return paint.warn(`no answer (${visible(answer.said)}), sent again`);
    case "granted":
      return `${paint.good("granted")} under token ${answer.token}: ${listed(answer.files)}`;
    case "denied": {
      const { reason, holder, paths, faults } = answer;
      const denied = paint.warn(`denied: ${visible(reason)}`);
      const [fault] = faults;
      // Its holder is in the way for as long as that works; everything else wants something done, as the hint says.
      if (waitingHelps.has(reason) || fault === undefined) {
        return holder === null ? denied : `${denied}, ${visible(holder)} holds ${listed(paths)}`;
      }
      return `${denied}, ${visible(fault.received ?? fault.message)}${hintText(fault)}`;
    }
  }
}

function listed(files: readonly string[]): string {
  return files.map(visible).join(", ");
}
