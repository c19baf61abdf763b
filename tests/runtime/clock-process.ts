/**
 * A process that reads a team on request. Arguments: how, journal path, agent. `team` opens it as everything does,
 * `wall` by the wall clock alone (what must be found), `hub` serves it. Each line it reads is a string that the agent
 * sends (`look`: none); after it the process has looked at everything that has a deadline, and prints its wall clock
 * and how many deadlines have been recorded as passed.
 */
import { createInterface } from "node:readline";
import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/doors/http/server/monitoring.ts";
import { startHub } from "../../src/main/hub.ts";
import { readAddress } from "../../src/messages/role.ts";
import { openTeam } from "../../src/perform/open.ts";

const [how = "", journal = "", agent = ""] = process.argv.slice(2);
const hub =
  how === "hub" ? await startHub({ journal, create: false, port: 0, version: "0.0.0", log: silentLog }) : null;
if (hub?.ok === false) throw new Error(JSON.stringify(hub.error));
const opened = await openTeam({ journal, agent, create: false, ...(how === "wall" ? { clock: systemClock } : {}) });
if (!opened.ok) throw new Error(JSON.stringify(opened.error));
await using team = opened.value;

const lead = readAddress("lead-1");
if (!lead.ok) throw new Error(lead.error.message);
console.log("ready");
for await (const line of createInterface(process.stdin)) {
  if (line !== "look") {
    const said = await team.send(line, { to: [lead.value] });
    if (said.outcome !== "accepted") throw new Error(JSON.stringify(said));
  }
  // A hub looks by itself: what it has not recorded is not looked for here.
  if (how !== "hub") {
    for (const found of [
      await team.tasks(),
      await team.approvals(),
      await team.escalations(),
      await team.shutdowns(),
    ]) {
      if (!found.ok) throw new Error(found.error.message);
    }
  }
  const timers: number[] = [];
  for await (const each of team.log({ kinds: ["timer"] })) if (each.ok) timers.push(each.value.seq);
  console.log(JSON.stringify({ wallMs: Date.now(), timers }));
}
if (hub?.ok === true) await hub.value.stop();
