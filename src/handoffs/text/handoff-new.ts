/** `baton handoff new`: a draft from flags, or from the record of a plan or task. */
import { resolve } from "node:path";
import { systemClock, timestampOf } from "../../base/clock.ts";
import { newMessageId } from "../../base/new-ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { loadYaml } from "../../base/text-formats/yaml.ts";
import { writeYaml } from "../../base/text-formats/yaml-edit.ts";
import { type OptionFacts, usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { createFile, fileTakenProblem } from "../../doors/cli/kernel/document-file.ts";
import { callerHere, hubOf } from "../../doors/cli/place/hub-address.ts";
import { openFor } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { checkFiles } from "../../evidence/decide/checksums.ts";
import { draftDocument, type HandoffDraft, joinedDraft, missingIn } from "../../messages/handoff-draft.ts";
import { ownerName } from "../../messages/principal.ts";
import { nearestTeam } from "../../perform/workspace/team-files.ts";
import { compileHandoff, type HandoffSubject } from "../handlers/handoff-compiling.ts";
import { dialectNotRead, rootOf, rootOption } from "./handoff-file.ts";

const list = (name: string, value: string, summary: string): OptionFacts => {
  return { name, kind: "text", value, repeatable: true, summary };
};

export const command: Command = {
  description:
    "Writes a draft into FILE (never over one that is there), or prints it. What a document must say and the draft does not\n" +
    "is listed. --from-plan and --from-task compile it from the record:\n" +
    "objective, constraints, decisions, files with their SHA-256, what is done and what is pending, checks. Flags add\n" +
    "to all of these.",
  positionals: [{ name: "FILE", summary: "where to; .json makes it JSON; - or nothing prints it" }],
  options: [
    { name: "to", kind: "text", value: "AGENT", summary: "who takes over: an agent, or a role" },
    { name: "primary", kind: "text", value: "TEXT", summary: "the main instruction" },
    list("secondary", "TEXT", "what else must be done"),
    list("constraint", "TEXT", "what the work is bound to"),
    list("criterion", "TEXT", "what can be measured at the end"),
    list("requires", "PATH", "a file that must be there"),
    list("makes", "PATH", "a file that the work makes"),
    list("context", "PATH", "a document to read"),
    { name: "story", kind: "text", value: "PATH", summary: "the story's file" },
    { name: "workflow", kind: "text", value: "ID", summary: "the workflow it belongs to" },
    { name: "task", kind: "text", value: "TASK", summary: "the task it belongs to, whose claim moves with it" },
    { name: "from-plan", kind: "text", value: "PLAN", summary: "compile it from what the record says of a plan" },
    { name: "from-task", kind: "text", value: "TASK", summary: "the same of one task" },
    rootOption,
  ],
  examples: [
    {
      line: "baton handoff new docs/handoffs/story-2.yaml --as sm --to dev --primary 'Sign users in' --requires docs/story.md",
      meaning: "a draft from flags",
    },
    { line: "baton handoff new next.yaml --as dev-1 --from-plan 1-1 --to qa-1", meaning: "compiled from the record" },
  ],
  next: "Look it over, then: baton handoff issue FILE --as AGENT",
  run: async (call) => {
    const path = pathOf(call);
    const taken = path === null ? null : fileTakenProblem(path);
    if (taken !== null) return call.output.fail(taken);
    const gathered = await gather(call);
    if (!gathered.ok) return call.output.fail(gathered.error);
    return await write(call, gathered.value);
  },
};

/** Where the draft goes; null: to standard output. */
function pathOf({ given, config }: Call): string | null {
  const file = given.word("FILE") ?? "-";
  return file === "-" ? null : resolve(config.directory, file);
}

/** What flags and the record say, in this order of weight. */
async function gather(call: Call): Promise<Result<HandoffDraft, Problem | readonly Problem[]>> {
  const { given } = call;
  const [plan, task] = [given.text("from-plan"), given.text("from-task")];
  if (plan !== undefined && task !== undefined)
    return err(usageProblem("--from-plan", "A draft has one source.", "give one of --from-plan and --from-task"));
  const unread = await unreadHere(call);
  if (unread !== null) return err(unread);
  const subject: HandoffSubject | null = plan !== undefined ? { plan } : task !== undefined ? { task } : null;
  const asked = await askTeam(call, subject);
  if (!asked.ok) return asked;
  return ok(withHead(joinedDraft([flagsOf(call), asked.value.draft]), asked.value.agent));
}

/** Whether the team of this folder reads such documents; issuing asks the team of a hub. */
async function unreadHere(call: Call): Promise<Problem | null> {
  const found = hubOf(call) === null ? await nearestTeam(call.config.directory) : ok(null);
  if (!found.ok || found.value === null) return null;
  const { name, dialects, agents } = found.value;
  return dialectNotRead(name, [...dialects, ...agents.flatMap(({ dialect }) => dialect ?? [])]);
}

/** Whose draft it is, and what the record says of the subject. A team is opened only where it is asked something. */
async function askTeam(
  call: Call,
  subject: HandoffSubject | null,
): Promise<Result<{ readonly agent: string; readonly draft: HandoffDraft }, Problem | readonly Problem[]>> {
  const { given } = call;
  const named = callerHere(call);
  // Through a hub it is the one whom the token proves.
  if (subject === null && (given.text("as") !== undefined || hubOf(call) === null))
    return ok({ agent: named ?? ownerName, draft: {} });
  const opened = await openFor(call);
  if (!opened.ok) return opened;
  await using team = opened.value;
  const compiled = subject === null ? ok({}) : await compileHandoff(team, subject);
  return compiled.ok ? ok({ agent: team.actor.agent, draft: compiled.value }) : compiled;
}

function flagsOf({ given }: Call): HandoffDraft {
  const one = (name: string, field: string) => {
    const value = given.text(name);
    return value === undefined ? {} : { [field]: value };
  };
  return {
    metadata: { ...one("to", "target_agent"), ...one("workflow", "workflow_id"), ...one("task", "task_id") },
    context: { ...one("story", "story_file"), additional_context: given.texts("context") },
    instructions: {
      ...one("primary", "primary"),
      secondary: given.texts("secondary"),
      constraints: given.texts("constraint"),
      success_criteria: given.texts("criterion"),
    },
    dependencies: { required_files: given.texts("requires"), generated_files: given.texts("makes") },
  };
}

/** With the id, the time and whose it is; issuing writes the time again. */
function withHead(draft: HandoffDraft, source: string): HandoffDraft {
  const timestamp = timestampOf(systemClock.now());
  return joinedDraft([draft, { metadata: { id: newMessageId(), source_agent: source, timestamp } }]);
}

async function write(call: Call, draft: HandoffDraft): Promise<ExitCode> {
  const { output, given, signal } = call;
  const summed = await checkFiles(
    rootOf(call),
    (draft.dependencies?.required_files ?? []).map((path) => ({ path, checksum: null })),
    { signal, hashAll: true },
  );
  if (!summed.ok) return output.fail(summed.error);
  const sums = summed.value.flatMap(({ path, actual }) => (actual === null ? [] : [[path, actual] as const]));
  const document = draftDocument(joinedDraft([draft, { validation: { file_checksums: Object.fromEntries(sums) } }]));
  const file = given.word("FILE") ?? "-";
  const text = file.endsWith(".json")
    ? `${JSON.stringify(document, null, 2)}\n`
    : writeYaml(await loadYaml(), document);
  const path = pathOf(call);
  if (path !== null) {
    const written = createFile(path, text);
    if (!written.ok) return output.fail(written.error);
  }
  const left = missingIn(draft);
  output.result({ file: path, missing: left, document }, () =>
    path === null ? text.trimEnd() : `Wrote ${visible(file)}.`,
  );
  for (const { path: named, actual, state, reason } of summed.value) {
    if (actual !== null) continue;
    const why = reason === null ? "" : `: ${reason}`;
    output.say(`note: ${visible(named)} ${state === "outside" ? "cannot be handed over" : "is not there yet"}${why}.`);
  }
  for (const each of left) output.say(`missing: ${each}`);
  return exitCodes.done;
}
