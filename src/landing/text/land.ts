/** `baton land`: puts verified work on the main branch. */
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ok } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { hereOnly } from "../../doors/cli/place/here-only.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { toned } from "../../doors/cli/terminal/output.ts";
import { committerOf, isInProgram, tellChecks } from "../../evidence/text/verify.ts";
import { ownerName } from "../../messages/principal.ts";
import type { TaskVerdict } from "../../perform/operations/reply.ts";
import type { Landed, Landing } from "../operations.ts";

export const command: Command = {
  isLocal: true,
  isOwners: true,
  description:
    "Merges the work of verified tasks into the main branch, in their order, each with a commit of its own. The checks of the\n" +
    "team file run on exactly the commit that comes of it; then the branch moves to it, or not at all. What conflicts, or does\n" +
    "not pass with the rest, stays where it is and is named (exit 2); the others land. Where the branch is checked out, its work\n" +
    "tree is fast-forwarded: a file that you have changed and that would be overwritten stops it, and nothing changes then.\n" +
    "Work whose branch brings more than what was verified, or that changes how checks run, lands when you name its task.\n" +
    "With --undo a task's landed work is taken back by a commit on the same way, and the task is open again once it is claimed.",
  positionals: [
    { name: "TASK", argument: "tasks", repeatable: true, summary: "only these tasks (default: all that are verified)" },
  ],
  options: [
    { name: "dry-run", kind: "flag", summary: "merge and check, and leave the branch where it is" },
    { name: "undo", kind: "text", value: "TASK", summary: "take the landed work of this task back" },
  ],
  examples: [
    { line: "baton land", meaning: "all verified work" },
    { line: "baton land 1-1-T1", meaning: "this task's work" },
    { line: "baton land --undo 1-1-T1", meaning: "takes it back" },
    { line: "baton land --dry-run", meaning: "would it merge, and would the checks pass?" },
  ],
  next: "git log --first-parent shows what landed. baton task list shows what is left to merge.",
  run: async (call) => {
    const { given, output, signal } = call;
    const hub = hubOf(call);
    if (hub !== null) return output.fail(hereOnly(hub.url, "work lands in a clone of yours, where the journal lies"));
    const opened = await openLocal(call, null);
    if (!opened.ok) return output.fail(opened.error);
    await using team = opened.value;
    const place = { directory: call.config.directory, environment: call.config.environment() };
    const isDry = given.flag("dry-run");
    const undo = given.text("undo");
    if (undo !== undefined && given.words("TASK").length > 0)
      return output.fail(usageProblem("--undo", "It takes back one task, and lands none.", "name no other task"));
    const committer = isInProgram(call) ? ok(null) : await committerOf(call, null, place);
    if (!committer.ok) return output.fail(committer.error);
    if (committer.value !== ownerName) return output.fail(notPerson(committer.value));
    // What landed by hand, or was undone, is known before.
    const looked = await team.verify(place, { signal });
    if (!looked.ok) return output.fail(looked.error);
    const landed = await team.land(place, {
      tasks: given.words("TASK"),
      ...(undo === undefined ? {} : { undo }),
      isDry,
      signal,
      onCheck: tellChecks(call),
    });
    if (!landed.ok) return output.fail(landed.error);
    // The board says so at once, and not at the next look.
    const after = landed.value.from === landed.value.to || isDry ? looked : await team.verify(place, { signal });
    const wasGone = goneIn(looked.value);
    for (const task of after.ok ? goneIn(after.value) : [])
      if (!wasGone.includes(task)) output.say(`warning: with this the work of ${visible(task)} is gone: baton needs`);
    return tell(call, landed.value, isDry);
  },
};

function tell({ output }: Call, { branch, from, to, tasks, apart }: Landed, isDry: boolean): ExitCode {
  for (const each of tasks) output.result(each, () => lineOf(each, output.paint.stdout));
  const moved = `${visible(branch)} ${isDry ? "would move" : "moved"} from ${from.slice(0, 12)} to ${to.slice(0, 12)}.`;
  const stays = tasks.length === 0 ? "No verified work waits to be merged." : `${visible(branch)} stays where it is.`;
  output.say(from === to ? stays : moved);
  for (const { task, outcome } of isDry ? [] : tasks)
    if (outcome === "undone")
      output.say(`To have it done again, an agent claims it: baton task claim ${visible(task)}`);
  if (apart !== undefined)
    output.say(
      `note: ${visible(branch)} and ${visible(apart)} went apart. On ${visible(branch)}: git pull --no-rebase, and baton land goes on from there`,
    );
  return tasks.every(({ outcome }) => outcome === "landed" || outcome === "undone")
    ? exitCodes.done
    : exitCodes.refused;
}

function lineOf({ task, outcome, why }: Landing, paint: Parameters<typeof toned>[0]): string {
  const tones = { landed: "good", undone: "good", conflict: "bad", failed: "bad", waits: "warn" } as const;
  const word = toned(paint, tones, outcome, outcome.padEnd("conflict".length));
  return `${word}  ${visible(task)}${why === null ? "" : `  ${visible(why)}`}`;
}

function goneIn(verdicts: readonly TaskVerdict[]): readonly string[] {
  return verdicts.flatMap(({ task, state, place }) => (state === "gone" && place?.at !== "reverted" ? [task] : []));
}

function notPerson(agent: string | null): Problem {
  const who = agent === null ? "A shell of an agent's program" : `This shell or work tree is ${agent}'s, which`;
  return makeProblem("human-required", "land", `${who} does not land work: only the person does.`, {
    hint: "Run it in a shell of your own, in your own work tree.",
  });
}
