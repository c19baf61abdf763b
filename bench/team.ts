/** A team on a fresh journal, as the measures of accepting and opening need it. */
import { join } from "node:path";
import { openTeam } from "../src/runtime/open.ts";
import type { Team } from "../src/runtime/team/team.ts";
import { contractText, updateText } from "./messages.ts";

const teamFile = `version: 1
team: bench
dialects: [vbw/2]
policy: enforce
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
`;

/** Opens the bench's team for one of its agents, `lead-1` or `dev-1`, on a file in the folder or on another journal. */
export async function openBenchTeam(
  folder: string,
  agent: string,
  journal = `sqlite:${join(folder, "journal.db")}`,
): Promise<Team> {
  const opened = await openTeam({
    journal,
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

/** Records the bench's contract and then `messages` updates of `dev-1` in the journal of a folder, or in another one. */
export async function fillBenchTeam(folder: string, messages: number, journal?: string): Promise<void> {
  const lead = await openBenchTeam(folder, "lead-1", journal);
  await sendAccepted(lead, contractText());
  await lead[Symbol.asyncDispose]();
  await using dev = await openBenchTeam(folder, "dev-1", journal);
  for (let sent = 0; sent < messages; sent += groupSize) {
    await Promise.all(Array.from({ length: groupSize }, () => sendAccepted(dev, updateText())));
  }
}
