/**
 * A process that comes when a deadline passes. Arguments: journal path, how. It says `ready`; each line it reads is the
 * id of a request. `team`: it opens the journal again, as a command does, again and again until the request waits no
 * longer. `unlocked`: a planted error, one that decides by what it has read and not under the write lock: it says
 * `read` when it has, waits for another line, and records what it decided.
 */
import { createInterface } from "node:readline";
import { teamName } from "../../src/base/ids.ts";
import { invariant } from "../../src/base/invariant.ts";
import type { EntryDraft } from "../../src/journal/entry.ts";
import { openTeam, openTeamJournal } from "../../src/perform/open.ts";

const [path = "", how = ""] = process.argv.slice(2);
const lines = createInterface(process.stdin)[Symbol.asyncIterator]();

async function pass(id: string): Promise<void> {
  for (let isOpen = true; isOpen; ) {
    const opened = await openTeam({ journal: path, create: false });
    invariant(opened.ok, "the journal opens");
    await using team = opened.value;
    const found = await team.approvals();
    invariant(found.ok, "it is read");
    isOpen = found.value.some(({ requestId }) => requestId === id);
  }
}

async function passUnlocked(): Promise<void> {
  const opened = await openTeamJournal(path, { create: false });
  const name = teamName("deadlines");
  invariant(opened.ok && name !== null, "the journal opens");
  await using journal = opened.value;
  const draft: EntryDraft = {
    kind: "timer",
    principal: { agent: "baton", role: null, via: "launcher" },
    id: null,
    digest: null,
    receivers: [],
    content: {},
  };
  console.log("read");
  await lines.next();
  const committed = await journal.commit(name, { once: null, decide: () => draft });
  invariant(committed.ok, "it is recorded");
}

console.log("ready");
for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
  await (how === "unlocked" ? passUnlocked() : pass(line.value));
  console.log("passed");
}
