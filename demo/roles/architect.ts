/** The architect: turns findings into a document, a list of tasks and a contract. */
import type { JsonObject } from "../../src/base/json.ts";
import { isJsonList, isJsonObject } from "../../src/base/json.ts";
import { planDocument } from "../changes.ts";
import type { Desk } from "../desk.ts";
import { type Letter, textOf } from "../doors/agent-door.ts";
import { farewellId, messageIds, plan, plannedTasks } from "../story.ts";
import { type MakeRole, payloadOf } from "./role.ts";

export const architectRole: MakeRole = (desk) => ({
  react: async (letter) => {
    if (letter.type === "scout_findings") await issueContract(desk, letter);
    // No dialect of the second revision asks an architect to stop, so the lead says it in prose, and so does it.
    if (letter.id !== messageIds.closing) return "read-on";
    await desk.say({
      id: farewellId(desk.member.agent),
      text: "Stopping too; nothing is left open.",
      to: [letter.sender],
    });
    return "leave";
  },
});

async function issueContract(desk: Desk, letter: Letter): Promise<void> {
  const commit = await desk.commit({ ...planDocument(findingsIn(payloadOf(letter))), occasion: plan.planId });
  // Before the contract, by which the developers begin: then they find on the board which files a task is about.
  for (const task of plannedTasks) await desk.plan(task, plan.planId);
  await desk.send({
    id: messageIds.contract,
    type: "plan_contract",
    task: plan.taxTask,
    timestamp: commit.at,
    payload: {
      plan_id: plan.planId,
      phase_id: plan.phaseId,
      objective: plan.objective,
      tasks: plannedTasks.map(({ task }) => task),
      allowed_paths: plan.allowedPaths,
      must_haves: plan.mustHaves,
      verification_checks: ["node --test"],
    },
    gist: `${plannedTasks.length} tasks; only ${plan.allowedPaths.join(", ")} may be touched`,
  });
}

function findingsIn(payload: JsonObject): readonly string[] {
  const documents = isJsonList(payload.documents) ? payload.documents : [];
  return documents
    .map((each) => (isJsonObject(each) ? (textOf(each.content) ?? "") : ""))
    .flatMap((content) => content.split("\n"))
    .map((line) => line.replace(/^- /, ""))
    .filter((line) => line !== "");
}
