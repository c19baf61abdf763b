/** Opens the team of a call in a journal on this machine. `session.ts` loads this file for a command without a hub. */
import { existsSync } from "node:fs";
import type { Problem } from "../../../base/problem.ts";
import { err, type Result } from "../../../base/result.ts";
import { counted, visible } from "../../../base/text.ts";
import { ownerName } from "../../../messages/principal.ts";
import type { OpenOptions } from "../../../perform/open.ts";
import type { LocalTeam } from "../../../perform/team.ts";
import { placeOf } from "../../../perform/workspace/place.ts";
import { type OpeningOptions, openAt } from "../../../perform/workspace/team-opening.ts";
import type { ProposalView } from "../../../team/operations/status.ts";
import type { RevisionChange } from "../../../team/state/revision-changes.ts";
import type { Call } from "../kernel/command.ts";
import { nextCommand } from "../kernel/next-command.ts";
import { table } from "../terminal/terminal-text.ts";

/** Opens the team that the call means on the journal of this machine, as `agent`; null: the owner. */
export async function openHere(
  call: Call,
  agent: NonNullable<OpenOptions["agent"]> | null,
  { sayRefusal, ...options }: OpeningOptions & { sayRefusal(refusal: Problem): void },
): Promise<Result<LocalTeam, readonly Problem[]>> {
  const place = await placeOf(call);
  if (!place.ok) return err([place.error]);
  // Nothing begins in a journal that is there, so nothing is loaded that looks for hubs.
  const unsafe = existsSync(place.value.journal) ? null : await (await hubs()).newJournalProblem(call, place.value);
  if (unsafe !== null) return err([unsafe]);
  // Only the owner issues tokens: one of a journal that no hub serves is valid nowhere.
  if (agent === null) await (await hubs()).warnOfOther(call, place.value);
  const { refusal } = place.value;
  if (refusal !== null) sayOnce(call, refusal, () => sayRefusal(refusal));
  const team = call.given.text("team");
  return await openAt(place.value, call.config.environment(), {
    passOver: (problems) =>
      sayOnce(call, problems, () => {
        call.output.problems(problems);
        call.output.say("warning: this change of the team file is not taken; the revision in force stays.");
      }),
    older: (why) => sayOnce(call, why, () => call.output.say(`warning: ${why.message} ${why.hint ?? ""}`)),
    proposed: (proposal) => call.output.say(proposalNotice(call, proposal)),
    ...(team === undefined ? {} : { team }),
    ...(agent === null ? {} : { agent }),
    ...options,
  });
}

function hubs() {
  return import("./hubs-elsewhere.ts");
}

/** What each output has said. */
const saidBefore = new WeakMap<Call["output"], Set<string>>();

/** Says what is wrong, unless this was said there: some commands open the team more than once. */
function sayOnce({ output }: Call, what: object, say: () => void): void {
  const before = saidBefore.get(output) ?? new Set();
  const words = JSON.stringify(what);
  if (before.has(words)) return;
  saidBefore.set(output, before.add(words));
  say();
}

/* How the team file differs from what is in force, as people read it: a line a change. */

/** What a look at a proposal needs besides it. */
interface Reading {
  /** Who reads: the person gets the commands that decide, an agent learns who decides. */
  readonly reader: string;
  /** The team file has an error now, so what waits is what it said earlier. */
  readonly isFileBroken: boolean;
}

/** The changes with what decides them; of a declined proposal also why. */
export function proposalText(
  call: Pick<Call, "given" | "config" | "output">,
  proposal: ProposalView,
  { reader, isFileBroken }: Reading,
): string {
  const paint = call.output.paint.stdout;
  const { id, status, reason, changes } = proposal;
  const why = reason === null ? "" : `: ${visible(reason)}`;
  const isPerson = reader === ownerName;
  const [person, confirms] = isPerson ? ["you", "you confirm"] : ["the owner", "the owner confirms"];
  const heading = isFileBroken
    ? "The team file has an error now, so nothing of it is used. The earlier change still waits:"
    : status === "declined"
      ? `The team file differs from what is in force; ${person} declined the change${why}.`
      : `The team file has changed. This takes effect when ${confirms} it:`;
  const decide = isPerson
    ? [
        nextCommand(call, ["team", "confirm", id]),
        ...(status === "declined" ? [] : [nextCommand(call, ["team", "decline", id, "--reason", "TEXT"])]),
      ]
    : ["The person who owns the team decides, on the page or by baton team confirm in their own shell."];
  return [
    paint.strong(heading),
    ...changeLines(changes.filter(({ waits }) => waits)),
    "",
    ...decide.flatMap((line) => (line === null ? [] : [`  ${paint.faint(line)}`])),
  ].join("\n");
}

/** `agents.dev-1.role  dev -> lead`, a line a change. */
export function changeLines(changes: readonly RevisionChange[]): readonly string[] {
  const rows = changes.map(({ place, before, after }) => [
    `  ${visible(place)}`,
    `${wordOf(before)} -> ${wordOf(after)}`,
  ]);
  return rows.length === 0 ? [] : table(rows).split("\n");
}

function wordOf(value: string | null): string {
  return value === null ? "none" : visible(value);
}

/** The line by which a command says that the file has a change that waits. */
function proposalNotice(call: Pick<Call, "given" | "config">, { changes }: ProposalView): string {
  const { length } = changes.filter(({ waits }) => waits);
  const count = `${counted(length, "change")} of it ${length === 1 ? "takes" : "take"}`;
  const look = nextCommand(call, ["team"]);
  const how = look === null ? "" : ` See ${look}`;
  return `warning: the team file has changed; ${count} effect only when the owner confirms.${how}`;
}
