/**
 * Somebody who answers approvals, as its own process: says `ready`, waits for a line, answers every request as fast as it
 * can and prints each reply as a line. Arguments: journal path, agent (or `owner`), `approve` or `deny`, how many.
 */
import { createInterface } from "node:readline";
import { openTeam } from "../../src/perform/open.ts";

const [journal = "", agent = "", verdict = "", count = "0"] = process.argv.slice(2);
const opened = await openTeam({ journal, create: false, ...(agent === "owner" ? {} : { agent }) });
if (!opened.ok) throw new Error(JSON.stringify(opened.error));
await using team = opened.value;

console.log("ready");
for await (const _ of createInterface(process.stdin)) break;
for (let index = 1; index <= Number(count); index++) {
  const reply = await team.answer({
    request: `ask-${index}`,
    approved: verdict === "approve",
    reason: `said by ${agent}`,
  });
  console.log(JSON.stringify({ agent, request: `ask-${index}`, reply }));
}
