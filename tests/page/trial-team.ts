/**
 * A team in the middle of its work, with something that needs a person of each kind: a task is verified, a report is a lie,
 * an agent is blocked and its question has come to the person, a request waits, a claim was refused for a file of another,
 * and an agent is silent.
 */
import { openStage, type Stage, teamFile, type Wire } from "../../examples/stage.ts";

const receiptTask = "2-1-T1";
/** Reported with a commit that is not its work. */
const discountTask = "2-1-T2";
/** Its agent falls silent. */
const monthTask = "2-1-T3";
/** Its agent is blocked. */
const currencyTask = "2-1-T4";
/** A claim of it meets a file of another. */
const guideTask = "2-1-T5";
const files = {
  "src/receipt.js": "export const receipt = (items) => items.map(({ name }) => name);\n",
  "test/receipt.test.js": 'import "../src/receipt.js";\n',
};

/** Tells it into the folder, which becomes a repository with the team `shop`. */
export async function tellTrial(folder: string): Promise<void> {
  const agents = teamFile(
    "shop",
    ["vbw/2"],
    [
      ["lead-1", "lead"],
      ["dev-1", "dev"],
      ["dev-2", "dev"],
      ["dev-3", "dev"],
    ],
  );
  const { stage, close } = openStage(folder, `${agents}limits:\n  disappear_seconds: 1\n`, () => undefined);
  stage.commit("owner", { "README.md": "# Shop\n" }, "The shop as it is");
  await plan(stage);
  await fallSilent(stage);
  await work(stage);
  await ask(stage);
  await close();
}

async function plan(stage: Stage): Promise<void> {
  const details = {
    [receiptTask]: { title: "A receipt lists every item", files: Object.keys(files) },
    [discountTask]: { title: "Ten of one kind cost nine", files: ["src/discount.js"] },
    [monthTask]: { title: "A month adds up its receipts", files: ["src/month.js"] },
    [currencyTask]: { title: "Prices in other currencies", files: ["src/currency/"] },
    [guideTask]: { title: "A guide for the cashier", files: ["docs/", "src/currency/rates.js"] },
  };
  const terms = { objective: "A receipt shows the total with tax", tasks: Object.keys(details), task_details: details };
  const paths = { allowed_paths: ["src/", "test/", "docs/"], must_haves: ["A receipt lists every item"] };
  const contract = { plan_id: "2-1", phase_id: "phase-2", ...terms, ...paths };
  await stage.say("lead-1", wire("plan_contract", "lead", receiptTask, contract));
}

/** From its claim on it says nothing, as a hub notices when it is late. */
async function fallSilent(stage: Stage): Promise<void> {
  const silent = await stage.program("dev-3");
  await silent.attend();
  await stage.done(claim(silent, monthTask));
}

async function work(stage: Stage): Promise<void> {
  const [dev, rival] = [await stage.as("dev-1"), await stage.as("dev-2")];
  await stage.done(claim(dev, receiptTask));
  const commit = stage.commit("dev-1", files, "A receipt lists every item");
  await report(stage, "dev-1", receiptTask, commit, Object.keys(files));
  await stage.done(claim(rival, discountTask));
  await stage.done(claim(dev, currencyTask));
  // The lie: the receipt's commit, and nothing of the discount.
  await report(stage, "dev-2", discountTask, commit, ["src/discount.js"]);
  await stage.denied(claim(rival, guideTask), "claim-overlap");
}

async function ask(stage: Stage): Promise<void> {
  const evidence = "The contract leaves assets/ out, and a guide without pictures helps nobody.";
  const request = { subject: "The guide needs pictures: assets/", request_type: "scope_change", evidence };
  await stage.say("dev-2", wire("approval_request", "dev", guideTask, request));
  const blocker = "Nobody has said where the exchange rates come from";
  const needs = "One source of rates that the shop may use";
  const blocked = { plan_id: "2-1", task_id: currencyTask, blocker, needs, severity: "blocking" };
  await stage.say("dev-1", wire("blocker_report", "dev", currencyTask, blocked));
  const lead = await stage.as("lead-1");
  const options = ["The central bank's rates: free, a day old", "A paid service: by the minute"];
  await stage.done(lead.raise({ escalation: `ESC-${currencyTask}`, options, recommendation: options[0] ?? "" }));
}

async function claim(team: Awaited<ReturnType<Stage["as"]>>, task: string) {
  return await team.claim({ task });
}

async function report(
  stage: Stage,
  agent: string,
  task: string,
  commit: string,
  changed: readonly string[],
): Promise<void> {
  const body = { plan_id: "2-1", task_id: task, status: "complete", commit, files_modified: changed };
  await stage.say(agent, wire("execution_update", "dev", task, { ...body, evidence: "A receipt lists every item" }));
}

function wire(type: string, role: string, task: string, payload: Wire): Wire {
  const head = { id: `${type}-${task}`, type, phase: 2, task, author_role: role, timestamp: new Date().toISOString() };
  return { ...head, schema_version: "2.0", confidence: "high", payload };
}
