/**
 * The lead: starts the phase, answers what needs an answer, finds somebody else for the work of an agent that Baton
 * found silent, and ends the phase when the verdict is good and the board says that git confirms every task.
 */
import { batonName } from "../../src/message/principal.ts";
import { type Desk, planningOf } from "../desk.ts";
import { type Letter, textOf, textsOf } from "../doors/agent-door.ts";
import { cast, castMembers, messageIds, plan, plannedTasks } from "../story.ts";
import { type MakeRole, payloadOf, type Then } from "./role.ts";

export const leadRole: MakeRole = (desk) => {
  const waitingFor = new Set(castMembers.map(({ agent }) => agent).filter((agent) => agent !== desk.member.agent));
  let isStopping = false;
  return {
    begin: async () => {
      const text = "Phase 1: prices need tax, and money its cents. Please look at what we have before we plan.";
      await desk.say({ id: messageIds.kickOff, text, to: [cast.scout.agent] });
    },
    react: async (letter): Promise<Then> => {
      if (letter.sender === batonName && letter.type === null) await handOn(desk, letter);
      if (letter.type === "approval_request") await grant(desk, letter);
      if (letter.type === "qa_verdict" && payloadOf(letter).result === "PASS") {
        await sumUp(desk);
        await stopTeam(desk, letter);
        isStopping = true;
      }
      if (isStopping && (letter.type === "shutdown_response" || letter.type === null)) waitingFor.delete(letter.sender);
      return waitingFor.size === 0 ? "leave" : "read-on";
    },
  };
};

/** Says yes for the one file that the plan forgot, and issues the contract again with it. */
async function grant(desk: Desk, letter: Letter): Promise<void> {
  await desk.send({
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
  const terms = await planningOf(desk.door).contract(plan.planId);
  if (terms === null) throw new Error(`the hub shows no contract of plan ${plan.planId}`);
  await desk.send({
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
async function handOn(desk: Desk, letter: Letter): Promise<void> {
  const words = textOf(letter.message) ?? "";
  desk.report({ step: "told", seq: letter.seq, words });
  if (!words.includes(plan.readmeTask)) return;
  const text = `${cast.thirdDev.agent} is silent, so ${plan.readmeTask} is free again. Please take it over.`;
  await desk.say({ id: messageIds.handOn, text, to: [cast.secondDev.agent] });
}

/** Waits until every task is proven, then asks what became of the plan. What is missing the check at the end tells. */
async function sumUp(desk: Desk): Promise<void> {
  const tasks = plannedTasks.map(({ task }) => task);
  await desk.boardWhen(tasks, ({ state }) => state === "verified" || state === "complete");
  const summed = await planningOf(desk.door).summary(plan.planId);
  if (summed !== null) desk.report({ step: "summed", plan: summed });
}

async function stopTeam(desk: Desk, letter: Letter): Promise<void> {
  const text = "The phase is complete; the others are stopping. Please end too.";
  await desk.say({ id: messageIds.closing, text, to: [cast.architect.agent] });
  await desk.send({
    id: messageIds.shutdown,
    type: "shutdown_request",
    task: "",
    timestamp: letter.recordedAt,
    payload: { reason: "phase_complete", team_name: desk.order.team },
    gist: "the phase is complete, please stop",
  });
}
