/**
 * What a hook answers, and how each agent program takes it. A refusal is exit code 2 with words on standard error in
 * all of them. To accept something is to say nothing: permission given here would override the user's own, so only Baton's
 * own tools get it. Source: docs/protocol/doors.md, section 7; the hooks references of Codex CLI and Gemini CLI.
 */
import type { JsonObject } from "../../base/json.ts";
import type { ShownMail } from "../../mail/services/delivery-note.ts";
import type { HookEvent, HookProgram } from "../../messages/program-hooks.ts";

/**
 * `nothing`; `allow`: the user need not be asked; `deny`: what is asked for may not be, and the model reads why; `context`:
 * it goes on, and the model reads this; `go-on`: the agent may not stop yet, and reads why; `end`: it is to stop for good;
 * `warn`: the user reads this.
 */
export type HookAnswer = (
  | { readonly says: "nothing" | "allow" }
  | { readonly says: "deny" | "context" | "go-on" | "end" | "warn"; readonly words: string }
) & {
  /** What the model is shown by this answer; to be noted once the program has it. Absent: no mail. */
  readonly shows?: ShownMail;
};

export const nothing: HookAnswer = { says: "nothing" };

/** The answer with words before it that the model reads too. An agent that would stop goes on once to read them. */
export function withWords({ asks }: HookEvent, answer: HookAnswer, words: string): HookAnswer {
  const { shows } = answer;
  const showing = shows === undefined ? {} : { shows };
  if (!("words" in answer)) return { says: asks === "stop" ? "go-on" : "context", words, ...showing };
  return { ...answer, words: `${words}${between}${answer.words}` };
}

/** What comes between two parts of an answer. */
export const between = "\n\n";

/** An answer as a program takes it. */
export interface WrittenAnswer {
  /** 2: refused. Programs take every other code for leave. */
  readonly exitCode: 0 | 2;
  readonly stdout: JsonObject | null;
  readonly stderr: string | null;
}

/** The answer as `program` takes it at `event`. */
export function writeAnswer(program: HookProgram, event: HookEvent, answer: HookAnswer): WrittenAnswer {
  const { asks } = event;
  switch (answer.says) {
    case "nothing":
      return { exitCode: 0, stdout: null, stderr: null };
    case "deny":
      return { exitCode: 2, stdout: null, stderr: answer.words };
    case "context":
      // Gemini CLI takes no context before a tool, so its user gets the message.
      if (program === "gemini" && asks === "before-tool") return told({ systemMessage: answer.words });
      return told(callAnswer(program, event, answer));
    case "go-on":
      // What idles is not stopping: it is sent on as what was refused.
      if (asks === "idle") return { exitCode: 2, stdout: null, stderr: answer.words };
      return told(callAnswer(program, event, answer));
    case "allow":
    case "end":
    case "warn":
      return told(callAnswer(program, event, answer));
  }
}

/**
 * The answer as the JSON that a call returns as its text; a program takes any other text for a failure. No event that
 * needs another form is asked by a call.
 */
export function callAnswer(program: HookProgram, { name, asks }: HookEvent, answer: HookAnswer): JsonObject {
  switch (answer.says) {
    case "nothing":
      return {};
    case "allow":
      return { hookSpecificOutput: { hookEventName: name, permissionDecision: "allow" } };
    case "deny":
      return {
        hookSpecificOutput: {
          hookEventName: name,
          permissionDecision: "deny",
          permissionDecisionReason: answer.words,
        },
      };
    case "context":
      return { hookSpecificOutput: { hookEventName: name, additionalContext: answer.words } };
    case "go-on":
      // Claude Code puts the reason of a block into the conversation twice, and goes on for a context too.
      if (program === "claude-code" && asks === "stop")
        return { hookSpecificOutput: { hookEventName: name, additionalContext: answer.words } };
      return { decision: "block", reason: answer.words };
    case "end":
      return { continue: false, stopReason: answer.words };
    case "warn":
      return { systemMessage: answer.words };
  }
}

/** The answer as a hub gives it, where a command would say it by its exit code: all of it is JSON on standard output. */
export function hubAnswer(program: HookProgram, event: HookEvent, answer: HookAnswer): JsonObject {
  if (program === "gemini" && answer.says === "deny") return { decision: "deny", reason: answer.words };
  return writeAnswer(program, event, answer).stdout ?? callAnswer(program, event, answer);
}

function told(stdout: JsonObject): WrittenAnswer {
  return { exitCode: 0, stdout, stderr: null };
}
