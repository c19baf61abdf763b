/**
 * What follows from a call of a hook once the program has its answer: mail that the agent's model has gone on with is
 * acknowledged, and what the call showed is noted. Rule: docs/protocol/record.md, section 5.
 */

import type { ShownMail } from "../../mail/services/delivery-note.ts";
import { type HookProgram, type HookQuestion, wakesBy } from "../../messages/program-hooks.ts";
import type { AgentStatus } from "../../team/operations/agents.ts";
import type { HookAnswer } from "./hook-answer.ts";
import type { AskedByAgent } from "./hook-question.ts";

/**
 * The questions that are asked only after the model has answered a request that had what earlier answers showed. Claude Code
 * asks once after all tools of one answer of its model; of the others only the answer to which a tool belongs tells.
 */
const goesOn: readonly HookQuestion[] = ["before-tool", "after-tool", "stop"];

/** A call of a hook that is answered. */
export interface MailCall {
  readonly program: HookProgram;
  readonly asks: HookQuestion;
  readonly answer: HookAnswer;
  /** A name of the model's latest answer; null: it is not known. */
  latestAnswer(): Promise<string | null>;
}

async function agentIn(team: AskedByAgent["team"], agent: string): Promise<AgentStatus | undefined> {
  const status = await team.status();
  return status.ok ? status.value.agents.find((each) => each.agent === agent) : undefined;
}

/**
 * Takes a call as the proof that the model went on with the mail that the calls before it showed, and acknowledges that;
 * then notes what this call showed, and whether the agent works or waits now.
 */
export async function settleMail(
  { team, agent }: Pick<AskedByAgent, "team" | "agent">,
  context: string,
  call: MailCall,
): Promise<void> {
  const { asks, answer } = call;
  const own = await agentIn(team, agent);
  if (own === undefined) return;
  const { delivery, acknowledged } = own;
  const injected = delivery.context === context ? delivery.injected : 0;
  // What cannot be recorded is shown again in the next context, and nothing is lost.
  if (injected > acknowledged && (await isProof(call, delivery))) await team.acknowledge(injected);
  const idle = asks === "begin" || (waits.includes(asks) && answer.says !== "go-on");
  const characters = !("words" in answer) || answer.says === "warn" ? 0 : answer.words.length;
  // A message that was only named may have been read meanwhile, which the note learns from the hook after that tool.
  const isHeldUp = asks === "after-tool" && delivery.shown > Math.max(acknowledged, delivery.injected);
  // Who can be woken says so itself, where it waits for that.
  const isDeaf = idle && asks !== "begin" && wakesBy(call.program) === null && delivery.wakes !== false;
  const isNews =
    answer.shows !== undefined || characters > 0 || idle !== delivery.idle || isHeldUp || isDeaf || delivery.unguarded;
  if (!isNews && delivery.context === context) return;
  await team.shown({
    context,
    seq: 0,
    ...answer.shows,
    ...(await injectedAt(call, own)),
    idle,
    ...(isDeaf ? { wakes: false } : {}),
    ...(characters === 0 ? {} : { characters }),
  });
}

/** Whether the model has answered again since mail was injected. */
async function isProof({ asks, latestAnswer }: MailCall, { answer }: AgentStatus["delivery"]): Promise<boolean> {
  if (!goesOn.includes(asks)) return false;
  if (asks === "stop" || answer === null) return true;
  const latest = await latestAnswer();
  return latest !== null && answer !== unknownAnswer && latest !== answer;
}

/** The answer of the model at which the call shows mail. A context that begins has none; after a prompt comes another. */
async function injectedAt(
  { program, asks, answer, latestAnswer }: MailCall,
  { delivery, acknowledged }: AgentStatus,
): Promise<Pick<ShownMail, "answer">> {
  // What a tool returned counts from the hook after it on.
  const isShown = answer.shows?.injected === true || delivery.shown > acknowledged;
  if (program === "claude-code" || asks === "begin" || !isShown) return {};
  const isAtTool = asks === "before-tool" || asks === "after-tool";
  const latest = (await latestAnswer()) ?? (isAtTool ? unknownAnswer : null);
  return latest === null ? {} : { answer: latest };
}

/** An answer that nobody can distinguish from another one. */
const unknownAnswer = "?";

/** The questions that are asked when an agent has nothing more to do. */
const waits: readonly HookQuestion[] = ["stop", "idle"];
