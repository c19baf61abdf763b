/**
 * An agent as its own process that races for tasks whose files overlap: it claims one, reports progress, gives the task back,
 * and prints each answer as a line. It says `ready` and begins at a line on standard input. Arguments: journal path, agent, how many times, how many tasks there are.
 */
import { once } from "node:events";
import { openTeam } from "../../src/perform/open.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";

const [journal = "", agent = "", count = "0", tasks = "1"] = process.argv.slice(2);
const opened = await openTeam({ journal, agent, create: false });
if (!opened.ok) throw new Error(JSON.stringify(opened.error));
await using team = opened.value;

console.log("ready");
await once(process.stdin, "data");
process.stdin.destroy();

for (let index = 0; index < Number(count); index += 1) {
  const task = `1-1-T${1 + ((index * 7) % Number(tasks))}`;
  const say = (act: string, reply: object) => console.log(JSON.stringify({ ...reply, act, agent, task }));
  const claimed = await team.claim({ task });
  say("claim", claimed);
  if (claimed.outcome !== "accepted") continue;
  const progress = typedMessage(
    "execution_update",
    { plan_id: "1-1", task_id: task, status: "partial" },
    { id: `${agent}-${index}` },
  );
  say("send", await team.send(JSON.stringify(progress)));
  say("release", await team.release({ task }));
}
