/**
 * Lines about tasks, their summaries and what is verified of them. In the order they are run:
 * each finds what those before, and the files before (messages, phases, work, record), have left.
 */
import type { Line } from "../both-places.ts";

/** By command. */
export const workLines: Readonly<Record<string, readonly Line[]>> = {
  "task add": [
    { words: ["task", "add", "4-1-T1", "--plan", "4-1", "--files", "lib/a.ts,lib/b/", "--title", "First"], code: 0 },
    { words: ["task", "add", "04-01/task-1", "--files", "lib/a.ts,lib/b/"], code: 0 },
    { as: "lead-1", words: ["task", "add", "4-1-T2", "--files", "lib/b/c.ts", "--id", "add-2"], code: 0 },
    { as: "lead-1", words: ["task", "add", "4-1-T2", "--files", "lib/b/c.ts", "--id", "add-2"], code: 0 },
    { words: ["task", "add", "4-1-T3", "--depends-on", "4-1-T1,4-1-T2"], code: 0 },
    { words: ["task", "add", "4-1-T1", "--depends-on", "4-1-T3"], code: 2 },
    { words: ["task", "add", "a task %2F..?#", "--files", "lib/d.ts"], code: 0 },
    { words: ["task", "add", "4-1-T9", "--files", "../out,/etc/passwd,.git/config"], code: 2 },
    { as: "dev-1", words: ["task", "add", "4-1-T9"], code: 2 },
  ],
  "task claim": [
    { as: "dev-1", words: ["task", "claim", "4-1-T1", "--id", "claim-1"], code: 0 },
    { as: "dev-1", words: ["task", "claim", "4-1-T1", "--id", "claim-1"], code: 0 },
    { as: "dev-1", words: ["task", "claim", "04-01/T1"], code: 0 },
    { as: "dev-1", words: ["task", "claim", "T1", "--plan", "4-1", "--files", "lib/e.ts"], code: 0 },
    { as: "qa-1", words: ["task", "claim", "4-1-T1"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "4-1-T2"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "4-1-T3"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "1-1-T1"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "nothing/called so"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "4-1-T2", "--files", "/etc"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "4-1-T2", "--id", "no id"], code: 2 },
    { as: "scout-1", words: ["task", "claim", "a task %2F..?#"], code: 0 },
  ],
  "task renew": [
    { as: "dev-1", words: ["task", "renew", "4-1-T1"], code: 0 },
    { as: "scout-1", words: ["task", "renew", "4-1-T1"], code: 2 },
    { as: "dev-1", words: ["task", "renew", "4-1-T1", "--token", "1"], code: 2 },
    { as: "dev-1", words: ["task", "renew", "nothing"], code: 2 },
  ],
  "task available": [{ as: "dev-1", words: ["task", "available"], code: 0 }],
  "task list": [
    { words: ["task", "list"], code: 0 },
    { as: "qa-1", words: ["task", "list", "--plan", "4-1", "--state", "claimed"], code: 0 },
    { words: ["task", "list", "--plan", "9-9"], code: 0 },
  ],
  // What it does with a clone is tried in verifier.test.ts.
  verifier: [{ words: ["verifier", "--every", "often"], code: 64 }],
  "task settle": [
    { words: ["task", "settle", "4-1-T1", "--by", "verifier:ci-1"], code: 3 },
    { words: ["task", "settle", "nothing", "--undo"], code: 3 },
    { words: ["task", "settle", "4-1-T1"], code: 64 },
    { words: ["task", "settle", "4-1-T1", "--by", "baton", "--undo"], code: 64 },
  ],
  "task reassign": [
    { as: "dev-1", words: ["task", "reassign", "4-1-T1", "--to", "scout-1"], code: 2 },
    { as: "lead-1", words: ["task", "reassign", "4-1-T1", "--to", "nobody-1"], code: 2 },
    { as: "lead-1", words: ["task", "reassign", "nothing", "--to", "scout-1"], code: 3 },
    { words: ["task", "reassign", "04-01/T1", "--to", "dev-1"], code: 0 },
    {
      as: "lead-1",
      words: [
        "task",
        "reassign",
        "T1",
        "--plan",
        "4-1",
        "--to",
        "scout-1",
        "--reason",
        "it knows it",
        "--id",
        "move-1",
      ],
      code: 0,
    },
    {
      as: "lead-1",
      words: [
        "task",
        "reassign",
        "T1",
        "--plan",
        "4-1",
        "--to",
        "scout-1",
        "--reason",
        "it knows it",
        "--id",
        "move-1",
      ],
      code: 0,
    },
    { words: ["task", "reassign", "4-1-T1", "--to", "dev-1"], code: 0 },
  ],
  "remote list": [{ words: ["remote", "list"], code: 0 }],
  "remote ask": [
    { as: "scout-1", words: ["remote", "ask", "shop", "A column\nfor the tax", "--task", "4-1-T1"], code: 2 },
    { as: "scout-1", words: ["remote", "ask", "a name %2F..?#", "Tax", "--about", "out-1"], code: 3 },
  ],
  "remote withdraw": [{ words: ["remote", "withdraw", "an ask %2F..?#"], code: 3 }],
  "task ask": [
    { as: "scout-1", words: ["task", "ask", "A column\nfor the tax", "--context", "tax"], code: 0 },
    { as: "scout-1", words: ["task", "ask", " "], code: 2 },
  ],
  "task asked": [
    { words: ["task", "asked", "--from", "nobody-1"], code: 0 },
    { words: ["task", "asked", "--after", "next"], code: 2 },
  ],
  "task discuss": [{ as: "dev-1", words: ["task", "discuss", "nothing", "Net?"], code: 3 }],
  "task end": [
    { words: ["task", "end", "nothing", "--outcome", "refused"], code: 3 },
    { as: "dev-1", words: ["task", "end", "a task %2F..?#", "--outcome", "refused"], code: 2 },
  ],
  "task release": [
    { as: "qa-1", words: ["task", "release", "4-1-T1"], code: 2 },
    { as: "scout-1", words: ["task", "release", "a task %2F..?#"], code: 0 },
    { as: "scout-1", words: ["task", "release", "a task %2F..?#"], code: 0 },
    { words: ["task", "release", "nothing"], code: 3 },
  ],
  "task complete": [
    { as: "qa-1", words: ["task", "complete", "4-1-T1", "--commit", "abc1234"], code: 2 },
    { as: "dev-1", words: ["task", "complete", "4-1-T1", "--status", "partial", "--id", "done-0"], code: 0 },
    { as: "dev-1", words: ["task", "complete", "4-1-T1"], code: 2 },
    {
      as: "dev-1",
      words: ["task", "complete", "4-1-T1", "--commit", "abc1234", "--deviation", "no names", "--id", "done-1"],
      code: 0,
    },
    { words: ["task", "list"], code: 0 },
  ],
  "task show": [
    { words: ["task", "show", "4-1-T1"], code: 0 },
    { words: ["task", "show", "9-9-T9"], code: 3 },
  ],
  summary: [
    { words: ["summary", "1-1"], code: 0 },
    { as: "dev-1", words: ["summary", "4-1", "--format", "markdown"], code: 0 },
    { words: ["summary", "9-9"], code: 3 },
  ],
  // Neither place is in a repository: tests/e2e/verify-hub.heavy.test.ts has some.
  verify: [
    { words: ["verify"], code: 5 },
    { as: "dev-1", words: ["verify", "4-1/T1", "--artifacts"], code: 5 },
    { as: "qa-1", words: ["verify", "T9"], code: 3 },
    { as: "dev-1", words: ["verify", "--staged"], code: 2 },
    { words: ["verify", "--range", "A..B"], code: 2 },
    { words: ["verify", "--range", "A..B", "--staged"], code: 64 },
  ],
};
