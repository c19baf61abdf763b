/**
 * A company in the middle of a phase, for the page: one department is done, one is reviewed in its second round and told
 * otherwise by its lead, one is held by a failed audit; and handoffs of which one was rejected, one taken over, and one
 * found changed. Recorded before the hub starts, by the runtime itself, with a real repository.
 */

import { openStage, type Stage, same, teamFile } from "../../examples/stage.ts";
import {
  audit,
  build,
  codeVerdict,
  companyAgents,
  departmentResult,
  design,
  handoff as designHandoff,
  open,
  plan,
  prepare,
  report,
  review,
  testPlan,
  verdict,
} from "./company-messages.ts";
import { team } from "./hub.ts";
import { back, buildWithProblem, finishDesign, front, progress, ux } from "./sign-in.ts";

/** Rows of an artifact, one object a line. */
const rows = (...all: readonly object[]) => all.map((row) => `${JSON.stringify(row)}\n`).join("");

/** Every file that the messages name, with as much in it as they say: a hub looks for them in the repository. */
const artifacts = Object.fromEntries(
  Object.entries({
    "critique.jsonl": rows({ sev: "critical" }, { sev: "major" }, { sev: "minor" }, { sev: "minor" }),
    "research.jsonl": rows({ finding: "In memory only" }),
    "architecture.toon": "decisions: codes live ten minutes\n",
    "test-plan.jsonl": rows({ task: "T1" }),
    "code-review.jsonl": "",
    "verification.jsonl": rows(...Array.from({ length: 5 }, () => ({ result: "PASS" }))),
    "qa-code.jsonl": rows({ sev: "minor" }),
    "security-audit.jsonl": rows({ sev: "critical" }, { sev: "minor" }),
    "design-tokens.jsonl": rows({ token: "code-field" }),
    "component-specs.jsonl": rows({ component: "CodeField" }),
    "user-flows.jsonl": rows({ flow: "sign-in" }),
  }).map(([name, text]) => [`phases/01-sign-in/${name}`, text]),
);

/** Tells it into the folder, which becomes the company's; the stage stays open for what comes later. */
export async function tellCompany(folder: string): Promise<ReturnType<typeof openStage>> {
  const opened = openStage(folder, teamFile(team, ["yolo/1", "bmad/1"], companyAgents), () => undefined);
  const { stage } = opened;
  await open(stage, ["uiux", "frontend", "backend"]);
  stage.commit("go", artifacts, "What the messages name");
  await design(stage);
  for (const each of [ux, front, back]) await plan(stage, each);
  await designed(stage);
  await reviewed(stage);
  await held(stage);
  await handedOver(stage);
  return opened;
}

async function designed(stage: Stage): Promise<void> {
  await finishDesign(stage);
  await stage.say("uiux-lead", designHandoff());
}

async function reviewed(stage: Stage): Promise<void> {
  const lead = await stage.as("frontend-lead");
  await stage.done(lead.skipStep({ step: "design_review", reason: "The plan says <b>all</b> there is to say" }));
  await stage.say("frontend-tester", testPlan(front.plan, true));
  await buildWithProblem(stage);
  await report(stage, front, "export const page = () => fetch('/codes').then(orThrow);\n");
  await stage.say("frontend-senior", review(front.plan, 2, "changes_requested", 1));
  await stage.say("frontend-qa-lead", verdict("FAIL", 1, "a code <script>is</script> used once"));
  await stage.say("frontend-lead", progress(front, "security"), ["go"]);
}

async function held(stage: Stage): Promise<void> {
  await prepare(stage, back);
  await build(stage, back, "export const codes = new Map();\n");
  await stage.say("backend-senior", review(back.plan, 1, "approve"));
  await stage.say("backend-qa-lead", verdict("PASS"));
  await stage.say("backend-qa-code", codeVerdict());
  await stage.say("security-1", audit("FAIL", 2, 1), ["backend-lead"]);
  same("backend stands still", (await stage.part("01", "backend")).status, "stopped");
}

/** Both leads report, so the phase is ready to ship. */
export async function readyToShip(stage: Stage): Promise<void> {
  for (const each of [front, back]) await stage.say(`${each.department}-lead`, departmentResult(each));
  same("nothing is missing", (await stage.phase("01")).missing, []);
}

/** A handoff document from the senior to the developer of frontend; `more` goes into its instructions. */
export function handoffDocument(id: string, primary: string, more: object = {}): { readonly handoff: object } {
  return {
    handoff: {
      metadata: {
        id,
        source_agent: "frontend-senior",
        target_agent: "frontend-dev",
        timestamp: "2026-02-12T10:00:00Z",
        workflow_id: "sign-in",
        task_id: "01-02/T1",
      },
      context: { key_decisions: [{ decision: "One field", rationale: "Codes are pasted", impact: "No six inputs" }] },
      instructions: { primary, success_criteria: ["A pasted code signs in"], ...more },
      dependencies: { required_files: ["src/page.js"] },
      validation: { source_status: { overall_status: "in-progress", pending_tasks: ["The error state"] } },
    },
  };
}

async function handedOver(stage: Stage): Promise<void> {
  const dev = await stage.as("frontend-dev");
  const verified = async (id: string) => {
    const found = await dev.handoff({ handoff: id });
    if (!found.ok) throw new Error(found.error.message);
    return { digest: found.value.handoff.digest, files: 1, weak: 0, failed: [] };
  };
  await stage.say("frontend-senior", handoffDocument("sign-in-1", "Build the code field"));
  await stage.done(dev.rejectHandoff({ handoff: "sign-in-1", reasons: ["Nothing says what happens to an old code"] }));
  await stage.say("frontend-senior", handoffDocument("sign-in-2", "Build the code field; an old code is refused"));
  await stage.done(dev.acceptHandoff({ handoff: "sign-in-2", verified: await verified("sign-in-2") }));
  await stage.say("frontend-senior", handoffDocument("sign-in-3", "Show why a code was refused"));
  const found = await verified("sign-in-3");
  const failed = [{ path: "src/page.js", state: "changed", reason: null } as const];
  const refused = await dev.acceptHandoff({ handoff: "sign-in-3", verified: { ...found, failed } });
  same("a changed file stands in the way", refused.outcome, "refused");
}
