/**
 * An agent as its own process: sends numbered progress reports through the whole runtime, several at a time, and prints
 * each receipt as a line. Arguments: journal path, agent, how many.
 */
import { openTeam } from "../../src/perform/open.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";

const [journal = "", agent = "", count = "0"] = process.argv.slice(2);
const opened = await openTeam({ journal, agent, create: false });
if (!opened.ok) throw new Error(JSON.stringify(opened.error));
await using team = opened.value;

async function send(index: number): Promise<void> {
  const message = typedMessage("execution_update", { status: "partial" }, { id: `${agent}-${index}` });
  const reply = await team.send(JSON.stringify(message));
  console.log(JSON.stringify(reply.outcome === "accepted" ? reply.receipt : reply));
}

const together = 8;
for (let index = 0; index < Number(count); index += together) {
  const indexes = Array.from({ length: Math.min(together, Number(count) - index) }, (_, offset) => index + offset);
  await Promise.all(indexes.map(send));
}
