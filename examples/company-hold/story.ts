/**
 * A phase that a failed security audit holds: no later audit, no lead, no agent of the owner passes it. The person who owns
 * the team lifts it, with the reason, and the phase ships.
 */
import {
  audit,
  build,
  codeVerdict,
  companyTeam,
  type DepartmentOfStory,
  departmentResult,
  open,
  pass,
  plan,
  prepare,
  review,
  signoff,
  verdict,
} from "../company.ts";
import { runStory, type Story, same } from "../stage.ts";

const front: DepartmentOfStory = { department: "frontend", plan: "01-01", file: "src/page.js" };
const back: DepartmentOfStory = { department: "backend", plan: "01-02", file: "src/codes.js" };
const order = ["frontend", "backend"] as const;

export const story: Story = {
  name: "company-hold",
  team: companyTeam,
  async tell(stage) {
    stage.step("Two departments do their work");
    await open(stage, order);
    for (const each of [front, back]) {
      await plan(stage, each);
      await prepare(stage, each);
      await build(stage, each, `// ${each.plan}\n`);
      await stage.say(`${each.department}-senior`, review(each.plan, 1, "approve"));
    }
    await pass(stage, front);
    await stage.say("frontend-lead", departmentResult(front));

    stage.step("The security audit of backend fails");
    await stage.say("backend-qa-lead", verdict("PASS"));
    await stage.say("backend-qa-code", codeVerdict());
    const noted = await stage.say("security-1", audit("FAIL", 2, 1), ["backend-lead"]);
    same("it is a hard stop", noted.includes("security-stop"), true);
    same("backend stands still", (await stage.part("01", "backend")).standing, "stopped");
    same("frontend does not", (await stage.part("01", "frontend")).standing, "running");

    stage.step("Nobody but the person passes it");
    await stage.say("security-1", audit("PASS"), ["backend-lead"]);
    same("a later audit changes nothing", (await stage.part("01", "backend")).standing, "stopped");
    const lead = await stage.as("backend-lead");
    await stage.denied(lead.skipStep({ step: "security", reason: "we are late" }), "human-required");
    await stage.denied(lead.liftStop({ reason: "it is fine" }), "human-required");
    const chief = await stage.as("chief");
    await stage.denied(chief.liftStop({ reason: "it is fine" }), "human-required");
    const told = await stage.say("backend-lead", departmentResult(back));
    same("the lead's word differs from the audit", told.includes("result-differs"), true);
    const missing = await stage.refused("chief", signoff("SHIP", order), "not-ready");
    same("only that is missing", missing.length, 1);
    await stage.say("chief", signoff("HOLD", []));
    same("the owner holds frontend too", (await stage.part("01", "frontend")).standing, "held");

    stage.step("The person lifts it, with the reason, and the phase ships");
    const owner = await stage.as("owner");
    await stage.denied(owner.liftStop({ reason: " " }), "missing-field");
    await stage.done(owner.liftStop({ reason: "The key was rotated and is worthless" }));
    same("nothing is missing", (await stage.phase("01")).missing, []);
    await stage.say("chief", signoff("SHIP", order));
    const standings = (await stage.phase("01")).departments.map(({ standing }) => standing);
    same("shipped", standings, ["shipped", "shipped"]);
    const found = [];
    for await (const line of owner.log({ kinds: ["command"] })) if (line.ok) found.push(line.value.summary);
    same(
      "the reason is on the record",
      found.some((line) => line.includes("The key was rotated")),
      true,
    );
  },
};

if (import.meta.main) await runStory(story);
