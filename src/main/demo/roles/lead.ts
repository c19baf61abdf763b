/** The lead: starts the phase, answers what needs an answer, and ends the phase when the verdict is good. */
import { type Letter, textOf, textsOf } from "../agent-door.ts";
import { cast, castMembers } from "../cast.ts";
import type { Desk } from "../desk.ts";
import { messageIds, plan } from "../story.ts";
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
      if (letter.type === "approval_request") await grant(desk, letter);
      if (letter.type === "qa_verdict" && payloadOf(letter).result === "PASS") {
        await stopTeam(desk, letter);
        isStopping = true;
      }
      if (isStopping && (letter.type === "shutdown_response" || letter.type === null)) waitingFor.delete(letter.sender);
      return waitingFor.size === 0 ? "leave" : "read-on";
    },
  };
};

/** Says yes for the one file that the plan forgot, and issues the contract anew with it. */
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
  const terms = await desk.door.contract(plan.planId);
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

async function stopTeam(desk: Desk, letter: Letter): Promise<void> {
  await desk.send({
    id: messageIds.shutdown,
    type: "shutdown_request",
    task: "",
    timestamp: letter.recordedAt,
    payload: { reason: "phase_complete", team_name: desk.order.team },
    gist: "the phase is complete, please stop",
  });
}
