/**
 * A phase of a company: the owner dispatches three departments, UX first; frontend and backend disagree about an
 * endpoint until the owner decides; a review needs two rounds; a verification fails and is corrected; security warns;
 * the owner ships, once everything is complete.
 */
import {
  audit,
  codeVerdict,
  companyTeam,
  departmentResult,
  design,
  handoff,
  open,
  pass,
  plan,
  prepare,
  report,
  review,
  signoff,
  testPlan,
  verdict,
} from "../company.ts";
import { back, buildWithProblem, finishDesign, front, progress, ux } from "../sign-in.ts";
import { mustBe, runStory, type Stage, type Story, same } from "../stage.ts";
import { breakerOpens } from "./breaker.ts";
import { wholeVocabulary } from "./vocabulary.ts";

const order = ["uiux", "frontend", "backend"] as const;

export const story: Story = {
  name: "company-phase",
  team: companyTeam,
  async tell(stage) {
    await begin(stage);
    await designFirst(stage);
    await endpoints(stage);
    await frontend(stage);
    await backend(stage);
    await ship(stage);
    await shutDown(stage);
    await breakerOpens(stage);
    await wholeVocabulary(stage);
  },
};

async function begin(stage: Stage): Promise<void> {
  stage.step("The critic, the owner, the scout and the architect begin the phase");
  await open(stage, order);
  await design(stage);
  for (const department of [ux, front, back]) await plan(stage, department);
  const view = await stage.phase("01");
  same("departments start in waves", view.waves, [["uiux"], ["frontend", "backend"]]);
  same("frontend waits for the design", (await stage.part("01", "frontend")).standing, "waiting");
}

async function designFirst(stage: Stage): Promise<void> {
  stage.step("UX goes through its steps and hands the design over");
  await finishDesign(stage);
  const part = await stage.part("01", "uiux");
  same("every step of UX but the owner's", openSteps(part), ["signoff"]);
  await stage.say("uiux-lead", handoff());
  same("frontend may begin", (await stage.part("01", "frontend")).standing, "running");
}

async function endpoints(stage: Stage): Promise<void> {
  stage.step("Frontend and backend do not agree on an endpoint, and the owner decides");
  const propose = (from: "frontend" | "backend", response: object, status = "proposed") => ({
    type: "api_contract",
    direction: from === "frontend" ? "frontend_to_backend" : "backend_to_frontend",
    endpoints: [{ method: "POST", path: "/codes", request: { email: "string" }, response }],
    status,
  });
  await stage.say("frontend-lead", propose("frontend", { sent: "boolean" }));
  await stage.say("backend-lead", propose("backend", { id: "string" }));
  await stage.say("frontend-lead", propose("frontend", { sent: "boolean", id: "string" }));
  const noted = await stage.say("backend-lead", propose("backend", { id: "string", expiresAt: "string" }));
  same("the third counter-proposal goes up", noted.includes("escalated"), true);
  const disputed = await stage.phase("01");
  same("the endpoints are disputed", disputed.api?.standing, "disputed");
  stage.tell(`changed: ${disputed.api?.steps.at(-1)?.differences.join("; ")}`);
  const chief = await stage.as("chief");
  const mail = await chief.inbox();
  same(
    "the owner is told",
    mail.ok && mail.value.deliveries.some(({ message }) => JSON.stringify(message).includes("ESC-01-1")),
    true,
  );
  const [escalation] = mustBe(await chief.escalations());
  same("it waits at the owner", escalation?.level, "owner");
  const notYet = await stage.part("01", "backend");
  same("an open escalation holds implementation", missing(notYet, "implementation").includes("no-escalation"), true);
  await stage.done(
    chief.resolve({ escalation: escalation?.id ?? "", decision: "Backend's endpoints, with expiresAt" }),
  );
  await stage.say("frontend-lead", propose("frontend", { id: "string", expiresAt: "string" }, "agreed"));
  await stage.say("backend-lead", propose("backend", { id: "string", expiresAt: "string" }, "implemented"));
  same("the endpoints are built", (await stage.phase("01")).api?.standing, "implemented");
}

async function frontend(stage: Stage): Promise<void> {
  stage.step("Frontend's review needs two rounds");
  await stage.say("frontend-senior", { type: "senior_spec", plan_id: front.plan, tasks_enriched: 1, committed: true });
  const early = await stage.say("frontend-tester", testPlan(front.plan, false));
  same("tests that pass before the code are handed up", early.includes("escalated"), true);
  const senior = await stage.as("frontend-senior");
  same("to the senior", mustBe(await senior.escalations())[0]?.level, "senior");
  const settled = await stage.say("frontend-tester", testPlan(front.plan, true));
  same("tests that fail as they should settle it", settled.includes("escalation-settled"), true);
  same("nothing waits for the senior", mustBe(await senior.escalations()).length, 0);
  await buildWithProblem(stage);
  const asked = (await stage.part("01", "frontend")).plans[0];
  same(
    "the place holds up approval",
    asked?.mustFix.map(({ at, state }) => [at, state]),
    [[`${front.file}:1`, "open"]],
  );
  const fix = await report(stage, front, "export const page = () => fetch('/codes').then(orThrow);\n");
  const fixed = (await stage.part("01", "frontend")).plans[0];
  same(
    "and is answered by a commit",
    fixed?.mustFix.map(({ state, commit }) => [state, commit]),
    [["reported", fix]],
  );
  await stage.say("frontend-senior", review(front.plan, 2, "approve"));
  const approved = (await stage.part("01", "frontend")).plans[0];
  same("approved in the second round", [approved?.reviewCycle, approved?.review], [2, "approved"]);
  await pass(stage, front);
}

async function backend(stage: Stage): Promise<void> {
  stage.step("Backend is held up, goes on, fails its verification and puts it right");
  await prepare(stage, back);
  await stage.say("backend-dev", {
    type: "task_claim",
    task_id: "T1",
    plan_id: back.plan,
    files: [back.file],
    claimed_at: new Date().toISOString(),
  });
  await stage.say("backend-dev", {
    type: "dev_blocker",
    task: `${back.plan}/T1`,
    plan_id: back.plan,
    blocker: "Nobody says where codes are kept",
    needs: "A decision",
    attempted: ["Read the architecture"],
  });
  await stage.say("backend-senior", {
    type: "escalation",
    from: "senior",
    to: "lead",
    issue: "The architecture does not say where codes are kept",
    evidence: ["architecture.toon"],
    recommendation: "Keep them in the database",
    severity: "blocking",
  });
  await stage.say("backend-lead", {
    type: "escalation_resolution",
    original_escalation: `ESC-${back.plan}-T1`,
    decision: "Keep them in the database",
    rationale: "They outlive a restart",
    action_items: ["Use the table codes"],
    resolved_by: "lead",
  });
  await report(stage, back, "export const codes = [];\n");
  await stage.say("backend-senior", review(back.plan, 1, "approve"));
  const noted = await stage.say("backend-qa-lead", verdict("FAIL", 1));
  same("remediation begins", noted.includes("remediation"), true);
  await stage.say(
    "debugger-1",
    {
      type: "debugger_report",
      hypothesis: "A used code is accepted again",
      evidence_for: ["Two sign-ins with one code"],
      evidence_against: [],
      confidence: "high",
      recommended_fix: "Mark it as used when it is read",
      artifact: "phases/01-sign-in/debug-report.jsonl",
    },
    ["backend-lead"],
  );
  await report(stage, back, "export const codes = new Map();\n");
  await stage.say("backend-qa-lead", verdict("PASS"));
  await stage.say("backend-qa-code", codeVerdict());
  await stage.say("security-1", audit("WARN", 1), ["backend-lead"]);
  const told = await stage.say("backend-lead", progress(back, "signoff"), ["go"]);
  same("what the lead tells is what is computed", told.includes("progress-differs"), false);
}

async function ship(stage: Stage): Promise<void> {
  stage.step("The owner ships, and not before everything stands");
  const early = await stage.refused("chief", signoff("SHIP", order), "not-ready");
  same("what is missing", early.length, 2);
  await stage.say("chief", signoff("HOLD", []));
  const lie = await stage.say("frontend-lead", { ...departmentResult(front), plans_total: 3, plans_completed: 3 });
  same("a result that differs is told", lie.includes("result-differs"), true);
  await stage.say("frontend-lead", departmentResult(front));
  await stage.say("backend-lead", departmentResult(back, "WARN"));
  await stage.refused("chief", signoff("SHIP", ["uiux", "backend"]), "not-ready");
  await stage.refused("chief", signoff("SHIP", order, "FAIL"), "not-ready");
  const found = await (await stage.as("owner")).verify({ directory: stage.directory, environment: variables() });
  same("the repository bears the work out", found.ok && found.value.map(({ state }) => state), [
    "complete",
    "complete",
    "complete",
  ]);
  const fixed = (await stage.part("01", "frontend")).plans[0];
  same(
    "the commit changes the line that held up approval",
    fixed?.mustFix.map(({ state }) => state),
    ["touched"],
  );
  same("nothing is missing", (await stage.phase("01")).missing, []);
  await stage.say("chief", signoff("SHIP", order));
  const view = await stage.phase("01");
  same(
    "shipped",
    view.departments.map(({ standing }) => standing),
    ["shipped", "shipped", "shipped"],
  );
  same("all of it", [view.percentComplete, view.departments.flatMap(openSteps)], [100, []]);
}

async function shutDown(stage: Stage): Promise<void> {
  stage.step("The agents of backend stop");
  const asked = ["backend-dev", "backend-senior"];
  await stage.say("backend-lead", { type: "shutdown_request", reason: "phase_complete", deadline_seconds: 30 }, asked);
  for (const agent of asked) {
    await stage.say(agent, { type: "shutdown_response", status: "clean", pending_work: [], artifacts_committed: true });
  }
}

/** The variables of this process; git needs some of them. */
function variables(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

type Part = Awaited<ReturnType<Stage["part"]>>;

function openSteps(part: Part): readonly string[] {
  return part.steps.filter(({ state }) => state === "pending" || state === "running").map(({ step }) => step);
}

function missing(part: Part, step: string): readonly string[] {
  const found = part.steps.find((each) => each.step === step);
  return (found?.exit ?? []).filter(({ met }) => !met).map(({ condition }) => condition);
}

if (import.meta.main) await runStory(story);
