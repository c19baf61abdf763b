/** A process that moves a journal, to be killed. */
import { moveJournal } from "../../src/journal/sqlite/move.ts";

const [, , from = "", to = ""] = process.argv;
void moveJournal(from, to).then((moved) => {
  process.exitCode = moved.ok ? 0 : 1;
  if (!moved.ok) process.stderr.write(`${JSON.stringify(moved.error)}\n`);
});
