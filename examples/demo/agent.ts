/**
 * One agent of the demo: a process that plays a script, as a model would work. It has what the agents of a real program
 * have: Baton's tools over MCP with its own token, the hook before an edit, git, and its inbox, by which alone it learns of
 * the others. It reports each step as a line of JSON on its standard output. When its input ends, the demo is gone, and so
 * is the agent.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../src/base/json.ts";
import { runProgram } from "./processes.ts";
import * as story from "./story.ts";
import { type Access, openTools, type Tools } from "./tools.ts";

/** What an agent did, and what Baton answered. */
export type Step = { readonly agent: story.AgentName } & OwnStep;

type OwnStep =
  | { readonly step: "sent"; readonly to: readonly string[]; readonly words: string; readonly entry: number }
  | { readonly step: "claimed"; readonly task: string; readonly token: number; readonly files: readonly string[] }
  | { readonly step: "edit-denied"; readonly path: string; readonly reason: string }
  | { readonly step: "committed"; readonly commit: string; readonly title: string; readonly files: readonly string[] }
  /** `isLie`: the commit is not its work, of which nothing is done. */
  | { readonly step: "reported"; readonly task: string; readonly commit: string; readonly isLie: boolean }
  | { readonly step: "read"; readonly sender: string; readonly words: string }
  /** What Baton found in git. */
  | { readonly step: "verdict"; readonly task: string; readonly state: string }
  | { readonly step: "left" }
  | { readonly step: "failed"; readonly words: string };

/**
 * Plays the agent that the arguments name, after the word for it, with the hub's address and the pause before each step. The
 * exit code is 0 when the part was played to its end.
 */
export async function runAgent(environment: Access["environment"]): Promise<void> {
  const [node = "", program = "", , name, hub = "", pace] = process.argv;
  const agent = story.agents.find((each) => each === name);
  if (agent === undefined) {
    process.stderr.write("This is an agent of `baton demo`, which starts it.\n");
    process.exitCode = 64;
    return;
  }
  // Whoever started it is gone.
  process.stdin.on("end", () => process.exit(1)).resume();
  const report = (step: OwnStep) => process.stdout.write(`${JSON.stringify({ agent, ...step })}\n`);
  let code = 0;
  try {
    const place = { directory: process.cwd(), environment };
    const access = { agent, team: story.teamName, hub, baton: [node, program], ...place };
    const tools = await openTools(access);
    await scripts[agent](handsOf(tools, access, Number(pace), report));
    await tools.close();
    report({ step: "left" });
  } catch (cause) {
    report({ step: "failed", words: cause instanceof Error ? cause.message : JSON.stringify(cause) });
    code = 1;
  }
  // The open input would hold the process; everything it had to say is written.
  process.stdout.write("", () => process.exit(code));
}

/** A message that waits for the agent; its text where it is prose. */
interface Letter {
  readonly sender: string;
  readonly type: string | null;
  readonly text: string;
}

/** How long one call waits for mail, in seconds, and the pause before a look is repeated, in milliseconds. */
const [waitSeconds, betweenLooksMs] = [5, 100];

type Hands = ReturnType<typeof handsOf>;

/** What an agent can do. What Baton refuses where the script does not expect it ends the agent. */
function handsOf(tools: Tools, place: Access, paceMs: number, report: (step: OwnStep) => void) {
  const { agent, directory } = place;
  const pause = () => systemClock.wait(paceMs);
  const call = async (tool: string, given: JsonObject) => {
    const answer = await tools.call(tool, given);
    if (answer.outcome === "refused" || answer.outcome === "denied") throw new Error(JSON.stringify(answer));
    return answer;
  };
  const git = async (...words: string[]) => {
    const { code, stdout, stderr } = await runProgram(["git", ...words], place);
    if (code !== 0) throw new Error(`git ${words[0]}: ${stderr}`);
    return stdout.trim();
  };
  const waiting: Letter[] = [];
  const takeMail = async () => {
    const letters = objectsIn((await call("wait", { seconds: waitSeconds })).messages);
    for (const { sender, type, message } of letters)
      waiting.push({ sender: textIn(sender), type: type === null ? null : textIn(type), text: textIn(message) });
    const last = letters.at(-1)?.seq;
    if (last !== undefined) await call("read_inbox", { ack: last, limit: 1 });
  };
  const sent = ({ receipt, receivers }: JsonObject, words: string) => {
    const entry = isJsonObject(receipt) ? Number(receipt.seq) : 0;
    report({ step: "sent", to: textsIn(receivers), words, entry });
  };
  return {
    /** The first letter that fits, waited for. Letters are acknowledged as they come; the others are kept for later. */
    letter: async (sender: string, type: string | null = null): Promise<Letter> => {
      for (;;) {
        const at = waiting.findIndex((each) => each.sender === sender && each.type === type);
        const [found] = at < 0 ? [] : waiting.splice(at, 1);
        if (found !== undefined) return found;
        await takeMail();
      }
    },
    /** Says what it read. */
    tell: ({ sender, text }: Letter) => report({ step: "read", sender, words: text }),
    /** Sends prose to agents, or a message of a type, of which Baton fills in what it knows. */
    send: async (message: string | JsonObject, to: readonly string[], words = textIn(message)) => {
      await pause();
      const draft = typeof message !== "string";
      sent(await call("send_message", { message, draft, ...(draft ? {} : { to }) }), words);
    },
    /** Passes the question of dev-1 on to the person, with options. */
    handUp: async () => {
      await pause();
      const { id, text, options, evidence } = story.question;
      const given = { action: "raise", task: id, evidence, options, recommendation: options[0] ?? "" };
      sent(await call("task", given), text);
    },
    claim: async (task: string) => {
      await pause();
      const { token, files } = await call("task", { action: "claim", task });
      report({ step: "claimed", task, token: Number(token), files: textsIn(files) });
    },
    /** Asks to edit a file that another holds. */
    tryToEdit: async (path: string) => {
      await pause();
      const reason = await tools.askToEdit(path);
      if (reason?.includes("outside-claim") !== true) throw new Error(`the hook of ${agent} on ${path}: ${reason}`);
      report({ step: "edit-denied", path, reason });
    },
    /** Writes the files, each after the hook allowed it, and commits; the commit. */
    work: async ({ files, title }: story.Work) => {
      await pause();
      const paths = Object.keys(files);
      for (const [path, text] of Object.entries(files)) {
        const reason = await tools.askToEdit(path);
        if (reason !== null) throw new Error(reason);
        writeFileSync(join(directory, path), text);
      }
      await git("add", "--", ...paths);
      await git("-c", `user.name=${agent}`, "-c", `user.email=${agent}@localhost`, "commit", "--quiet", "-m", title);
      const commit = await git("rev-parse", "HEAD");
      report({ step: "committed", commit, title, files: paths });
      return commit;
    },
    /** The newest commit, whoever made it. */
    newestCommit: () => git("rev-parse", "HEAD"),
    /** Reports the work as done by the commit. */
    finish: async ({ task, files, title }: story.Work, commit: string, { isLie } = { isLie: false }) => {
      await pause();
      const done = { plan_id: "1-1", task_id: task, status: "complete", commit, files_modified: Object.keys(files) };
      const message = { type: "execution_update", ...done, evidence: title };
      await call("send_message", { message, draft: true });
      report({ step: "reported", task, commit, isLie });
    },
    /** Waits until Baton has looked in git, and says what it found. */
    verdict: async (task: string) => {
      for (;;) {
        const { reported } = await call("task", { action: "available" });
        // A task whose plan has ended is no report any more.
        const state = textIn(objectsIn(reported).find((each) => each.task === task)?.state ?? "complete");
        if (state !== "reported") return report({ step: "verdict", task, state });
        await systemClock.wait(betweenLooksMs);
      }
    },
  };
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return isJsonList(list) ? list.filter(isJsonObject) : [];
}

function textIn(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function textsIn(list: Json | undefined): readonly string[] {
  return isJsonList(list) ? list.filter((each) => typeof each === "string") : [];
}

/** What each agent does; what it waits for is in its inbox. */
const scripts: Readonly<Record<story.AgentName, (hands: Hands) => Promise<void>>> = {
  "lead-1": async (hands) => {
    await hands.send(story.contract, [], "The plan: two tasks, with the files that each may touch.");
    await hands.letter("dev-1", "blocker_report");
    await hands.handUp();
    await hands.letter("dev-2");
    await hands.send("Both tasks are done, and git confirms it. Thank you!", ["dev-1", "dev-2"]);
  },
  "dev-1": async (hands) => {
    await hands.letter("lead-1", "plan_contract");
    const { task } = story.taxWork(story.defaultPercent);
    await hands.claim(task);
    await hands.send(story.blockerReport, [], story.question.text);
    await hands.send(`I am working on ${story.wantedFile}. Do you need anything in it?`, ["dev-2"]);
    await hands.letter("dev-2");
    const decision = await hands.letter("owner");
    hands.tell(decision);
    const work = story.taxWork(percentIn(decision));
    await hands.finish(work, await hands.work(work));
    await hands.verdict(task);
    await hands.send(`shown() is in ${story.wantedFile} now.`, ["dev-2"]);
    await hands.letter("lead-1");
  },
  "dev-2": async (hands) => {
    await hands.letter("lead-1", "plan_contract");
    const { task } = story.receiptWork;
    await hands.claim(task);
    const ofAnother = await hands.newestCommit();
    await hands.letter("dev-1");
    await hands.tryToEdit(story.wantedFile);
    await hands.send(`I need a function shown() in ${story.wantedFile}. Please write it for me.`, ["dev-1"]);
    await hands.finish(story.receiptWork, ofAnother, { isLie: true });
    hands.tell(await hands.letter("baton"));
    await hands.letter("dev-1");
    await hands.claim(task);
    await hands.finish(story.receiptWork, await hands.work(story.receiptWork));
    await hands.verdict(task);
    await hands.send("My task is done too, as you can see on the board.", ["lead-1"]);
    await hands.letter("lead-1");
  },
};

/** The tax rate that was decided, which a person may have put in other words; the first option where it names none. */
function percentIn({ text }: Letter): number {
  const decided = text.split(": ").slice(1).join(": ");
  const percent = Number(/\d{1,2}/.exec(decided)?.[0] ?? Number.NaN);
  return Number.isNaN(percent) ? story.defaultPercent : percent;
}
