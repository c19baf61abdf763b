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
  | { readonly step: "claimed"; readonly task: string; readonly title: string }
  | { readonly step: "edit-denied"; readonly path: string; readonly reason: string }
  | { readonly step: "committed"; readonly commit: string; readonly title: string; readonly files: readonly string[] }
  /** `isLie`: the commit is not its work, of which nothing is done. */
  | { readonly step: "reported"; readonly task: string; readonly commit: string; readonly isLie: boolean }
  | { readonly step: "read"; readonly sender: string; readonly words: string }
  | { readonly step: "landed"; readonly task: string }
  /** It does nothing any more, in the middle of a task. */
  | { readonly step: "stuck"; readonly task: string; readonly files: readonly string[] }
  | { readonly step: "left" }
  | { readonly step: "failed"; readonly words: string };

/**
 * Plays the agent that the arguments name, after the word for it, with the hub's address, the pause before each step, and
 * whether it is started again. The exit code is 0 when the part was played to its end.
 */
export async function runAgent(environment: Access["environment"]): Promise<void> {
  const [node = "", program = "", , name, hub = "", pace, again] = process.argv;
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
    const hands = handsOf(tools, access, Number(pace), report);
    await (again === undefined ? scripts[agent](hands) : goesOn(hands));
    await hands.stop();
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
const [waitSeconds, betweenLooksMs] = [5, 1_000];

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
  const identity = ["-c", `user.name=${agent}`, "-c", `user.email=${agent}@localhost`];
  return {
    /** The first letter that fits, waited for. Letters are acknowledged as they come; the others are kept for later. */
    letter: async (sender: string, words = ""): Promise<Letter> => {
      for (;;) {
        const at = waiting.findIndex((each) => each.sender === sender && each.text.includes(words));
        const [found] = at < 0 ? [] : waiting.splice(at, 1);
        if (found !== undefined) return found;
        await takeMail();
      }
    },
    /** Says what it read. */
    tell: ({ sender, text }: Letter) => report({ step: "read", sender, words: text }),
    /** Sends prose to agents. */
    send: async (message: string, to: readonly string[]) => {
      await pause();
      const { receipt, receivers } = await call("send_message", { message, to });
      const entry = isJsonObject(receipt) ? Number(receipt.seq) : 0;
      report({ step: "sent", to: textsIn(receivers), words: message, entry });
    },
    /** Takes the task that it holds, else the next, without naming one, and reads what is to be done in the answer. */
    claim: async () => {
      await pause();
      for (;;) {
        const { outcome, task, title } = await tools.call("task", { action: "claim" });
        if (outcome === "granted") {
          report({ step: "claimed", task: textIn(task), title: textIn(title) });
          return textIn(task);
        }
        await systemClock.wait(betweenLooksMs);
      }
    },
    /** Asks to edit a file that another holds. */
    tryToEdit: async (path: string) => {
      await pause();
      const reason = await tools.askToEdit(path);
      if (reason?.includes("outside-claim") !== true) throw new Error(`the hook of ${agent} on ${path}: ${reason}`);
      report({ step: "edit-denied", path, reason });
    },
    /** Writes the files, each after the hook allowed it. */
    write: async ({ files }: story.Work) => {
      await pause();
      for (const [path, text] of Object.entries(files)) {
        const reason = await tools.askToEdit(path);
        if (reason !== null) throw new Error(reason);
        writeFileSync(join(directory, path), text);
      }
    },
    commit: async ({ files, title }: story.Work) => {
      await pause();
      const paths = Object.keys(files);
      await git("add", "--", ...paths);
      await git(...identity, "commit", "--quiet", "-m", title);
      const commit = await git("rev-parse", "HEAD");
      report({ step: "committed", commit, title, files: paths });
      return commit;
    },
    /** Merges what has landed; what conflicts stays to be written. */
    merge: async () => {
      await pause();
      await runProgram(["git", ...identity, "merge", "--quiet", "--no-commit", story.landingBranch], place);
    },
    newestCommit: () => git("rev-parse", "HEAD"),
    /** Reports the task as done by the commit. */
    complete: async (task: string, commit: string, { isLie } = { isLie: false }) => {
      await pause();
      await call("task", { action: "complete", task, commit });
      report({ step: "reported", task, commit, isLie });
    },
    /** Waits until the hub has put the commit on its branch. */
    landed: async (task: string, commit: string) => {
      const words = ["git", "merge-base", "--is-ancestor", commit, story.landingBranch];
      while ((await runProgram(words, place)).code !== 0) await systemClock.wait(betweenLooksMs);
      report({ step: "landed", task });
    },
    /** Does nothing any more, as a program that hangs. */
    hang: (task: string, { files }: story.Work) => {
      report({ step: "stuck", task, files: Object.keys(files) });
      return new Promise<never>(() => undefined);
    },
    /** Waits until it is asked to stop, and agrees. */
    stop: async () => {
      for (;;) {
        await takeMail();
        if (waiting.some(({ type }) => type === "shutdown_request")) break;
      }
      await call("task", { action: "stop" });
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

const { works, wantedFile } = story;

/** Takes the next task, does it, and waits until it has landed. */
async function does(hands: Hands, work: story.Work): Promise<void> {
  const task = await hands.claim();
  await hands.write(work);
  await finishes(hands, task, work);
}

async function finishes(hands: Hands, task: string, work: story.Work): Promise<void> {
  const commit = await hands.commit(work);
  await hands.complete(task, commit);
  await hands.landed(task, commit);
}

/** What each agent does; what it waits for is in its inbox, or has landed. */
const scripts: Readonly<Record<story.AgentName, (hands: Hands) => Promise<void>>> = {
  "dev-1": async (hands) => {
    const task = await hands.claim();
    await hands.letter("dev-2");
    await hands.write(works.tax);
    await hands.send(`I am working on ${wantedFile}.`, ["dev-2"]);
    await hands.letter("dev-2");
    await finishes(hands, task, works.tax);
    await hands.send(`${wantedFile} is free again.`, ["dev-2"]);
    const next = await hands.claim();
    await hands.write(works.discountWrong);
    await hands.complete(next, await hands.commit(works.discountWrong));
    hands.tell(await hands.letter("baton", `work of ${next} `));
    await hands.write(works.discount);
    await finishes(hands, next, works.discount);
  },
  "dev-2": async (hands) => {
    const task = await hands.claim();
    await hands.send(`I begin too, and need ${wantedFile}.`, ["dev-1"]);
    await hands.letter("dev-1");
    await hands.tryToEdit(wantedFile);
    await hands.send(`Tell me when you are done with ${wantedFile}.`, ["dev-1"]);
    await hands.letter("dev-1");
    await hands.write(works.euros);
    await hands.complete(task, await hands.commit(works.euros));
    hands.tell(await hands.letter("baton", `work of ${task} `));
    await hands.merge();
    await hands.write(works.eurosMerged);
    await finishes(hands, task, works.eurosMerged);
    await does(hands, works.readme);
  },
  "dev-3": async (hands) => {
    const task = await hands.claim();
    await hands.complete(task, await hands.newestCommit(), { isLie: true });
    hands.tell(await hands.letter("baton", "disputed"));
    await does(hands, works.receipt);
    const next = await hands.claim();
    await hands.write(works.stock);
    await hands.hang(next, works.stock);
  },
};

/** The second life of the agent that was killed: it holds its task, and its tree has what it wrote. */
async function goesOn(hands: Hands): Promise<void> {
  await finishes(hands, await hands.claim(), works.stock);
}
