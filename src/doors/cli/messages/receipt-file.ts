/** Receipts that somebody kept, read back from files. */
import { messageId, teamName } from "../../../base/ids.ts";
import { isJsonObject, parseBounded } from "../../../base/json.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { Receipt } from "../../../journal/entry.ts";

/** The receipt in `text`, as `send --json` prints it. Refuses with `wrong-format` anything else; `file` names it. */
export function readReceipt(text: Uint8Array, file: string): Result<Receipt, Problem> {
  const refused = err(
    problem("wrong-format", file, "This is not a receipt.", { hint: "a receipt is what baton send --json prints" }),
  );
  const parsed = parseBounded(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) return refused;
  const { team, seq, id, digest, hash, prevHash, epoch, durability } = parsed.value;
  const name = typeof team === "string" ? teamName(team) : null;
  if (name === null || !isCount(seq) || !isCount(epoch) || !isHash(hash) || !isHash(prevHash)) return refused;
  if (durability !== "fsync" && durability !== "os" && durability !== "memory") return refused;
  return ok({
    team: name,
    seq,
    id: typeof id === "string" ? messageId(id) : null,
    digest: typeof digest === "string" ? digest : null,
    hash,
    prevHash,
    epoch,
    durability,
    duplicate: false,
  });
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1;
}

function isHash(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}
