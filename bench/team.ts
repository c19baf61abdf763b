/** A team on a fresh journal, as the measures of accepting and opening need it. */
import { join } from "node:path";
import { openTeam } from "../src/perform/open.ts";
import type { Team } from "../src/perform/team.ts";
import { contractText, updateText } from "./messages.ts";

const teamFile = `version: 1
team: bench
dialects: [vbw/2]
policy: enforce
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
`;

/** Opens the bench's team for one of its agents, `lead-1` or `dev-1`, on a file in the folder. */
export async function openBenchTeam(folder: string, agent: string): Promise<Team> {
  const opened = await openTeam({
    journal: `sqlite:${join(folder, "journal.db")}`,
    agent,
    create: true,
    teamFile: { path: join(folder, "team.yaml"), text: teamFile },
  });
  if (opened.ok) return opened.value;
  throw new Error(`the bench's team does not open: ${JSON.stringify(opened.error)}`);
}

/** Sends one message and insists that it is accepted: a refused message would measure the wrong thing. */
export async function sendAccepted(team: Team, text: string): Promise<void> {
  const reply = await team.send(text);
  if (reply.outcome !== "accepted") throw new Error(`the bench's message is not accepted: ${JSON.stringify(reply)}`);
}

/** How many messages a large journal of the bench holds; a multiple of `groupSize`. */
export const manyMessages = 100_000;
/** How many rows or messages share a commit while a large journal is filled. */
export const groupSize = 500;

/** Records the bench's contract and then `manyMessages` updates of `dev-1` in the journal of a folder. */
export async function fillBenchTeam(folder: string): Promise<void> {
  const lead = await openBenchTeam(folder, "lead-1");
  await sendAccepted(lead, contractText());
  await lead[Symbol.asyncDispose]();
  await using dev = await openBenchTeam(folder, "dev-1");
  for (let sent = 0; sent < manyMessages; sent += groupSize) {
    await Promise.all(Array.from({ length: groupSize }, () => sendAccepted(dev, updateText())));
  }
}
