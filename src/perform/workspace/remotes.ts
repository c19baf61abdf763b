/**
 * Addresses and tokens of remote agents: a file of the owner's in the state folder, which only this user may read. They are
 * nowhere else, not in the team file and not in the journal, and no agent chooses one. It is changed under a lock, so no
 * command loses what another has set.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { basename, join } from "node:path";
import { isJsonObject, type JsonObject, parseBounded } from "../../base/json.ts";
import { readPlainFile, replacePlainFile } from "../../base/plain-file.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { takeTurn } from "./file-turn.ts";
import { liesInWorkTree } from "./workspace.ts";

/** Where a remote is and how it knows us. */
export interface RemoteSettings {
  /** The URL of its card. */
  readonly card: string;
  readonly token: string | null;
  /** It may be on this machine or in a private network. */
  readonly isPrivateAllowed: boolean;
}

const fileBytesMax = 256 * 1024;

function fileIn(state: string): string {
  return join(state, "remotes.json");
}

/**
 * The remotes of a state folder by name; none where there is no file. Refuses `settings-file` for a file that others may
 * read or that is not Baton's, and a folder that a project or a commit can bring with it.
 */
export function readRemotes(state: string): Result<ReadonlyMap<string, RemoteSettings>, Problem> {
  const path = fileIn(state);
  const file = readPlainFile(path, fileBytesMax);
  if (!file.ok) return err(unreadable(path, file.error));
  if (file.value === null) return ok(new Map());
  if (isBroughtAlong(state)) return err(broughtAlong(state));
  const { facts, text } = file.value;
  const isOwn = process.getuid === undefined || (facts.uid === process.getuid() && (facts.mode & 0o077) === 0);
  if (!isOwn) return err(unreadable(path, "others may read it, or it is another user's"));
  const parsed = parseBounded(Buffer.from(text), { bytesMax: fileBytesMax, depthMax: 8, nodesMax: 10_000 });
  const all =
    parsed.ok && isJsonObject(parsed.value) && isJsonObject(parsed.value.remotes) ? parsed.value.remotes : null;
  if (all === null) return err(unreadable(path, "not a list of remotes"));
  const read = new Map<string, RemoteSettings>();
  for (const [name, each] of Object.entries(all)) {
    const settings = isJsonObject(each) ? settingsOf(each) : null;
    if (settings === null) return err(unreadable(path, `not the settings of a remote: ${name}`));
    read.set(name, settings);
  }
  return ok(read);
}

function settingsOf({ card, token = null, isPrivateAllowed = false }: JsonObject): RemoteSettings | null {
  const isRead = typeof card === "string" && (token === null || typeof token === "string");
  return isRead && typeof isPrivateAllowed === "boolean" ? { card, token, isPrivateAllowed } : null;
}

/** Sets a remote, or (null) removes it. Refuses as `readRemotes` does; throws the system's error of writing. */
export async function writeRemote(
  state: string,
  name: string,
  settings: RemoteSettings | null,
): Promise<Result<void, Problem>> {
  if (isBroughtAlong(state)) return err(broughtAlong(state));
  using _ = await takeTurn(join(state, "remotes.lock"));
  const known = readRemotes(state);
  if (!known.ok) return known;
  const all = new Map(known.value);
  if (settings === null) all.delete(name);
  else all.set(name, settings);
  const text = JSON.stringify({ remotes: Object.fromEntries(all) }, null, 2);
  replacePlainFile(fileIn(state), `${text}\n`, { mode: 0o600, isSynced: true });
  return ok(undefined);
}

/** Whether a project or a commit can bring the folder with it, and with it addresses that nobody here has chosen. */
function isBroughtAlong(state: string): boolean {
  return basename(state) === ".baton" || liesInWorkTree(join(state, "journal.db"));
}

function broughtAlong(state: string): Problem {
  return makeProblem("settings-file", state, "Remotes are only set where no project or commit can bring them.", {
    expected: "a team in a git repository, whose state is in git's folder",
    hint: "Run `git init` in the project before `baton init`.",
  });
}

function unreadable(path: string, received: string): Problem {
  return makeProblem("settings-file", path, "The remotes cannot be read.", {
    received,
    hint: "Correct the file, or remove it.",
  });
}
