/** Answering a request to stop, as every agent does that its dialect asks. */

import type { Desk } from "../desk.ts";
import type { Letter } from "../doors/agent-door.ts";
import { farewellId } from "../story.ts";
import type { Then } from "./role.ts";

/** Says yes in the agent's own dialect: `approve` in vbw/2, `approved` in yolo/2. */
export async function answerShutdown(desk: Desk, letter: Letter): Promise<Then> {
  const yes = desk.member.dialect === "yolo/2" ? "approved" : "approve";
  await desk.send({
    id: farewellId(desk.member.agent),
    type: "shutdown_response",
    task: "",
    timestamp: letter.recordedAt,
    payload: { request_id: letter.id ?? "", [yes]: true, final_status: "complete", pending_work: "" },
    gist: `stops (${yes}: true in ${desk.member.dialect})`,
  });
  return "leave";
}
