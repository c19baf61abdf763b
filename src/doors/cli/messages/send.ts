/** `baton send`: one input is one message; the receipt comes after it is durable. */

import { messageBytesMax } from "../../../base/limits.ts";
import type { Problem, problem } from "../../../base/problem.ts";
import { type Address, readAddress } from "../../../message/address.ts";
import { usageProblem } from "../kernel/arguments.ts";
import type { Call, Command } from "../kernel/command.ts";
import { type ExitCode, exitCodes } from "../kernel/exit-codes.ts";
import { readWhole } from "../kernel/input.ts";
import { answer, listed, withTeam } from "../place/session.ts";

export const command: Command = {
  description:
    "The text is one message: a JSON object of one of the team's dialects, or prose. It is read, checked, authorised and\n" +
    "recorded; then the receipt is printed. A refused message has no effect: its problems say what to repair, and the\n" +
    "refusal is recorded too. Sending the same text with the same id again is safe and answers with the first receipt.",
  positionals: [{ name: "FILE", summary: "the message; - or nothing reads standard input" }],
  options: [
    {
      name: "to",
      kind: "text",
      value: "RECEIVER",
      repeatable: true,
      summary: "an agent, or role:ROLE (default: those the dialect names)",
    },
    {
      name: "id",
      kind: "text",
      value: "ID",
      summary: "the id of this operation, for retries (default: the id in the message)",
    },
    {
      name: "prose-id",
      kind: "text",
      value: "ID",
      summary: "the same where the text is prose that quotes a message (default: one is made)",
    },
    { name: "strict", kind: "flag", summary: "refuse fields the definition does not know" },
  ],
  examples: [
    { line: "baton send update.json --as dev-1", meaning: "to the receivers the dialect names" },
    {
      line: "baton send plan.json --as lead-1 --to dev-1 --to role:qa",
      meaning: "to one agent and everyone of a role",
    },
    {
      line: "echo 'Lunch?' | baton send - --as dev-1 --to lead-1 --id lunch-1",
      meaning: "prose, under an id that makes a retry safe",
    },
  ],
  next: "baton show ID tells how far delivery came; the receiver runs baton inbox --as NAME.",
  run: async (call) => {
    const receivers = receiversOf(call);
    if ("code" in receivers) return call.output.fail(receivers);
    const file = call.given.word("FILE") ?? "-";
    if (file === "-" && process.stdin.isTTY) {
      return call.output.fail(
        usageProblem(
          "FILE",
          "FILE is missing, and standard input is a terminal.",
          "baton send message.json --as AGENT",
        ),
      );
    }
    const text = await readWhole(file, messageBytesMax, call.signal);
    if (!text.ok) return call.output.fail(looksLikeText(text.error, file));
    if (call.signal.aborted) return exitCodes.interrupted;
    return await send(call, text.value, receivers);
  },
};

/** Somebody who writes the words in FILE's place learns how words and typed messages are sent. */
function looksLikeText(fault: Problem, file: string): Problem {
  if (fault.code !== "not-found" || /[\\/]|\.[A-Za-z0-9]{1,8}$/.test(file)) return fault;
  const hint =
    "FILE names a file. Plain text: echo 'TEXT' | baton send - --as AGENT --to RECEIVER. A typed message is a file with JSON: `baton reference` lists the types, `baton schema DIALECT/TYPE` their fields";
  return { ...fault, hint };
}

async function send(call: Call, text: Uint8Array, to: readonly Address[]): Promise<ExitCode> {
  const id = call.given.text("id");
  const proseId = call.given.text("prose-id");
  return await withTeam(call, async (team) => {
    const reply = await team.send(text, {
      ...(id === undefined ? {} : { id }),
      ...(proseId === undefined ? {} : { proseId }),
      ...(to.length === 0 ? {} : { to }),
      strict: call.given.flag("strict"),
    });
    // Whatever the reason, a message that was judged and not taken is refused.
    return answer(
      call,
      reply,
      (receipt, receivers) =>
        `${receipt.duplicate ? "Already sent" : "Sent"}: entry ${receipt.seq}, id ${receipt.id ?? "none"}, to ${listed(receivers)}` +
        ` (${receipt.durability})`,
      () => exitCodes.refused,
    );
  });
}

function receiversOf(call: Call): readonly Address[] | ReturnType<typeof problem> {
  const receivers: Address[] = [];
  for (const text of call.given.texts("to")) {
    const address = readAddress(text);
    if (!address.ok) return address.error;
    receivers.push(address.value);
  }
  return receivers;
}
