/** `baton ack`: the only thing that moves an agent's cursor. */
import type { Command } from "../kernel/command.ts";
import { readSequence } from "../kernel/time-argument.ts";
import { answer, withTeam } from "../place/session.ts";

export const command: Command = {
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
