/** The answers to the questions of agent programs, by what is asked; before a tool they are in separate files. */
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { counted, visible } from "../../base/text.ts";
import { type HookQuestion, taskTools } from "../../messages/program-hooks.ts";
import { planKeyOfTask, taskKey } from "../../messages/task-ids.ts";
import type { AgentStatus } from "../../team/operations/agents.ts";
import { claimsRuleOf, editingAdvice } from "../../team/state/definition.ts";
import { teammateName } from "./acting-agent.ts";
import { beforeMessage } from "./before-message.ts";
import { beforeStopped, beforeTeamEnds, claimsWait, heldTasks, lastStop, ownStatus } from "./before-stopped.ts";
import { afterWriting, beforeWriting } from "./before-writing.ts";
import { between, type HookAnswer, nothing, withWords } from "./hook-answer.ts";
import { type Asked, type AskedByAgent, introduce, isByAgent, problemLines } from "./hook-question.ts";
import { contextCharactersMax, type MailAsked, type MailShown, mailText, shownBy, shownIn } from "./mail.ts";
import {
  afterTaskCreated,
  beforeSpawn,
  beforeTaskUpdate,
  claimAsOnlyDeveloper,
  claimMeant,
  freeUnreported,
} from "./plan-claims.ts";
import { kindOf, type ToolKind } from "./tool-kind.ts";

type Answered = Promise<Result<HookAnswer, Problem>>;

const answers: Readonly<Record<HookQuestion, (asked: Asked) => Answered>> = {
  begin: (asked) => (isByAgent(asked) ? begin(asked) : strangerBegins(asked)),
  "before-tool": async (asked) => withMailWhereDenied(asked, await beforeTool(asked)),
  "after-tool": (asked) => (isByAgent(asked) ? afterTool(asked) : quiet),
  prompt: (asked) => (isByAgent(asked) ? newMail(asked) : quiet),
  stop: (asked) => (isByAgent(asked) && !asked.input.isKeptGoing && isItsOwn(asked) ? mayStop(asked) : quiet),
  idle: (asked) => (isByAgent(asked) ? mayIdle(asked) : quiet),
  task: taskCounts,
  wake: () => quiet,
};

const quiet: Answered = Promise.resolve(ok(nothing));

/** The answer to what is asked. A call is a heartbeat of the acting agent. Refuses what the team refuses. */
export async function answerHook(asked: Asked): Answered {
  if (isByAgent(asked)) {
    const shown = await asked.team.heartbeat();
    if (!shown.ok) return shown;
  }
  return await answers[asked.event.asks](asked);
}

/** Whether a tool is one that is denied where Baton cannot answer. The shell is not: by it Baton itself is repaired. */
export function isDecided({ program, input }: Pick<Asked, "program" | "input">): boolean {
  const kind = kindOf({ program, input });
  return kind === "message" || kind === "writing" || kind === "team-end";
}

/** The answer, and what is refused to an agent that has stopped, whose own answer to the request may be this message. */
async function unlessStopped(
  asked: Asked,
  answer: HookAnswer | Promise<HookAnswer>,
  what: string,
): Promise<HookAnswer> {
  const given = await answer;
  if (given.says === "deny" || (given.says === "context" && kindOf(asked) === "message")) return given;
  const stopped = await beforeStopped(asked, what);
  return stopped.says === "nothing" ? given : stopped;
}

const beforeKind = {
  message: (asked: Asked) => unlessStopped(asked, beforeMessage(asked), "nothing is sent"),
  shell: async (asked: Asked): Promise<HookAnswer> => await beforeStopped(asked, "no shell command is run"),
  // Codex may apply a patch by a shell command too. The files come first: a journal that fails is denied there.
  writing: (asked: Asked) => unlessStopped(asked, beforeWriting(asked), "nothing is written"),
  "team-end": beforeTeamEnds,
  task: (asked: Asked) => unlessStopped(asked, beforeTaskUpdate(asked), "no task is changed"),
  spawn: (asked: Asked) => unlessStopped(asked, beforeSpawn(asked), "no agent is started"),
  own: () => ({ says: "allow" }),
  other: () => nothing,
} as const satisfies Readonly<Record<ToolKind, (asked: Asked) => HookAnswer | Promise<HookAnswer>>>;

async function beforeTool(asked: Asked): Promise<HookAnswer> {
  return await beforeKind[kindOf(asked)](asked);
}

/** New mail, and before it what the tool wrote and should not have. */
async function afterTool(asked: AskedByAgent): Answered {
  // Mail comes after the batch that this tool is a part of.
  if (asked.input.toolName === taskTools.create) {
    afterTaskCreated(asked);
    return ok(nothing);
  }
  const kind = kindOf(asked);
  const written = kind === "writing" ? await afterWriting(asked) : ok(null);
  if (!written.ok) return written;
  if (written.value === null) return await newMail(asked);
  const mail = await newMail({ ...asked, before: (asked.before ?? 0) + written.value.length + between.length });
  return mail.ok ? ok(withWords(asked.event, mail.value, written.value)) : mail;
}

/** An event about a helper is no event of the agent that it helps, also where the program does not name the helper. */
function isItsOwn({ event, input }: AskedByAgent): boolean {
  return !event.name.startsWith("Subagent") || input.agentId !== null;
}

async function begin(asked: AskedByAgent): Answered {
  if (!isItsOwn(asked)) return ok(nothing);
  const { team, agent, program, context } = asked;
  const status = await team.status();
  if (!status.ok) return status;
  const found = status.value.agents.find((each) => each.agent === agent);
  if (found === undefined) return ok(nothing);
  if (found.status === "retired") return ok({ says: "context", words: retired(asked, found.role) });
  const isStarted = asked.event.name.startsWith("Subagent");
  // Claude Code starts an idle teammate again when a message comes for it, and does not show its model this answer. The
  // context goes on: what waits is shown after the next tool, or where the agent would stop.
  if (isStarted && found.delivery.context === context) return ok(nothing);
  const holds = (isStarted ? await claimMeant(asked, true) : null) ?? (await claimAsOnlyDeveloper(asked));
  const native = program === "claude-code" ? " Typed messages (JSON) sent with SendMessage are recorded too." : "";
  const advice = editingAdvice(found.role, claimsRuleOf(status.value.definition));
  const introduction = [
    `Baton: you are ${agent} (${found.role}) in team ${team.name}. Act by the tools of the MCP server baton: send_message, read_inbox, task, team_status.${native} ${advice}`,
    ...(holds === null ? [] : [holds]),
  ].join(between);
  const besides = introduction.length + between.length;
  const mail = found.unread === 0 ? ok(null) : await mailText(asked, { after: 0, shownMax: 1, besides });
  if (!mail.ok) return mail;
  const unshown = found.unread === 0 ? "No mail waits." : `Mail waits: ${counted(found.unread, "message")}.`;
  const shows = { ...shownBy(context, mail.value), begins: true };
  return ok({ says: "context", words: [introduction, mail.value?.words ?? unshown].join(between), shows });
}

function retired({ team, agent, line }: AskedByAgent, role: string): string {
  const again = line(["agent", "register", agent, "--role", role]);
  return `Baton: ${agent} has left team ${team.name} and may send nothing more. If it is to go on, a lead or the owner runs: ${again}`;
}

async function strangerBegins(asked: Asked): Answered {
  const { event, program, input, refused } = asked;
  const isRefused = refused !== null && teammateName(program, input) !== null;
  const isQuiet = event.name.startsWith("Subagent") && !isRefused;
  return ok(isQuiet ? nothing : { says: "context", words: introduce(asked) });
}

/** The mail that the agent's model was not shown in this context. */
async function unshownMail(
  asked: AskedByAgent,
  own: AgentStatus,
  within: Pick<MailAsked, "charactersMax" | "besides"> = {},
): Promise<Result<MailShown | null, Problem>> {
  if (own.unread === 0) return ok(null);
  const after = shownIn(asked.context, own);
  return await mailText(asked, { after, ...within });
}

async function newMail(asked: AskedByAgent): Answered {
  await claimMeant(asked, false);
  const own = await ownStatus(asked);
  if (!own.ok) return own;
  if (own.value === null) return ok(nothing);
  const mail = await unshownMail(asked, own.value);
  if (!mail.ok) return mail;
  if (mail.value === null) return ok(nothing);
  const holds = await claimAsOnlyDeveloper(asked);
  if (holds === null) return ok(showing(asked, mail.value));
  const rest = await unshownMail(asked, own.value, { besides: holds.length + between.length });
  if (!rest.ok) return rest;
  const shown = showing(asked, rest.value);
  const words = "words" in shown ? `${shown.words}${between}${holds}` : holds;
  return ok({ ...shown, says: "context", words });
}

function showing({ context }: AskedByAgent, mail: MailShown | null): HookAnswer {
  const shows = shownBy(context, mail);
  return mail === null || mail.words === "" ? { ...nothing, shows } : { says: "context", words: mail.words, shows };
}

/** In Codex and Gemini CLI nothing is asked after a tool that was denied, so the mail is in the denial. */
async function withMailWhereDenied(asked: Asked, answer: HookAnswer): Answered {
  if (answer.says !== "deny" || asked.program === "claude-code" || !isByAgent(asked)) return ok(answer);
  const own = await ownStatus(asked);
  // The tool is denied, whatever becomes of the mail.
  if (!own.ok || own.value?.status !== "active") return ok(answer);
  const mail = await unshownMail(asked, own.value, {
    charactersMax: deniedCharactersMax,
    besides: answer.words.length + between.length,
  });
  if (!mail.ok || mail.value === null || mail.value.words === "") return ok(answer);
  const shows = shownBy(asked.context, mail.value);
  return ok({ says: "deny", words: `${answer.words}\n\n${mail.value.words}`, shows });
}

/** How many characters of mail are in a denial, whose reasons come first. */
const deniedCharactersMax = 5_000;

async function mayStop(asked: AskedByAgent): Answered {
  const own = await ownStatus(asked);
  if (!own.ok) return own;
  return own.value?.status === "active" ? await holdOnce(asked, own.value) : ok(nothing);
}

/** An idle teammate gets what it did not get before. Who has stopped in a shutdown round is ended. */
async function mayIdle(asked: AskedByAgent): Answered {
  const own = await ownStatus(asked);
  if (!own.ok) return own;
  if (own.value === null) return ok(nothing);
  if (own.value.status !== "active") return await endStopped(asked);
  return asked.input.isKeptGoing ? ok(nothing) : await holdOnce(asked, own.value);
}

/**
 * Keeps the agent going for what it was not told in this context: mail, and the tasks that it holds, once after they were
 * granted. A turn more for what it knows would change nothing.
 */
async function holdOnce(asked: AskedByAgent, own: AgentStatus): Answered {
  const { context } = asked;
  const mail = await unshownMail(asked, own);
  if (!mail.ok) return mail;
  const held = await heldTasks(asked);
  if (!held.ok) return held;
  const told = own.delivery.context === context ? own.delivery.told : 0;
  const untold = held.value.filter(({ token }) => token !== null && token > told);
  const isShown = mail.value === null || mail.value.words === "";
  if (isShown && untold.length === 0) return ok(nothing);
  const shows = shownBy(context, mail.value);
  const mailWords = isShown ? "" : (mail.value?.words ?? "");
  const waiting = untold.length > 0 ? claimsWait(asked, untold) : "";
  const words = [mailWords, waiting].filter((part) => part !== "").join(between);
  // It is reminded of claims the next time, where the mail leaves no room for them.
  if (mailWords !== "" && (asked.before ?? 0) + words.length > contextCharactersMax)
    return ok({ says: "go-on", words: mailWords, shows });
  const newest = Math.max(told, ...untold.map(({ token }) => token ?? 0));
  return ok({ says: "go-on", words, shows: { ...shows, told: newest } });
}

async function endStopped(asked: AskedByAgent): Answered {
  const stop = await lastStop(asked);
  if (!stop.ok) return stop;
  if (stop.value === null) return ok(nothing);
  const { round, outcome } = stop.value;
  return ok({ says: "end", words: visible(`Baton: ${asked.agent} has stopped in shutdown ${round} (${outcome}).`) });
}

/**
 * A task of the program is one of Baton's where its subject names it: by an id of the form that all tasks have, or as a
 * whole.
 */
async function taskCounts(asked: Asked): Answered {
  const { team, input } = asked;
  if (input.taskSubject === null) return ok(nothing);
  const tasks = await team.tasks();
  if (!tasks.ok) return err(tasks.error);
  const named = new Set(taskIdsIn(input.taskSubject));
  const whole = input.taskSubject.trim();
  const disputed = tasks.value.filter(
    ({ task, plan, verdict }) => verdict === "disputed" && (task === whole || named.has(taskKey(task, plan))),
  );
  if (disputed.length === 0) {
    await freeUnreported(asked, input.taskSubject);
    return ok(nothing);
  }
  const lines = disputed.map(
    ({ task, problems }) => `${visible(task)} was reported and is disputed:\n${problemLines(problems)}`,
  );
  return ok({ says: "deny", words: `Baton: not done yet.\n${lines.join("\n")}\nRepair it, commit, and report again.` });
}

/** Most characters of a subject that are looked at. */
const subjectCharactersMax = 1_000;

function taskIdsIn(subject: string): readonly string[] {
  const words = subject.slice(0, subjectCharactersMax).split(/[\s,;:()[\]"'`]+/);
  return words
    .filter((word) => word.includes("-") || word.includes("/") || /^T\d{1,9}$/i.test(word))
    .flatMap((word) => {
      const isTask = planKeyOfTask(word) !== null || /^(?:task[-_]?|t)\d{1,9}$/i.test(word);
      return isTask ? [taskKey(word)] : [];
    });
}
