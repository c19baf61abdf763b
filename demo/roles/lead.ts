/**
 * The lead: starts the phase, answers what needs an answer, finds somebody else for the work of an agent that Baton
 * found silent, and ends the phase when the verdict is good and the board says that git confirms every task.
 */
import { batonName } from "../../src/message/principal.ts";
import { type AgentTools, type MakeRole, payloadOf, planningOf, type Then } from "../agent-tools.ts";
import { type Letter, textOf, textsOf } from "../doors/agent-door.ts";
import { cast, castMembers, messageIds, plan, plannedTasks } from "../story.ts";

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
