/** What a role is to the agent that plays it: how it begins, and what it does about each letter. */
import { isJsonObject, type JsonObject } from "../../src/base/json.ts";
import type { AgentTools } from "../agent-tools.ts";
import type { Letter } from "../doors/agent-door.ts";
import { farewellId } from "../story.ts";

/** After a letter: go on reading, or the part is over. */
export type Then = "read-on" | "leave";

export interface Role {
  /** What it does before any letter; left out: it waits for the first. */
  begin?(): Promise<void>;
  /** Acts on one letter. It is acknowledged afterwards, so a killed agent gets it again. */
  react(letter: Letter): Promise<Then>;
}

/**
 * A role with its client. What it remembers is gone when its process ends; what matters is in the journal and in git.
 */
export type MakeRole = (tools: AgentTools) => Role;

/** The payload of a letter's wire object; an empty one for prose. */
export function payloadOf(letter: Letter): JsonObject {
  return isJsonObject(letter.message) && isJsonObject(letter.message.payload) ? letter.message.payload : {};
}

/* Answering a request to stop, as every agent does that its dialect asks. */

/** Says yes in the agent's own dialect: `approve` in vbw/2, `approved` in yolo/2. */
export async function answerShutdown(tools: AgentTools, letter: Letter): Promise<Then> {
  const yes = tools.member.dialect === "yolo/2" ? "approved" : "approve";
  await tools.send({
    id: farewellId(tools.member.agent),
    type: "shutdown_response",
    task: "",
    timestamp: letter.recordedAt,
    payload: { request_id: letter.id ?? "", [yes]: true, final_status: "complete", pending_work: "" },
    gist: `stops (${yes}: true in ${tools.member.dialect})`,
  });
  return "leave";
}
