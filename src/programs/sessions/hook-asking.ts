/**
 * Asks Baton what an agent program asks at an event, within the time that a hook has, whichever way the program asked: by
 * a command or by a call of the session's MCP server.
 */
import { isAbsolute } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { closing } from "../../base/closing.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { nextCommand } from "../../doors/cli/kernel/next-command.ts";
import { decidedMsMax, type HookEvent, type HookProgram, hookMsMax } from "../../messages/program-hooks.ts";
import { updatedMeanwhile } from "../../perform/workspace/package-root.ts";
import type { ActingAgent } from "../hooks/acting-agent.ts";
import { answerHook, isDecided } from "../hooks/answers.ts";
import { between, type HookAnswer, nothing, withWords } from "../hooks/hook-answer.ts";
import type { HookInput } from "../hooks/hook-input.ts";
import { type PlanMemory, problemLines } from "../hooks/hook-question.ts";
import { contextOf } from "../hooks/mail.ts";
import { settleMail } from "../hooks/settled-mail.ts";
import { filesFrom } from "./hook-paths.ts";
import { type HookTeamAsked, openHookTeam } from "./hook-team.ts";
import type { KeptTeams } from "./kept-teams.ts";
import { latestAnswer } from "./model-answers.ts";
import { messagesInContext } from "./native-mail.ts";
import type { SessionAgent } from "./session-agent.ts";
import type { SeenAgent } from "./unseen-changes.ts";

/** What a program asks. */
export interface HookAsked {
  readonly program: HookProgram;
  readonly event: HookEvent;
  /** Brings the input of the hook; refuses what cannot be read. `signal` ends waiting for it. */
  input(signal: AbortSignal): Promise<Result<HookInput, Problem>>;
  /** Who the session of that input is. */
  session(input: HookInput): Promise<SessionAgent>;
  /** Opens the team; absent: as `openHookTeam` does. */
  open?: KeptTeams["open"];
  /** What the session knows of plans; absent: nothing. */
  plans?: PlanMemory;
  /** Told who acts, once it is known. */
  acting?(input: HookInput, acting: ActingAgent): void;
  /** What the agent reads once, of what happened while Baton did not see it; null: nothing. Absent: it is not looked. */
  unseen?(seen: SeenAgent): Promise<string | null>;
}

/** Which part of the time is for the answer; the rest is for starting, for what waits for a lock then, and for writing. */
const answerPart = 0.75;

/** An answer, and what is done once the program has it. */
export interface HookOutcome {
  readonly answer: HookAnswer;
  /**
   * Notes what the answer showed, and closes the team; to be called once, after the program has the answer. If the program
   * never gets it, mail is shown again.
   */
  end(): Promise<void>;
}

/** The answer within the time that a hook has. What decides is denied when the time is over, and on a bug of ours. */
export async function askHook(call: Call, asked: HookAsked): Promise<HookOutcome> {
  const { program, event } = asked;
  const over = new AbortController();
  const done = new AbortController();
  let input: HookInput | null = null;
  const msMax = () => timeFor(call, { program, event, input });
  const ask = async (): Promise<HookOutcome> => {
    const signal = AbortSignal.any([call.signal, over.signal]);
    const read = await asked.input(signal);
    if (!read.ok) return only(unanswered(call, { program, event, input: null }, [read.error]));
    input = read.value;
    return await answer(call, asked, { input, signal, msMax: msMax() });
  };
  const late = async (): Promise<HookOutcome> => {
    const soonMs = timeFor(call, null);
    await systemClock.wait(soonMs, done.signal);
    // What is asked is known by now, or is taken for what decides.
    if (msMax() > soonMs) await systemClock.wait(msMax() - soonMs, done.signal);
    // An answer in time is followed by its end, for which the team stays open.
    if (!done.signal.aborted) over.abort();
    return only(unanswered(call, { program, event, input }, [tooLate(msMax())]));
  };
  try {
    return await Promise.race([ask(), late()]);
  } catch (problem) {
    if (!decides({ program, event, input })) throw problem;
    const updated = updatedMeanwhile(problem);
    if (updated !== null) return only(unanswered(call, { program, event, input }, [updated]));
    const words = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
    return only({ says: "deny", words: `Baton has a bug, so nothing was decided. Please report it:\n${words}` });
  } finally {
    done.abort();
  }
}

/** An answer that nothing follows from. */
function only(answered: HookAnswer): HookOutcome {
  return { answer: answered, end: async () => undefined };
}

interface Question {
  readonly input: HookInput;
  readonly signal: AbortSignal;
  readonly msMax: number;
}

async function answer(call: Call, asked: HookAsked, { input, signal, msMax }: Question): Promise<HookOutcome> {
  const { program, event } = asked;
  const session = await asked.session(input);
  const open = asked.open ?? ((which: HookTeamAsked) => openHookTeam(call, which));
  const opened = await open({ program, input, session, signal, msMax });
  if (!opened.ok) {
    // A hub proves nobody who has stopped any more: the refusal of the token is the answer about the shell too.
    const isStopped = event.asks === "before-tool" && opened.error.some(({ code }) => code === "agent-stopped");
    if (isStopped) return only({ says: "deny", words: `Baton:\n${problemLines(opened.error)}` });
    const isInUse = !opened.error.some(({ code }) => code === "not-initialised");
    return only(isInUse ? unanswered(call, { program, event, input }, opened.error) : nothing);
  }
  await using scope = closing();
  const team = scope.use(opened.value.team);
  const { agent, unknown, helps, refused } = opened.value;
  const acting = { agent, unknown, helps, refused };
  asked.acting?.(input, acting);
  const { directory } = call.config;
  const works = input.directory !== null && isAbsolute(input.directory) ? input.directory : directory;
  const context = contextOf(program, input);
  const unseen = agent === null ? null : ((await asked.unseen?.({ team, agent, directory: works })) ?? null);
  const judged = await answerHook({
    program,
    event,
    input,
    context,
    team,
    ...acting,
    inContext: () => messagesInContext(program, input),
    ...(unseen === null ? {} : { before: unseen.length + between.length }),
    ...(asked.plans === undefined ? {} : { plans: asked.plans }),
    line: (words) => lineOf(call, words),
    ...filesFrom({ program, teamDirectory: directory, directory: works, environment: call.config.environment() }),
  });
  const answered = judged.ok && unseen !== null ? ok(withWords(event, judged.value, unseen)) : judged;
  // Nobody gets an answer that comes too late.
  if (signal.aborted || !answered.ok) {
    return only(answered.ok ? nothing : unanswered(call, { program, event, input }, [answered.error]));
  }
  const held = scope.move();
  return {
    answer: answered.value,
    end: async () => {
      await using _closes = held;
      if (agent === null) return;
      await settleMail({ team, agent }, context, {
        program,
        asks: event.asks,
        answer: answered.value,
        latestAnswer: () => latestAnswer(call, program, input),
      });
    },
  };
}

/**
 * A line for the agent to run. It names the acting agent, which may differ from the one that the hook was set up for; a
 * word that cannot be shown unchanged is shown as `...`.
 */
function lineOf({ given, config }: Call, words: readonly string[]): string {
  const call = { config, given: { ...given, text: (name: string) => (name === "as" ? undefined : given.text(name)) } };
  const shown = words.map((word) => (visible(word) === word ? word : "..."));
  return nextCommand(call, shown) ?? `${config.program} ${shown.join(" ")}`;
}

type Happening = Pick<HookAsked, "program" | "event"> & { readonly input: HookInput | null };

/** Whether something must be accepted or denied; what could not be read may be. */
function decides({ program, event, input }: Happening): boolean {
  return event.asks === "before-tool" && (input === null || isDecided({ program, input }));
}

/** How long Baton takes for its answer at most; `happening` null: where nothing depends on it. */
function timeFor({ config }: Call, happening: Happening | null): number {
  const isNeeded = happening !== null && (happening.event.asks === "begin" || decides(happening));
  return (config.hookMs ?? (isNeeded ? decidedMsMax : hookMsMax)) * answerPart;
}

/** What is said where Baton has no answer: what decides is denied, and nothing else breaks the user's session. */
function unanswered({ output }: Call, happening: Happening, found: readonly Problem[]): HookAnswer {
  const problems = output.worded(found);
  if (decides(happening))
    return { says: "deny", words: `Baton could not be asked, so this is denied:\n${problemLines(problems)}` };
  const [first] = problems;
  if (happening.event.asks !== "begin" || first === undefined) return nothing;
  return { says: "warn", words: `Baton could not be asked: ${first.message}` };
}

function tooLate(msMax: number): Problem {
  return makeProblem("timed-out", "", `Baton had no answer within ${msMax / 1000} s.`, {
    hint: "Try again: a message with an id is not recorded twice. `baton doctor` looks for what holds it up.",
  });
}
