/**
 * The phase after the one that is checked: it has begun and is left open, so that every view of the page holds something
 * and a person has something to decide. A task is verified and handed over, a report is a lie that nobody has repaired, one
 * agent is blocked and its question has come to the person, a claim was refused for a file of another, one agent is silent.
 */
import { systemClock } from "../src/base/clock.ts";
import type { JsonObject } from "../src/base/json.ts";
import type { Reply } from "../src/perform/operations/reply.ts";
import type { Team } from "../src/perform/team.ts";
import type { Answer, ClaimAnswer } from "./agents/agent-door.ts";
import type { Step } from "./agents/agent-process.ts";
import type { Draft } from "./agents/agent-tools.ts";
import type { Stage } from "./stage.ts";
import type { Tempo } from "./story/programs.ts";
import { type CastMember, cast } from "./story/story.ts";

/** The plan that is worked on when the demo ends. */
export const nextPlan = {
  planId: "2-1",
  objective: "A receipt shows the total with tax",
  receiptTask: "2-1-T1",
  /** Reported with a commit that is not its work. */
  discountTask: "2-1-T2",
  /** Its agent falls silent. */
  monthTask: "2-1-T3",
  /** Its agent is blocked. */
  currencyTask: "2-1-T4",
  /** A claim of it meets a file of another. */
  guideTask: "2-1-T5",
  tokenBudget: 20_000,
} as const;

const { planId, receiptTask, discountTask, monthTask, currencyTask, guideTask } = nextPlan;

/** What the contract says of each task: its title and files, and what it waits for. */
const details = {
  [receiptTask]: { title: "A receipt lists every item", files: ["src/receipt.js", "test/receipt.test.js"] },
  [discountTask]: { title: "Ten of one kind cost nine", files: ["src/discount.js"], depends_on: [receiptTask] },
  [monthTask]: { title: "A month adds up its receipts", files: ["src/month.js"] },
  [currencyTask]: { title: "Prices in other currencies", files: ["src/currency/"] },
  [guideTask]: {
    title: "A guide for the cashier",
    files: ["docs/", "src/currency/rates.js"],
    depends_on: [receiptTask],
  },
};

const receiptFiles = {
  "src/receipt.js": `import { shown } from "./money.js";

/** A line for each item of a basket. */
export function receipt(items) {
  return items.map(({ name, cents, count }) => \`\${count} x \${name}  \${shown(cents * count)}\`);
}
`,
  "test/receipt.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { receipt } from "../src/receipt.js";

test("a receipt lists every item", () => {
  assert.deepEqual(receipt([{ name: "tea", cents: 250, count: 2 }]), ["2 x tea  5.00"]);
});
`,
};

/** Plays it; `onStep` hears each step. What went otherwise than it should, in a sentence; null: nothing did. */
export async function playNextPhase(
  stage: Stage,
  { tempo, onStep }: { readonly tempo: Tempo; onStep(step: Step): void },
): Promise<string | null> {
  try {
    await perform(stage, Math.round(tempo.paceMs / 4), onStep);
    return null;
  } catch (problem) {
    return `the next phase did not begin as it should: ${problem instanceof Error ? problem.message : String(problem)}`;
  }
}

async function perform(stage: Stage, paceMs: number, onStep: (step: Step) => void): Promise<void> {
  await stage.callBack();
  const as = (member: CastMember) => stage.seat(member, { paceMs, stays: member === cast.thirdDev }, onStep);
  const [lead, architect, dev] = [await as(cast.lead), await as(cast.architect), await as(cast.dev)];
  const [rival, silent] = [await as(cast.secondDev), await as(cast.thirdDev)];
  accepted(await lead.team.endPhase({}));
  accepted(await lead.tools.send(contract()));
  // From here on it says nothing; finding that out takes as long as the rest.
  await silent.team.attend();
  granted(await silent.tools.claim(monthTask, `claim-${monthTask}`));

  granted(await dev.tools.claim(receiptTask, `claim-${receiptTask}`));
  const files = Object.keys(receiptFiles);
  const commit = await dev.tools.commit({ subject: titleOf(receiptTask), files: receiptFiles, occasion: receiptTask });
  const { hash, at } = commit;
  accepted(await dev.tools.send(update(receiptTask, at, { commit: hash, files_modified: files, tokens_used: 9_400 })));
  await dev.tools.boardWhen([receiptTask], ({ state }) => state !== "reported");

  accepted(await dev.team.send(JSON.stringify(handoff("receipt-1", cast.dev, cast.secondDev, at))));
  await takeOver(rival.team, "receipt-1");
  accepted(await rival.team.send(JSON.stringify(handoff("receipt-2", cast.secondDev, cast.qa, at))));
  granted(await rival.tools.claim(discountTask, `claim-${discountTask}`));
  granted(await dev.tools.claim(currencyTask, `claim-${currencyTask}`));
  // The lie: the receipt's commit, and nothing of the discount.
  const lie = { commit: hash, files_modified: [...details[discountTask].files], tokens_used: 8_100 };
  accepted(await rival.tools.send(update(discountTask, at, lie)));
  await rival.tools.claim(guideTask, `claim-${guideTask}`);
  accepted(await rival.tools.send(request(at)));
  accepted(await dev.tools.send(blocker(at)));
  for (const { team } of [lead, architect]) await passOn(team);
  await lead.tools.boardWhen([discountTask], ({ state }) => state === "disputed");
  await lead.tools.boardWhen([monthTask], ({ state }) => state === "available");
  await Promise.all([lead, architect, dev, rival, silent].map(({ team }) => team[Symbol.asyncDispose]()));
}

/** Accepts a handoff whose files are as they were handed over. */
async function takeOver(team: Team, id: string): Promise<void> {
  const found = await team.handoff({ handoff: id });
  if (!found.ok) throw new Error(found.error.message);
  const { digest } = found.value.handoff;
  const verified = { digest, files: Object.keys(receiptFiles).length, weak: 0, failed: [] };
  accepted((await team.acceptHandoff({ handoff: id, verified })).reply);
}

/** Passes the escalation that waits to the next level. */
async function passOn(team: Team): Promise<void> {
  const waiting = await team.escalations({});
  const open = waiting.ok ? waiting.value.find(({ standing }) => standing === "open") : undefined;
  if (open === undefined) throw new Error("no escalation waits");
  accepted(
    await team.raise({
      escalation: open.id,
      evidence: ["This is a question of money, which the team cannot decide"],
      options: ["The central bank's rates: free, a day old", "A paid service: by the minute"],
      recommendation: "The central bank's rates are enough for a shop",
    }),
  );
}

/* What they say. Times are those of a commit, so that a repeat would be the same message. */

function contract(): Draft {
  return {
    id: `contract-${planId}`,
    type: "plan_contract",
    phase: 2,
    task: receiptTask,
    timestamp: new Date(systemClock.now()).toISOString(),
    payload: {
      plan_id: planId,
      phase_id: "phase-2",
      objective: nextPlan.objective,
      tasks: Object.keys(details),
      allowed_paths: ["src/receipt.js", "src/discount.js", "src/month.js", "src/currency/", "test/", "docs/"],
      must_haves: ["A receipt lists every item", "A guide for the cashier"],
      verification_checks: ["node --test"],
      token_budget: nextPlan.tokenBudget,
      task_details: details,
    },
    gist: `${Object.keys(details).length} tasks, which wait for each other; ${nextPlan.tokenBudget} tokens`,
  };
}

function update(task: keyof typeof details, timestamp: string, work: JsonObject): Draft {
  return {
    id: `update-${task}`,
    type: "execution_update",
    phase: 2,
    task,
    timestamp,
    payload: { plan_id: planId, task_id: task, status: "complete", evidence: `${titleOf(task)}: its test`, ...work },
    gist: `${task} is done`,
  };
}

function request(timestamp: string): Draft {
  const evidence = "The contract leaves assets/ out, and a guide without pictures helps nobody.";
  return {
    id: `ask-${guideTask}`,
    type: "approval_request",
    phase: 2,
    task: guideTask,
    timestamp,
    payload: { subject: "The guide needs pictures: assets/", request_type: "scope_change", evidence },
    gist: "may the guide have pictures?",
  };
}

function blocker(timestamp: string): Draft {
  return {
    id: `blocked-${currencyTask}`,
    type: "blocker_report",
    phase: 2,
    task: currencyTask,
    timestamp,
    payload: {
      plan_id: planId,
      task_id: currencyTask,
      blocker: "Nobody has said where the exchange rates come from",
      needs: "One source of rates that the shop may use",
      attempted: ["The rates of the central bank, which change once a day"],
      severity: "blocking",
    },
    gist: "nobody has said where the rates come from",
  };
}

/** A document of bmad/1 about the receipt. */
function handoff(id: string, from: CastMember, to: CastMember, timestamp: string): JsonObject {
  return {
    handoff: {
      metadata: {
        id,
        source_agent: from.agent,
        target_agent: to.agent,
        timestamp,
        workflow_id: "receipt",
        task_id: receiptTask,
      },
      context: {
        key_decisions: [
          { decision: "A line an item", rationale: "The printer is narrow", impact: "A discount needs its own line" },
        ],
      },
      instructions: { primary: "Build the discount on the receipt", success_criteria: ["node --test passes"] },
      dependencies: { required_files: Object.keys(receiptFiles) },
      validation: { source_status: { overall_status: "complete", pending_tasks: [] } },
    },
  };
}

function titleOf(task: keyof typeof details): string {
  return details[task].title;
}

function accepted(answer: Answer | Reply): void {
  if (answer.outcome === "accepted") return;
  const { outcome, ...rest } = answer;
  throw new Error(`${outcome}: ${JSON.stringify("problems" in rest ? rest.problems : rest)}`);
}

function granted(answer: ClaimAnswer): void {
  if (answer.outcome !== "granted") throw new Error(JSON.stringify(answer));
}
