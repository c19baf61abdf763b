/**
 * Those who lead and prepare the work: the lead starts and ends the phase and answers what needs an answer, the scout
 * looks through the repository, and the architect turns its findings into a document, a list of tasks and a contract.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonList, isJsonObject, type JsonObject } from "../../src/base/json.ts";
import { batonName } from "../../src/messages/principal.ts";
import { cast, castMembers, farewellId, messageIds, plan, planDocument, plannedTasks } from "../story/story.ts";
import { type Letter, textOf, textsOf } from "./agent-door.ts";
import { type AgentTools, answerShutdown, type MakeRole, payloadOf, planningOf, type Then } from "./agent-tools.ts";

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

/*
 * The lead: starts the phase, answers what needs an answer, finds somebody else for the work of an agent that Baton
 * found silent, and ends the phase when the verdict is good and the board says that git confirms every task.
 */

export const leadRole: MakeRole = (tools) => {
  const waitingFor = new Set(castMembers.map(({ agent }) => agent).filter((agent) => agent !== tools.member.agent));
  let isStopping = false;
  return {
    begin: async () => {
      const text = "Phase 1: prices need tax, and money its cents. Please look at what we have before we plan.";
      await tools.say({ id: messageIds.kickOff, text, to: [cast.scout.agent] });
    },
    react: async (letter): Promise<Then> => {
      if (letter.sender === batonName && letter.type === null) await handOn(tools, letter);
      if (letter.type === "approval_request") await grant(tools, letter);
      if (letter.type === "qa_verdict" && payloadOf(letter).result === "PASS") {
        await sumUp(tools);
        await stopTeam(tools, letter);
        isStopping = true;
      }
      if (isStopping && (letter.type === "shutdown_response" || letter.type === null)) waitingFor.delete(letter.sender);
      return waitingFor.size === 0 ? "leave" : "read-on";
    },
  };
};

/** Says yes for the one file that the plan forgot, and issues the contract again with it. */
async function grant(tools: AgentTools, letter: Letter): Promise<void> {
  await tools.send({
    id: messageIds.answer,
    type: "approval_response",
    task: plan.moneyTask,
    timestamp: letter.recordedAt,
    payload: {
      request_id: letter.id ?? "",
      approved: true,
      reason: "The plan forgot where money is shown",
      modifications: [plan.forgottenPath],
    },
    gist: `yes, for ${plan.forgottenPath}`,
  });
  const terms = await planningOf(tools.door).contract(plan.planId);
  if (terms === null) throw new Error(`the hub shows no contract of plan ${plan.planId}`);
  await tools.send({
    id: messageIds.widerContract,
    type: "plan_contract",
    task: plan.moneyTask,
    timestamp: letter.recordedAt,
    payload: {
      plan_id: plan.planId,
      phase_id: textOf(terms.phaseId) ?? plan.phaseId,
      objective: textOf(terms.objective) ?? plan.objective,
      tasks: textsOf(terms.tasks),
      allowed_paths: [...textsOf(terms.allowedPaths), plan.forgottenPath],
      must_haves: textsOf(terms.mustHaves),
      verification_checks: textsOf(terms.verificationChecks),
    },
    gist: `revision 2 lets in ${plan.forgottenPath} too, as approved`,
  });
}

/** Baton's word that an agent has disappeared: what it held is free, so somebody else is asked to do it. */
async function handOn(tools: AgentTools, letter: Letter): Promise<void> {
  const words = textOf(letter.message) ?? "";
  tools.report({ step: "told", seq: letter.seq, words });
  if (!words.includes(plan.readmeTask)) return;
  const text = `${cast.thirdDev.agent} is silent, so ${plan.readmeTask} is free again. Please take it over.`;
  await tools.say({ id: messageIds.handOn, text, to: [cast.secondDev.agent] });
}

/** Waits until every task is proven, then asks what became of the plan. What is missing the check at the end tells. */
async function sumUp(tools: AgentTools): Promise<void> {
  const tasks = plannedTasks.map(({ task }) => task);
  await tools.boardWhen(tasks, ({ state }) => state === "verified" || state === "complete");
  const summed = await planningOf(tools.door).summary(plan.planId);
  if (summed !== null) tools.report({ step: "summed", plan: summed });
}

async function stopTeam(tools: AgentTools, letter: Letter): Promise<void> {
  const text = "The phase is complete; the others are stopping. Please end too.";
  await tools.say({ id: messageIds.closing, text, to: [cast.architect.agent] });
  await tools.send({
    id: messageIds.shutdown,
    type: "shutdown_request",
    task: "",
    timestamp: letter.recordedAt,
    payload: { reason: "phase_complete", team_name: tools.order.team },
    gist: "the phase is complete, please stop",
  });
}
