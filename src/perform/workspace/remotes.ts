/**
 * Addresses and tokens of remote agents: a file of the owner's in the state folder, which only this user may read. They are
 * nowhere else, not in the team file and not in the journal, and no agent chooses one. It is changed under a lock, so no
 * command loses what another has set.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { takeTurn } from "./file-turn.ts";
import { readOwners, unreadable, writeOwners } from "./owners-file.ts";

/** Where a remote is and how it knows us. */
export interface RemoteSettings {
  /** The URL of its card. */
  readonly card: string;
  readonly token: string | null;
  /** It may be on this machine or in a private network. */
  readonly isPrivateAllowed: boolean;
}

const fileName = "remotes.json";

/** The remotes of a state folder by name; none where there is no file. Refuses as `readOwners` does. */
export function readRemotes(state: string): Result<ReadonlyMap<string, RemoteSettings>, Problem> {
  const file = readOwners(state, fileName);
  if (!file.ok) return file;
  if (file.value === null) return ok(new Map());
  const all = isJsonObject(file.value.remotes) ? file.value.remotes : null;
  if (all === null) return err(unreadable(state, fileName, "not a list of remotes"));
  const read = new Map<string, RemoteSettings>();
  for (const [name, each] of Object.entries(all)) {
    const settings = isJsonObject(each) ? settingsOf(each) : null;
    if (settings === null) return err(unreadable(state, fileName, `not the settings of a remote: ${name}`));
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
  using _ = await takeTurn(join(state, "remotes.lock"));
  const known = readRemotes(state);
  if (!known.ok) return known;
  const all = new Map(known.value);
  if (settings === null) all.delete(name);
  else all.set(name, settings);
  return writeOwners(state, fileName, { remotes: Object.fromEntries(all) });
}
