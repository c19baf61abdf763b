/**
 * Files of the owner's in the state folder, which only this user may read: addresses and secrets that are neither in the
 * team file nor in the journal, and that no agent chooses.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { basename, join } from "node:path";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { liesInWorkTree } from "./workspace.ts";

const fileBytesMax = 256 * 1024;

/**
 * What the file of that name holds; null: there is none. Refuses `settings-file` for a file that others may read or that is
 * not Baton's, and a folder that a project or a commit can bring with it.
 */
export function readOwners(state: string, name: string): Result<JsonObject | null, Problem> {
  const file = readPlainFile(join(state, name), fileBytesMax);
  if (!file.ok) return err(unreadable(state, name, file.error));
  if (file.value === null) return ok(null);
  if (isBroughtAlong(state)) return err(broughtAlong(state));
  const { facts, text } = file.value;
  const isOwn = process.getuid === undefined || (facts.uid === process.getuid() && (facts.mode & 0o077) === 0);
  if (!isOwn) return err(unreadable(state, name, "others may read it, or it is another user's"));
  const parsed = parseBounded(Buffer.from(text), { bytesMax: fileBytesMax, depthMax: 8, nodesMax: 10_000 });
  return parsed.ok && isJsonObject(parsed.value) ? ok(parsed.value) : err(unreadable(state, name, "not a JSON object"));
}

/** Replaces the file by this plain JSON. Refuses `settings-file` as above; throws the system's error of writing. */
export function writeOwners(state: string, name: string, value: object): Result<void, Problem> {
  if (isBroughtAlong(state)) return err(broughtAlong(state));
  replacePlainFile(join(state, name), `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, isSynced: true });
  return ok(undefined);
}

/** Whether a project or a commit can bring the folder with it, and with it addresses that nobody here has chosen. */
function isBroughtAlong(state: string): boolean {
  return basename(state) === ".baton" || liesInWorkTree(join(state, "journal.db"));
}

function broughtAlong(state: string): Problem {
  return makeProblem("settings-file", state, "Addresses are only set where no project or commit can bring them.", {
    expected: "a team in a git repository, whose state is in git's folder",
    hint: "Run `git init` in the project before `baton init`.",
  });
}

/** The refusal of a file that cannot be read as what it should be. */
export function unreadable(state: string, name: string, received: string): Problem {
  return makeProblem("settings-file", join(state, name), "The file cannot be read.", {
    received,
    hint: "Correct the file, or remove it.",
  });
}
