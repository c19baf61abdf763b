/** `baton adopt`: takes over a project of VBW, YOLO or BMAD. Rule: docs/protocol/adopting.md. */
import { relative } from "node:path";
import { teamName } from "../../../base/ids.ts";
import type { Finding, Found } from "../../../intake/planning/found.ts";
import { origins } from "../../../intake/planning/found.ts";
import { teamOf } from "../../../intake/planning/planning-settings.ts";
import { nameFrom, rootFor, teamText, type Wanted } from "../../../workspace/team-creation.ts";
import { workspaceAt } from "../../../workspace/workspace.ts";
import { usageProblem } from "../kernel/arguments.ts";
import type { Call, Command } from "../kernel/command.ts";
import { exitCodes } from "../terminal/exit-codes.ts";
import { foundText } from "./adopt-text.ts";
import { readProject } from "./planning-folder.ts";

export const command: Command = {
  isLocal: true,
  isOwners: (given) => !given.flag("dry-run"),
  globals: ["team"],
  description:
    "Reads the planning folder of VBW (.vbw-planning), YOLO (.yolo-planning) or BMAD that is here, and prints line by line what\n" +
    "it understood and what not. With --dry-run that is all; nothing is written. No file of the other tool is changed.",
  options: [
    { name: "dry-run", kind: "flag", summary: "only say what was understood and what would be written" },
    {
      name: "strict-scope",
      kind: "flag",
      summary: "the files of a plan bound its work (default: they are a forecast)",
    },
  ],
  examples: [
    { line: "baton adopt --dry-run", meaning: "what is here, and what Baton would make of it" },
    { line: "baton adopt --dry-run --json", meaning: "the same as a line of JSON, with everything that was found" },
  ],
  next: "baton status shows the team; baton task available lists what can be worked on.",
  run: async (call) => {
    const { config, given, output, signal } = call;
    const place = workspaceAt(rootFor(config.directory));
    const name = given.text("team") ?? nameFrom(place.root);
    if (teamName(name) === null)
      return output.fail(
        usageProblem("--team", "A team's name is 1 to 64 of a-z, 0-9 and -.", "write --team web", name),
      );
    const read = await readProject(place.root, config.environment().VBW_PLANNING_DIR, signal);
    if (!read.ok) return output.fail(read.error);
    if (signal.aborted) return exitCodes.interrupted;
    const { found, others } = read.value;
    const wanted = wantedFor(found, name, given.flag("strict-scope"));
    const text = teamText(wanted);
    showFound(call, found, others, text);
    output.say(`Nothing was written; ${relative(config.directory, place.teamFile)} and a journal would be.`);
    return exitCodes.done;
  },
};

/** The team file that goes on with the work. Rule: docs/protocol/adopting.md, section 2. */
export function wantedFor({ settings }: Found, name: string, isStrict: boolean): Wanted {
  const { dialects, chain, agents, names } = teamOf(settings);
  const { escalationSeconds, leaseSeconds, policy, teamMode } = settings;
  return {
    name,
    kind: null,
    dialects,
    agents,
    chain,
    about: `Taken over from ${origins[settings.origin]}`,
    settings: {
      policy,
      teamMode,
      claims: "edits",
      scope: isStrict ? "strict" : "advisory",
      names,
      limits: {
        ...(escalationSeconds === null ? {} : { escalationSeconds }),
        ...(leaseSeconds === null ? {} : { leaseSeconds }),
      },
    },
  };
}

function showFound({ output }: Call, found: Found, others: readonly Finding[], teamFile: string): void {
  const { rows, findings, ...rest } = found;
  output.result({ dryRun: true, ...rest, history: rows.length, findings: [...others, ...findings], teamFile }, () =>
    foundText(found, others, teamFile, output.paint.stdout),
  );
}
