/**
 * Lines of every command, read from the examples of its help page, and a team in which they mean something. So a new
 * command is tried by each test that tries all of them, and nothing is listed twice.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "../../src/doors/cli/kernel/command.ts";
import { catalogue } from "../../src/main/catalogue.ts";
import { calledWithCode } from "./called.ts";
import { contract, folder, handoff, message, request, update } from "./command.ts";

export interface ExampleLine {
  /** Of the command, as in the catalogue. */
  readonly name: string;
  readonly command: Command;
  /** After the name, without `--as` and `--json`. */
  readonly words: readonly string[];
  readonly as: string | undefined;
}

/** Commands that go on until they are ended, and the demo, which takes its time: each has a test elsewhere. */
export const lastingCommands: readonly string[] = ["up", "watch", "mcp", "demo"];

/** What leaves agents that do nothing more, or another session of them: its lines come after all others. */
const endings: readonly string[] = ["agent retire", "stop", "shutdown status", "agent register"];

/** Every example that ends by itself, in the order of the catalogue. Each command but the lasting ones has one. */
export const exampleLines: readonly ExampleLine[] = (
  await Promise.all(
    catalogue.map(async ({ name, load }) => {
      const { command } = await load();
      const lines = command.examples.map(({ line }) => line).filter((line) => isUsable(name, line));
      return lines.map((line): ExampleLine => ({ name, command, ...wordsAfter(name, line) }));
    }),
  )
)
  .flat()
  .toSorted((one, other) => endings.indexOf(one.name) - endings.indexOf(other.name));

/** The first line of each command. */
export const firstLines: readonly ExampleLine[] = exampleLines.filter(
  ({ name }, at) => exampleLines.findIndex((each) => each.name === name) === at,
);

/** Whether an example is this command alone, needs nothing but this machine, and ends. */
function isUsable(name: string, line: string): boolean {
  if (lastingCommands.includes(name) || !`${line} `.startsWith(`baton ${name} `)) return false;
  // The end of a day gives agents half a minute.
  if (name === "stop" && !line.includes("--no-wait")) return false;
  return !/[|<]|USER@HOST|--(watch|follow|wait|hub|engine)\b|mirror --json/.test(line);
}

/** The words of a line, as a shell passes them on. */
export function wordsOf(line: string): readonly string[] {
  const found = line.replace(/ [<>]{1,2} .*$/, "").match(/(?:[^\s']|'[^']*')+/g) ?? [];
  return found.map((word) => word.replaceAll("'", ""));
}

function wordsAfter(name: string, line: string): Pick<ExampleLine, "words" | "as"> {
  const words = wordsOf(line).slice(1 + name.split(" ").length);
  const at = words.indexOf("--as");
  return {
    words: words.filter((word, index) => (at < 0 || (index !== at && index !== at + 1)) && word !== "--json"),
    as: at < 0 ? undefined : words[at + 1],
  };
}

/** Whether a command takes `--as`, a token or a hub: it is about a team, wherever its record is. */
export function isAboutTeam({ command }: ExampleLine): boolean {
  return command.isLocal !== true;
}

/**
 * A folder with a team and what the examples name: its agents, files, plan, tasks, a request, an escalation, a handoff
 * document, and some messages. It is inside another folder, as examples write next to it.
 */
export async function exampleTeam(): Promise<string> {
  const place = join(folder(), "web");
  for (const each of [".baton", "docs/handoffs", "src"]) mkdirSync(join(place, each), { recursive: true });
  const files = {
    ".baton/team.yaml": teamFile,
    "docs/story.md": "# Sign users in\n",
    "plan.md": "1. Sign users in\n",
    "docs/handoffs/story-2.yaml": handoff("docs/story.md"),
    "handoff.json": handoff("docs/story.md").replace("handoff-1", "handoff-7"),
    "src/feature.js": "",
    "update.json": update(["src/feature.js"], { id: "update-789" }).replace("complete", "partial"),
    "plan.json": contract(["src/"], { id: "plan-2" }),
    "progress.json": update(["src/feature.js"], { id: "update-790" }),
    "inbox.jsonl": `${update(["src/feature.js"], { id: "update-791" })}\n`,
    "message.json": contract(["src/"], { id: "plan-3" }),
    "summary.jsonl": "",
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(place, file), text);
  const blocked = { plan_id: "1-1", task_id: "1-1-T3", blocker: "No names yet", needs: "Plan 1-0" };
  await calledWithCode(0, place, ["send", "--as", "lead-1"], contract(["src/"]));
  await calledWithCode(0, place, ["send", "--as", "dev-1"], request({ id: "approve-678" }));
  const blocker = message("blocker_report", "dev", blocked, { task: "1-1-T3" });
  await calledWithCode(0, place, ["send", "--as", "dev-1"], blocker);
  await calledWithCode(0, place, ["handoff", "issue", "handoff.json", "--as", "lead-1"]);
  for (let entry = 0; entry < 20; entry++)
    await calledWithCode(0, place, ["send", "--as", "dev-1", "--to", "lead-1"], `Note ${entry}`);
  return place;
}

const teamFile = `version: 1
team: web
dialects: [vbw/2, bmad/1]
agents:
  lead-1: {role: lead}
  dev-1: {role: dev}
  dev-2: {role: dev}
  qa-1: {role: qa}
  architect-1: {role: architect}
  scout-1: {role: scout}
`;
