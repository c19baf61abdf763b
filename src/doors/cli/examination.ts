/** The checks of `baton doctor`: each looks at one thing and says what it found and what to do. None changes anything. */

import { existsSync } from "node:fs";
import { invariant } from "../../base/invariant.ts";
import type { Problem } from "../../base/problem.ts";
import { counted } from "../../base/text.ts";
import { isAtLeast } from "../../base/versions.ts";
import { checkEngines, type EngineCheck } from "../../journal/engines.ts";
import { openTeamJournal } from "../../runtime/open.ts";
import { teamOfFile } from "../../runtime/team-files.ts";
import { type BundledNodeState, bundledNodeState } from "./bundled-node.ts";
import type { Call } from "./command.ts";
import { packageFacts } from "./package-root.ts";
import { lookForPlace, type Place } from "./place.ts";
import { examinePrograms } from "./program-examination.ts";
import { nearestProject } from "./project-folder.ts";
import { examineState } from "./state-examination.ts";

/** One thing looked at. */
export interface Check {
  readonly check: string;
  readonly state: "ok" | "warn" | "fail";
  readonly finding: string;
  /** What to do; null: nothing. */
  readonly advice: string | null;
}

/** Least Node. */
const nodeFloor = [24, 15, 0] as const;

/** Every check, in the order a person would look. */
export async function examine(call: Call): Promise<readonly Check[]> {
  const machine = [
    nodeCheck(process.versions.node),
    bundledNodeCheck(await bundledNodeState(packageFacts().root, `${process.platform}-${process.arch}`)),
    ...checkEngines().map(engineCheck),
  ];
  const place = lookForPlace(call);
  const programs = examinePrograms(nearestProject(call.config.directory));
  if (!place.ok) return [...machine, failed("place", place.error), ...programs];
  return [
    ...machine,
    ...(await examineState(call, place.value)),
    await teamFileCheck(place.value),
    ...(await journalChecks(place.value)),
    ...programs,
  ];
}

/** Whether Node is new enough. */
export function nodeCheck(version: string): Check {
  if (isAtLeast(version, nodeFloor)) return good("node", version);
  return bad(
    "node",
    `${version} is too old`,
    `install Node ${nodeFloor.join(".")} or newer, or run npm ci where baton lies: it brings one`,
  );
}

/** Whether the Node that came with the package is the one that this version was tested with. */
export function bundledNodeCheck(bundled: BundledNodeState): Check {
  if (bundled.state === "none") return good("bundled node", "none is installed; your own Node runs Baton");
  if (bundled.state === "pinned") return good("bundled node", `as pinned, SHA-256 ${bundled.sha256}`);
  return bad(
    "bundled node",
    `${bundled.path} is not the program that this version was tested with: its SHA-256 is ${bundled.sha256}`,
    `do not run it: remove its package, run npm ci, and look again; or install Node ${nodeFloor.join(".")} yourself`,
  );
}

function engineCheck({ engine, finding, advice }: EngineCheck): Check {
  return advice === null ? good(engine, finding) : bad(engine, finding, advice);
}

async function teamFileCheck({ teamFile }: Place): Promise<Check> {
  if (teamFile === null)
    return {
      check: "team file",
      state: "warn",
      finding: "there is none",
      advice: "baton init writes one",
    };
  const read = await teamOfFile(teamFile);
  if (!read.ok)
    return bad(
      "team file",
      read.error.map(({ path, message }) => `${path}: ${message}`).join("; "),
      "correct the file",
    );
  invariant(read.value !== null, "a file that is there says a team");
  const { name, agents, policy, dialects, messages = [] } = read.value;
  const own = messages.length === 0 ? "" : `, own messages ${messages.map(({ type }) => type).join(", ")}`;
  return good(
    "team file",
    `team ${name}, ${counted(agents.length, "agent")} named in it, ${dialects.join(", ")}, ${policy}${own}`,
  );
}

async function journalChecks({ journal: path }: Place): Promise<readonly Check[]> {
  if (!existsSync(path))
    return [
      {
        check: "journal",
        state: "ok",
        finding: "not written yet",
        advice: "the first command that records something makes it",
      },
    ];
  const opened = await openTeamJournal(path, { create: false, readOnly: true });
  if (!opened.ok) return [failed("journal", opened.error)];
  await using journal = opened.value;
  const standing = journal.condition();
  if (standing.condition === "failed") return [failed("journal", standing.problem)];
  if (standing.condition === "regressed") {
    const finding = `team ${standing.team} stands at entry ${standing.head.seq}, but ${standing.anchor.seq} were acknowledged`;
    return [
      bad("journal", finding, "restore a backup, or go on without them: baton journal accept-loss --reason TEXT"),
    ];
  }
  const report = await journal.verify();
  const [first] = report.problems;
  if (first !== undefined) return [failed("journal", first)];
  return [good("journal", `sound, ${report.teams.reduce((sum, { entries }) => sum + entries, 0)} entries`)];
}

function good(check: string, finding: string): Check {
  return { check, state: "ok", finding, advice: null };
}

function bad(check: string, finding: string, advice: string): Check {
  return { check, state: "fail", finding, advice };
}

function failed(check: string, { code, path, message, hint }: Problem): Check {
  return bad(check, `${path}: ${message} (${code})`, hint ?? "see baton journal verify");
}
