/**
 * `baton inbox`: what waits for an agent, in order, optionally waiting for the first message; and `baton ack`, the only
 * command that moves an agent's cursor.
 */

import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { nextCommand } from "../../doors/cli/kernel/next-command.ts";
import { readSequence } from "../../doors/cli/kernel/time-argument.ts";
import { actingAs } from "../../doors/cli/place/hub-address.ts";
import { answer, withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { localTime } from "../../doors/cli/terminal/terminal-text.ts";
import { deliveryRemarks, receiverNoteLine, receiverNotes } from "../../messages/message.ts";
import type { Team } from "../../perform/team.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import type { Delivery } from "../operations.ts";
import { messageText } from "./show.ts";

export const inboxCommand: Command = {
  description:
    "Prints the messages addressed to the agent that it has not acknowledged: what each says in a line, and then the message\n" +
    "whole, in the agent's own dialect. Reading does not remove anything: baton ack does. With --wait it waits for a message\n" +
    "and exits 4 when none came.",
  positionals: [{ name: "AGENT", summary: "the agent, as --as names it (default: that of this shell)" }],
  options: [
    { name: "wait", kind: "seconds", value: "SECONDS", summary: "wait this long for a message" },
    { name: "limit", kind: "count", value: "N", summary: "at most so many" },
    { name: "after", kind: "position", value: "SEQ", summary: "only messages after this number" },
    { name: "seen", kind: "position", value: "SEQ", summary: "first say that messages up to here were seen" },
  ],
  examples: [
    { line: "baton inbox lead-1", meaning: "what waits for lead-1" },
    { line: "baton inbox --as dev-1 --wait 30 --json", meaning: "wait up to half a minute; a line of JSON a message" },
    { line: "baton inbox --as dev-1 --seen 17 --limit 1", meaning: "17 was read; the next one, please" },
  ],
  next: "baton ack SEQ --as NAME acknowledges everything up to SEQ.",
  run: async (call) => {
    const name = call.given.word("AGENT");
    const acting = name === undefined ? ok(call) : actingAs(call, name);
    return acting.ok
      ? await withTeam(acting.value, (team) => inbox(acting.value, team))
      : call.output.fail(acting.error);
  },
};

async function inbox(call: Call, team: Team): Promise<ExitCode> {
  const { given, output } = call;
  const seen = given.number("seen");
  if (seen !== undefined) {
    const marked = await team.seen(seen);
    if (!marked.ok) return output.fail(marked.error);
  }
  const after = given.number("after");
  const limit = given.number("limit");
  const waitMs = Math.round((given.number("wait") ?? 0) * 1000);
  const page = await team.inbox({
    ...(after === undefined ? {} : { after }),
    ...(limit === undefined ? {} : { limit }),
    waitMs,
    signal: call.signal,
  });
  if (!page.ok) return page.error.code === "timed-out" ? waitedInVain(call, page.error) : output.fail(page.error);
  const { deliveries, unread } = page.value;
  // Programs read the message itself.
  const lines = output.json
    ? ok(noLines)
    : await entryLines(
        team,
        deliveries.filter(isTyped).map(({ seq }) => seq),
      );
  if (!lines.ok) return output.fail(lines.error);
  for (const delivery of deliveries) {
    const said = lines.value.get(delivery.seq)?.summary ?? "";
    output.result(lineOf(delivery), () => deliveryText(call, delivery, said));
  }
  const last = deliveries.at(-1);
  if (last !== undefined) {
    const command = nextCommand(call, ["ack", String(last.seq), "--as", team.actor.agent]) ?? "baton ack SEQ";
    if (!output.json) output.say(`${deliveries.length} of ${unread} unread. Acknowledge with: ${command}`);
    return exitCodes.done;
  }
  output.say(`No message waits for ${team.actor.agent}.`);
  return exitCodes.done;
}

/** Nothing came: with `--json` there is no line, because every line here is a message. */
function waitedInVain(call: Call, vain: Problem): ExitCode {
  if (call.signal.aborted) return exitCodes.interrupted;
  call.output.problems([vain]);
  return exitCodes.timedOut;
}

/** A message that was only accepted says so; of the others nobody needs to read that they count. */
function lineOf({ effect, notes, ...line }: Delivery) {
  return { ...line, ...deliveryRemarks({ effect, notes }) };
}

/** Whether it says more than words do: of prose the first words would be there twice. */
function isTyped({ type }: Delivery): boolean {
  return type !== null;
}

const noLines: ReadonlyMap<number, LogLine> = new Map();

/** A message as a person reads it; `said` is its summary line, empty where there is nothing shorter. */
function deliveryText(call: Call, delivery: Delivery, said: string): string {
  const paint = call.output.paint.stdout;
  const what = visible(delivery.type ?? "prose");
  const line = said === "" ? "" : `: ${visible(said)}`;
  const head = paint.strong(`#${delivery.seq} ${what} from ${visible(delivery.sender)}${line}`);
  const noted = receiverNotes(delivery).map((note) => `  ${paint.warn("note")} ${receiverNoteLine(note)}\n`);
  const warning = delivery.effect ? "" : `${paint.strong("without effect: do not act on it")}\n`;
  const form = delivery.dialect === null ? "" : `, ${delivery.dialect}`;
  return `${head}\n${paint.faint(`  ${localTime(delivery.recordedAt)}${form}`)}\n${warning}${noted.join("")}${messageText(delivery.message)}\n`;
}

/** `baton ack`: the only thing that moves an agent's cursor. */
export const ackCommand: Command = {
  acts: true,
  description:
    "Acknowledges everything addressed to the agent up to and including SEQ; its inbox then begins after it. The\n" +
    "acknowledgement is recorded. Acknowledging the same number again changes nothing.",
  positionals: [{ name: "SEQ", argument: "seq", required: true, summary: "the number of the last message dealt with" }],
  options: [{ name: "id", kind: "text", value: "ID", summary: "the id of this operation, for retries" }],
  examples: [
    { line: "baton ack 17 --as lead-1", meaning: "everything up to entry 17 is dealt with" },
    { line: "baton ack 17 --as lead-1 --json", meaning: "the receipt as JSON" },
  ],
  next: "baton inbox --as NAME shows what is left.",
  run: async (call) => {
    const seq = readSequence(call.given.word("SEQ") ?? "");
    if (!seq.ok) return call.output.fail(seq.error);
    const id = call.given.text("id");
    return await withTeam(call, async (team) => {
      const reply = await team.acknowledge(seq.value, id === undefined ? {} : { id });
      return answer(call, reply, (receipt) => `Acknowledged up to ${seq.value} (entry ${receipt.seq}).`);
    });
  },
};

/** The lines of these entries by their numbers, each read alone; a number that no entry has is left out. */
async function entryLines(
  team: Pick<Team, "log">,
  seqs: Iterable<number>,
): Promise<Result<ReadonlyMap<number, LogLine>, Problem>> {
  const lines = new Map<number, LogLine>();
  for (const seq of new Set(seqs)) {
    // From its end the log reads a range and no more.
    for await (const line of team.log({ after: seq - 1, before: seq + 1, newestFirst: true })) {
      if (!line.ok) return line;
      lines.set(seq, line.value);
    }
  }
  return ok(lines);
}
