/** The scout: looks through the repository and tells what it found. Its answer got lost, so it says it twice. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Desk } from "../desk.ts";
import type { Letter } from "../doors/agent-door.ts";
import { messageIds, plan } from "../story.ts";
import { answerShutdown, type MakeRole } from "./role.ts";

export const scoutRole: MakeRole = (desk) => ({
  react: async (letter) => {
    if (letter.type === "shutdown_request") return await answerShutdown(desk, letter);
    if (letter.id === messageIds.kickOff) await tellFindings(desk, letter);
    return "read-on";
  },
});

async function tellFindings(desk: Desk, letter: Letter): Promise<void> {
  const findings = lookThrough(desk.order.repository);
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
  await desk.send(draft);
  // As a sender does whose answer never came: the same message under the same id.
  await desk.send({ ...draft, gist: "the same once more, as if the answer had been lost" });
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
