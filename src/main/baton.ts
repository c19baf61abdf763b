/**
 * The command `baton`, put together. Importing this file runs it; it exports nothing. `baton demo` starts its hub and
 * its agents from this same program, by words that are no commands.
 */

import { agentWord, endWithInput, hubWord } from "../../examples/demo/own-words.ts";
import { nextTurn } from "../base/clock.ts";
import { runCommandLine } from "../doors/cli/kernel/run.ts";
import type { ConnectHub } from "../perform/hub-connection.ts";
import { readConfig } from "../perform/workspace/config.ts";
import { catalogue } from "./catalogue.ts";

/** The client is loaded by those who ask for a hub, so the others do not wait for it. */
const connectHub: ConnectHub = async (address) => (await import("../doors/http/client/client.ts")).connectHub(address);

const [, , word] = process.argv;
if (word === hubWord) {
  endWithInput();
  process.argv.splice(2, 1, "up");
}
void (word === agentWord ? runDemoAgent() : runCommandLine({ catalogue, connectHub }).then(endAtOnce));

/**
 * Ends a process in which nothing runs any more, as Node would by itself after it has taken its memory apart, which takes a
 * tenth of a short command. What was gathered for the streams has been written after a turn.
 */
async function endAtOnce(): Promise<void> {
  await nextTurn();
  if (process.getActiveResourcesInfo().length === 0) process.exit();
}

async function runDemoAgent(): Promise<void> {
  const { runAgent } = await import("../../examples/demo/agent.ts");
  await runAgent(readConfig().environment());
}
