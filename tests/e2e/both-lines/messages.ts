/**
 * Lines about what is said and read: sending, inboxes, the log, single entries. In the order they are run:
 * each finds what those before, and the files before (messages, phases, work, record), have left.
 */
import type { Line } from "../both-places.ts";
import { contract, request, update } from "../command.ts";

const big = `{"id":"big","text":"${"x".repeat(300_000)}"}`;

/** By command. */
export const messageLines: Readonly<Record<string, readonly Line[]>> = {
  send: [
    { as: "lead-1", words: ["send"], input: contract(), code: 0 },
    { as: "lead-1", words: ["send"], input: contract(), code: 0 },
    {
      as: "dev-1",
      words: ["send", "-", "--to", "lead-1", "--to", "role:qa", "--id", "lunch/1"],
      input: "Lunch?",
      code: 0,
    },
    { as: "dev-1", words: ["send", "--to", "lead-1", "--id", "lunch/1"], input: "Dinner?", code: 2 },
    { as: "dev-1", words: ["send", "--id", "not an id"], input: "Lunch?", code: 2 },
    { as: "dev-1", words: ["send"], input: contract(), code: 2 },
    { as: "dev-1", words: ["send"], input: update(["src/other.js"]), code: 2 },
    { as: "dev-1", words: ["send", "--strict"], input: update(["src/feature.js"], { id: "s", color: "red" }), code: 2 },
    { as: "dev-1", words: ["send"], input: update(), code: 0 },
    { as: "dev-1", words: ["send"], input: '{"id": "half', code: 2 },
    { as: "dev-1", words: ["send"], input: '{"id":"d","a":1,"a":2}', code: 2 },
    { as: "dev-1", words: ["send"], input: '{"message":"an envelope?","to":["lead-1"]}', code: 2 },
    {
      as: "dev-1",
      words: ["send", "--to", "lead-1"],
      input: "\u001b[31m \u202e red, and a wide one: \u{1f600}",
      code: 0,
    },
    { as: "dev-1", words: ["send", "--to", "nobody-9"], input: "Anybody?", code: 2 },
    { as: "dev-1", words: ["send"], input: "", code: 2 },
    { as: "dev-1", words: ["send"], input: big, code: 2 },
    { as: "dev-1", words: ["send"], input: request(), code: 0 },
    { as: "dev-1", words: ["send"], input: request({ id: "second" }), code: 0 },
    { words: ["send", "--to", "dev-1"], input: "From the owner.", code: 0 },
  ],
  inbox: [
    { as: "lead-1", words: ["inbox"], code: 0 },
    { as: "lead-1", words: ["inbox", "--limit", "1", "--after", "3"], code: 0 },
    { as: "lead-1", words: ["inbox", "--limit", "5000", "--seen", "3"], code: 0 },
    { as: "lead-1", words: ["inbox", "--seen", "5000"], code: 3 },
    { as: "scout-1", words: ["inbox"], code: 0 },
    { as: "scout-1", words: ["inbox", "--after", "5000", "--wait", "0.3"], code: 4 },
    { as: "lead-1", words: ["inbox", "--wait", "0.3"], code: 0 },
    { words: ["inbox"], code: 0 },
  ],
  ack: [
    { as: "lead-1", words: ["ack", "4"], code: 0 },
    { as: "lead-1", words: ["ack", "4"], code: 0 },
    { as: "lead-1", words: ["ack", "5000"], code: 3 },
    { as: "lead-1", words: ["ack", "4", "--id", "ack-1"], code: 0 },
    { as: "lead-1", words: ["ack", "5", "--id", "ack-1"], code: 2 },
    { as: "lead-1", words: ["inbox"], code: 0 },
  ],
  log: [
    { words: ["log"], code: 0 },
    { as: "dev-1", words: ["log", "--type", "plan_contract"], code: 0 },
    { words: ["log", "--from", "dev-1", "--grep", "LUNCH", "--since", "1h"], code: 0 },
    { words: ["log", "--after", "3", "--limit", "2"], code: 0 },
    { words: ["log", "--last", "3"], code: 0 },
    { words: ["log", "--view", "refusals"], code: 0 },
    { words: ["log", "--view", "messages", "--limit", "7"], code: 0 },
    { words: ["log", "--follow"], code: 130, until: 28 },
    { as: "dev-1", words: ["log", "--follow", "--to", "lead-1", "--last", "2"], code: 130, until: 23 },
    { words: ["log", "--follow", "--kind", "refusal", "--since", "1h"], code: 130, until: 28 },
  ],
  watch: [{ words: ["watch"], code: 130, until: 28 }],
  show: [
    { words: ["show", "9"], code: 0 },
    { words: ["show", "lunch/1"], code: 0 },
    { as: "dev-1", words: ["show", "ack/lead-1/4"], code: 0 },
    { as: "dev-1", words: ["show", "12"], code: 0 },
    { words: ["show", "5000"], code: 3 },
    { words: ["show", "no such id %2F ../.. ?#"], code: 3 },
  ],
  status: [
    { words: ["status"], code: 0 },
    { as: "qa-1", words: ["status"], code: 0 },
  ],
};
