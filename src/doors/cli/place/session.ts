/**
 * Doing something with a team: open it as the one who asks, run, close. And what becomes of a reply: a receipt on
 * standard output, or the problems and the exit code they mean.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { argument } from "../../../base/argument.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { counted, visible } from "../../../base/text.ts";
import { settledLine, verdictCode, verdictLine } from "../../../evidence/text/verdict-text.ts";
import type { Receipt } from "../../../journal/entry.ts";
import type { JournalCondition } from "../../../journal/journal.ts";
import type { OpenOptions } from "../../../perform/open.ts";
import type { Reply } from "../../../perform/operations/reply.ts";
import type { LocalTeam, Team, WorkingTeam } from "../../../perform/team.ts";
import { batonWords } from "../../../perform/workspace/package-root.ts";
import type { OpeningOptions } from "../../../perform/workspace/team-opening.ts";
import { checkoutAround, gitFolderOf } from "../../../perform/workspace/workspace.ts";
import type { TaskView } from "../../../tasks/view/task-view.ts";
import type { Call } from "../kernel/command.ts";
import { acceptLossLine } from "../kernel/next-command.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "../terminal/exit-codes.ts";
import { callerHere, hubOf } from "./hub-address.ts";

/** Runs `act` on the team that the call means, and closes it whatever happens. */
export async function withTeam(call: Call, act: (team: WorkingTeam) => Promise<ExitCode>): Promise<ExitCode> {
  const opened = await openFor(call);
  if (!opened.ok) return call.output.fail(opened.error);
  await using team = opened.value;
  warnOf(call, team.condition());
  return await act(team);
}

/** Says on standard error what reading alone would not show: that entries are missing, or that nothing can be written. */
export function warnOf(call: Call, condition: JournalCondition): void {
  if (condition.condition === "ready") return;
  if (condition.condition === "failed" || condition.condition === "unreachable") {
    call.output.problems([condition.problem]);
    return;
  }
  const { team, head, anchor } = condition;
  call.output.say(
    `warning: entries of ${visible(team)} are missing: the journal ends at ${head.seq}, but ${anchor.seq} had been acknowledged. ` +
      `Nothing can be recorded until it is brought back, or \`${acceptLossLine(call)}\` accepts the loss.`,
  );
}

/** Opens the team that the call means, as the one who asks. `program`: one that stays and speaks for its agent. */
export async function openFor(call: Call, program?: string): Promise<Result<WorkingTeam, readonly Problem[]>> {
  await healGate(call);
  const hub = hubOf(call);
  const speaks = program === undefined ? {} : { program };
  if (hub !== null) {
    const connected = await call.connectHub({ ...hub, ...speaks });
    const opened = connected.ok ? connected.value.team() : connected;
    return opened.ok ? ok(withOwnCommit(call, fromHere(call, opened.value))) : err([opened.error]);
  }
  const opened = await openLocal(call, callerHere(call), speaks);
  return opened.ok ? ok(withOwnCommit(call, opened.value)) : opened;
}

/** The team, to which finished work without a commit is the newest one here whose message names the task. */
export function withOwnCommit<Known extends Team>({ config }: Call, team: Known): Known {
  return {
    ...team,
    complete: async (input, options) => {
      const { task, plan = null, commit, status = "complete" } = input;
      if (commit !== undefined || status !== "complete") return await team.complete(input, options);
      const { newestOfTask } = await import("../../../evidence/git/commits.ts");
      const [named = { task, plan }] = /^\d+$/.test(task) ? await tasksOf(team, task) : [];
      const found = await newestOfTask(config.directory, { environment: config.environment() }, named);
      if (found === undefined) return await team.complete(input, options);
      const { id, unnamed } = found;
      const reply = await team.complete({ ...input, commit: id }, options);
      if (unnamed === 0 || reply.outcome !== "accepted") return reply;
      const others = `${counted(unnamed, "commit")} above it ${unnamed === 1 ? "names" : "name"} no task and ${unnamed === 1 ? "is" : "are"} left out`;
      const message = `Reported at ${id.slice(0, 12)}, the newest that names the task. ${others}: if that is work of ${task}, report it again with the last commit.`;
      return { ...reply, notes: [...reply.notes, { code: "commits-left-out", path: argument("commit"), message }] };
    },
  };
}

/** The tasks that a number means; what hinders the look hinders the report too, which says it. */
async function tasksOf(team: Team, task: string): Promise<readonly TaskView[]> {
  const found = await team.tasks({ task });
  return found.ok ? found.value : [];
}

/** A hub's team as it is used from the call's folder: a claim names the commit that is checked out there. */
function fromHere<Known extends Team>(call: Call, team: Known): Known {
  return {
    ...team,
    claim: async (input, options) => {
      const head = await checkedOut(call);
      return await team.claim(head === undefined ? input : { head, ...input }, options);
    },
  };
}

/** The commit that is checked out in the call's folder; undefined: there is none. */
async function checkedOut({ config }: Call): Promise<string | undefined> {
  const { checkedOutIn } = await import("../../../evidence/git/tips.ts");
  return await checkedOutIn(config.directory, { environment: config.environment() });
}

/** Puts the gate for git back where another hook manager has taken its place. Without a gate nothing is loaded. */
async function healGate({ config, output }: Call): Promise<void> {
  const root = checkoutAround(config.directory)?.root;
  const folder = root === undefined ? null : gitFolderOf(root);
  if (root === undefined || folder === null || !existsSync(join(folder, "hooks/run"))) return;
  const gate = await import("../../../evidence/decide/git-hooks.ts");
  const isBack = gate.healGate(root, folder, { program: batonWords(), environment: config.environment() });
  if (isBack) output.say("note: the gate for git is back: another hook manager had taken its place");
}

/** Says on standard error why what follows can only be read. */
export function sayRefusal(call: Pick<Call, "output">, { message, hint = "" }: Problem): void {
  call.output.say(`warning: ${visible(message)} ${visible(hint)}${hint.endsWith(".") ? "" : "."}`);
}

/** Opens the team that the call means on the journal of this machine, as `agent`; null: the owner. */
export async function openLocal(
  call: Call,
  agent: NonNullable<OpenOptions["agent"]> | null,
  options: OpeningOptions = {},
): Promise<Result<LocalTeam, readonly Problem[]>> {
  // A command on a hub does not load the code that reads and judges on this machine.
  const { openHere } = await import("./session-here.ts");
  const own = { checkedOut: () => checkedOut(call), sayRefusal: (refusal: Problem) => sayRefusal(call, refusal) };
  return await openHere(call, agent, { ...options, ...own });
}

/**
 * Prints a reply. Accepted: the receipt (`accepted` says it for people). Refused: the problems, and with `--json`
 * `{"refused":true,"receipt":…,"problems":[…]}`; exit 2, or what `refusedCode` makes of the first problem. A refused
 * claim has `{"granted":false,"reason","holder","paths"}` in place of `refused`, and a denied one exits with 2. An
 * accepted report of finished work is followed by its verdict, where it was checked here, and ends as that verdict says;
 * then come disputes on others' reports that it settled.
 */
export function answer(
  call: Call,
  reply: Reply,
  accepted: (receipt: Receipt, receivers: readonly string[]) => string,
  refusedCode: (problem: Problem) => ExitCode = exitCodeOf,
): ExitCode {
  const { output } = call;
  if (reply.outcome === "failed") return output.fail(reply.problem);
  if (reply.outcome === "accepted") {
    output.notes(reply.notes.filter(({ code }) => code !== alreadySo));
    const { receipt, verdicts = [], settled = [] } = reply;
    const added = {
      ...(verdicts.length === 0 ? {} : { verdicts }),
      ...(settled.length === 0 ? {} : { settled }),
    };
    output.result({ ...receipt, ...added }, () =>
      [
        accepted(receipt, reply.receivers),
        ...verdicts.map((each) => verdictLine(each, output.paint.stdout)),
        ...settled.map((each) => settledLine(each, output.paint.stdout)),
      ].join("\n"),
    );
    for (const { problems, notes } of verdicts) {
      output.problems(problems);
      output.notes(notes);
    }
    return verdictCode(verdicts);
  }
  const { receipt, problems, denial } = reply;
  output.result({ ...(denial ?? { refused: true }), receipt, problems: output.worded(problems) }, () => null);
  const recorded = receipt === null || denial !== undefined ? "." : `; recorded as entry ${receipt.seq}.`;
  const reason = denial?.reason ?? null;
  output.say(reason === null ? `Refused${recorded}` : `Denied: ${reason}.`);
  output.problems(problems);
  output.notes(reply.notes);
  const [first] = problems;
  return first === undefined || reason !== null ? exitCodes.refused : refusedCode(first);
}

/** Whether the operation changed nothing: it repeats an id, or asks for what is so already. */
export function isUnchanged(reply: Reply): boolean {
  if (reply.outcome !== "accepted") return false;
  return reply.receipt.duplicate || reply.notes.some(({ code }) => code === alreadySo || code === sameAnswer);
}

/** Whether something that was there is otherwise now. */
export function hasChanged(reply: Reply): boolean {
  return reply.outcome === "accepted" && reply.notes.some(({ code }) => code === "task-changed");
}

/**
 * The note of an operation that changed nothing; the line that tells the operation says it too, so people read it once.
 */
const alreadySo = "already-so";
/** The note of an answer that had been given before. */
const sameAnswer = "answer-unchanged";

/** `dev-1, qa-1`, or the word for nobody. */
export function listed(names: readonly string[]): string {
  return names.length === 0 ? "nobody" : names.map(visible).join(", ");
}
