/**
 * Dry run: how an input would be read if an agent sent it now, with the team's dialects, before anything is recorded.
 * For doors that accept prose and send what is a message; what counts is decided when it is sent.
 */
import { systemClock, timestampOf } from "../../base/clock.ts";
import { newMessageId } from "../../base/new-ids.ts";
import { dialectOf, dialects } from "../../messages/dialects/registry.ts";
import { read } from "../../messages/intake/read.ts";
import type { Reading } from "../../messages/intake/reading.ts";
import { namesInPrograms } from "../../messages/program-hooks.ts";
import type { TeamStatus } from "../../team/operations/status.ts";
import { brokenJsonOf } from "../../team/state/definition.ts";
import { dialectsFor } from "./request-reading.ts";

/** The reading of `text` from `sender`, null being nobody of the team. Never throws. */
export async function foresee(
  text: string,
  sender: string | null,
  { definition, agents }: Pick<TeamStatus, "definition" | "agents">,
): Promise<Reading> {
  const member = agents.find(({ agent }) => agent === sender);
  const role = member?.role ?? null;
  const { inForce, foreign } = dialectsFor({ dialectOf, dialects }, definition, member?.dialect ?? null);
  const isAgent = (name: string) => agents.some(({ agent }) => agent === name);
  return await read(text, {
    dialects: inForce,
    foreign,
    brokenJson: brokenJsonOf(definition),
    senderKnown: member !== undefined,
    ...(member === undefined ? {} : { sender: { agent: member.agent, role, called: namesInPrograms(role, isAgent) } }),
    connection: () => ({ id: newMessageId(), authorRole: role, timestamp: timestampOf(systemClock.now()) }),
  });
}
