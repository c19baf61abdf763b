/**
 * Those who prepare the work: the scout looks through the repository, and the architect turns its findings into a
 * document, a list of tasks and a contract.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonList, isJsonObject, type JsonObject } from "../../src/base/json.ts";
import { type AgentTools, answerShutdown, type MakeRole, payloadOf } from "../agent-tools.ts";
import { type Letter, textOf } from "../doors/agent-door.ts";
import { farewellId, messageIds, plan, planDocument, plannedTasks } from "../story.ts";

export const architectRole: MakeRole = (tools) => ({
  react: async (letter) => {
    if (letter.type === "scout_findings") await issueContract(tools, letter);
    // No dialect of the second revision asks an architect to stop, so the lead says it in prose, and so does it.
    if (letter.id !== messageIds.closing) return "read-on";
    await tools.say({
      id: farewellId(tools.member.agent),
      text: "Stopping too; nothing is left open.",
      to: [letter.sender],
    });
    return "leave";
  },
});

async function issueContract(tools: AgentTools, letter: Letter): Promise<void> {
  const commit = await tools.commit({ ...planDocument(findingsIn(payloadOf(letter))), occasion: plan.planId });
  // Before the contract, by which the developers begin: then they find on the board which files a task is about.
  for (const task of plannedTasks) await tools.plan(task, plan.planId);
  await tools.send({
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

/** The scout: looks through the repository and tells what it found. Its answer got lost, so it says it twice. */
export const scoutRole: MakeRole = (tools) => ({
  react: async (letter) => {
    if (letter.type === "shutdown_request") return await answerShutdown(tools, letter);
    if (letter.id === messageIds.kickOff) await tellFindings(tools, letter);
    return "read-on";
  },
});

async function tellFindings(tools: AgentTools, letter: Letter): Promise<void> {
  const findings = lookThrough(tools.order.repository);
  const draft = {
    id: messageIds.findings,
    type: "scout_findings",
    task: plan.taxTask,
    timestamp: letter.recordedAt,
    payload: {
      domain: "quality",
      documents: [{ name: "QUALITY.md", content: findings.map((finding) => `- ${finding}`).join("\n") }],
      cross_cutting: [],
    },
    gist: findings.join("; "),
  };
  await tools.send(draft);
  // As a sender does whose answer never came: the same message under the same id.
  await tools.send({ ...draft, gist: "the same once more, as if the answer had been lost" });
}

/** What a look at the files says. */
function lookThrough(directory: string): readonly string[] {
  const names = readdirSync(directory);
  const money = readFileSync(join(directory, plan.forgottenPath), "utf8");
  return [
    names.includes("test") ? "there are tests" : "nothing is tested",
    "no price carries tax",
    money.includes("toFixed") ? "money has its cents" : "12.50 is shown as 12.5",
  ];
}
