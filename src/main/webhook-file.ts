/**
 * The webhooks of the hubs of one state folder, in a file there that only this user may read. It is read again when another
 * hub has changed it, and changed under a lock, so no hub loses what another has set.
 * Rules: docs/protocol/doors.md, section 15.
 */
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isJsonList, isJsonObject, type Json, parseBounded } from "../base/json.ts";
import { readPlainFile, replacePlainFile } from "../base/plain-file.ts";
import type { Webhook } from "../doors/a2a/push.ts";
import { takeFileLock } from "../journal/engines.ts";
import { takeTurn } from "../workspace/file-turn.ts";

/** Most webhooks that the hubs of a state folder keep. */
export const keptMax = 1_000;
const fileBytesMax = 8 * 1024 * 1024;

export interface WebhookFile {
  all(): readonly Webhook[];
  /** Writes what `change` answers of the webhooks as they are now; null: nothing changes. */
  change(change: (now: readonly Webhook[]) => readonly Webhook[] | null): Promise<void>;
  /** The right to call the webhooks, which one hub of the folder has at a time; null: another has it. Freed when it ends. */
  takeCalling(): Promise<Disposable | null>;
}

/** The webhooks of a state folder. */
export function webhookFile(state: string): WebhookFile {
  const path = join(state, "webhooks.json");
  let known: { readonly stamp: string; readonly webhooks: readonly Webhook[] } = { stamp: "none", webhooks: [] };
  const all = () => {
    const stamp = stampOf(path);
    if (stamp !== known.stamp) {
      const before = new Map(known.webhooks.map((each) => [JSON.stringify(each), each]));
      // What has not changed is the same object: it is called without a break.
      known = { stamp, webhooks: readKept(path).map((each) => before.get(JSON.stringify(each)) ?? each) };
    }
    return known.webhooks;
  };
  return {
    all,
    async change(change) {
      using _ = await takeTurn(join(state, "webhooks.lock"));
      const next = change(all());
      if (next !== null) replacePlainFile(path, `${JSON.stringify(next)}\n`, { mode: 0o600, isSynced: true });
    },
    async takeCalling() {
      const taken = await takeFileLock(join(state, "webhooks.calls.lock"));
      // Where nothing can be locked, webhooks are called twice rather than never.
      return taken.ok ? taken.value : { [Symbol.dispose]: () => undefined };
    },
  };
}

/** Distinguishes one state of the file from another: each is a new file. */
function stampOf(path: string): string {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  return facts === undefined ? "none" : `${facts.ino} ${facts.mtimeMs} ${facts.ctimeMs} ${facts.size}`;
}

/** What was kept; nothing where the file is not one that only this user reads. */
function readKept(path: string): readonly Webhook[] {
  const file = readPlainFile(path, fileBytesMax);
  if (!file.ok || file.value === null) return [];
  const { facts, text } = file.value;
  if (process.getuid !== undefined && (facts.uid !== process.getuid() || (facts.mode & 0o077) !== 0)) return [];
  const limits = { bytesMax: fileBytesMax, depthMax: 4, nodesMax: 20 * keptMax };
  const parsed = parseBounded(Buffer.from(text), limits);
  return parsed.ok && isJsonList(parsed.value) ? parsed.value.flatMap((each) => webhookOf(each) ?? []) : [];
}

function webhookOf(each: Json): Webhook | null {
  if (!isJsonObject(each)) return null;
  const { team, caller, taskId, id, url, setBy, token = null, scheme = null, credentials = null } = each;
  if (typeof team !== "string" || typeof caller !== "string" || typeof taskId !== "string") return null;
  if (typeof id !== "string" || typeof url !== "string" || typeof setBy !== "string" || !URL.canParse(url)) return null;
  const isText = (value: Json): value is string | null => value === null || typeof value === "string";
  if (!isText(token) || !isText(scheme) || !isText(credentials)) return null;
  return { team, caller, taskId, id, url, setBy, token, scheme, credentials };
}
