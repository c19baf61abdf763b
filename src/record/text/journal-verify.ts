/**
 * `baton journal verify`: whether the record is what it was; and `baton journal accept-loss`, the one way on after
 * entries were lost, named and recorded.
 */

import { messageId, teamName } from "../../base/ids.ts";
import { isJsonObject, parseBounded } from "../../base/json.ts";
import { messageBytesMax } from "../../base/limits.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import type { Receipt } from "../../journal/entry.ts";
import { ownerName } from "../../messages/principal.ts";
import { statsJson } from "../handlers/record.ts";
import { contentsText, teamsOf, withRecord } from "./journal-contents.ts";

export const verifyCommand: Command = {
  description:
    "Recomputes every team's hash chain, runs SQLite's own check, and compares with the anchor kept outside the database\n" +
    "and with the receipts you present. Says also where the journal lies, its size, and whether it may be written. Changes\n" +
    "nothing. Exits 2 when anything differs.",
  options: [
    { name: "receipt", kind: "text", value: "FILE", repeatable: true, summary: "a receipt that send --json printed" },
  ],
  examples: [
    { line: "baton journal verify", meaning: "is the record sound?" },
    {
      line: "baton journal verify --receipt receipt.json --json",
      meaning: "and does it still hold what I was promised?",
    },
  ],
  next: "A journal behind its anchor takes no writes until baton journal accept-loss --reason TEXT.",
  run: async (call) => {
    const presented = await readReceipts(call);
    if (!presented.ok) return call.output.fail(presented.error);
    return await withRecord(call, { readOnly: true }, async (record) => {
      const { output } = call;
      const paint = output.paint.stdout;
      output.progress("verifying …");
      const looked = (entries: number) => output.progress(`verifying: ${entries} entries`);
      const verified = await record.verify({ presented: presented.value, signal: call.signal, looked });
      output.progress(null);
      if (!verified.ok) return output.fail(verified.error);
      const report = verified.value;
      const stats = await record.stats();
      output.result({ ...(stats.ok ? statsJson(stats.value) : {}), ...report }, () =>
        [
          ...(stats.ok ? contentsText(stats.value) : []),
          ...report.teams.map(
            ({ team, entries, head }) =>
              `team ${visible(team)}: ${entries} entries, head ${head.seq}, epoch ${head.epoch}, ${head.hash}`,
          ),
          report.ok ? paint.good("sound") : paint.bad("not sound"),
        ].join("\n"),
      );
      output.problems([...report.problems, ...(stats.ok ? [] : [stats.error])]);
      return report.ok && stats.ok ? exitCodes.done : exitCodes.refused;
    });
  },
};

async function readReceipts(call: Call): Promise<Result<readonly Receipt[], Problem>> {
  const receipts: Receipt[] = [];
  for (const file of call.given.texts("receipt")) {
    const text = await readWhole(file, messageBytesMax, call.signal);
    if (!text.ok) return text;
    const receipt = readReceipt(text.value, file);
    if (!receipt.ok) return receipt;
    receipts.push(receipt.value);
  }
  return ok(receipts);
}

/* Receipts that somebody kept, read back from files. */

/** The receipt in `text`, as `send --json` prints it. Refuses with `wrong-format` anything else; `file` names it. */
function readReceipt(text: Uint8Array, file: string): Result<Receipt, Problem> {
  const refused = err(
    makeProblem("wrong-format", file, "This is not a receipt.", { hint: "a receipt is what baton send --json prints" }),
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

/** `baton journal accept-loss`: the one way on after entries were lost, said aloud and recorded. */
export const acceptLossCommand: Command = {
  isOwners: true,
  description:
    "A journal that is behind its anchor has lost entries and takes no writes. This command records, as the owner, that\n" +
    "they are lost and why: a new epoch begins that names the lost range. Look for a backup first.",
  options: [
    { name: "reason", kind: "text", value: "TEXT", required: true, summary: "what happened, for the record" },
    { name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" },
  ],
  examples: [
    { line: "baton journal verify", meaning: "first see what is lost" },
    { line: "baton journal accept-loss --reason 'disk of the old laptop'", meaning: "then go on without it" },
  ],
  next: "baton journal verify is sound again; agents whose receipts are in the lost range send again.",
  run: (call) =>
    withRecord(call, { readOnly: false, acceptsLoss: true }, async (record) => {
      const { output } = call;
      const asked = call.given.text("as") ?? ownerName;
      if (asked !== ownerName) {
        return output.fail(
          makeProblem("human-required", "--as", "Only the owner may accept a loss.", {
            received: asked,
            hint: "leave --as out",
          }),
        );
      }
      const status = record.condition();
      const id = call.given.text("id");
      // A repetition finds the loss accepted, so what an id stands for is asked of the journal.
      if (status.condition !== "regressed" && id === undefined) {
        return output.fail(
          makeProblem("not-found", "journal", "No loss is known: the journal is not behind its anchor.", {
            hint: "baton journal verify tells its state",
          }),
        );
      }
      const teams = await teamsOf(call, record);
      if (!teams.ok) return output.fail(teams.error);
      const [only, ...others] = teams.value;
      const isNamed = call.given.text("team") !== undefined || status.condition !== "regressed";
      const team = isNamed ? only : status.team;
      if (team === undefined || (isNamed && others.length > 0)) {
        const hint = `Name one with --team: ${teams.value.join(", ") || "there is none yet"}.`;
        return output.fail(makeProblem("unknown-team", "--team", "It is not clear which team is meant.", { hint }));
      }
      const done = await record.acceptLoss(team, call.given.text("reason") ?? "", id === undefined ? {} : { id });
      if (!done.ok) return output.fail(done.error);
      output.result(
        done.value,
        () =>
          `${done.value.duplicate ? "Already accepted" : "Accepted"}: team ${team} goes on in epoch ${done.value.epoch} from entry ${done.value.seq}.`,
      );
      return exitCodes.done;
    }),
};
