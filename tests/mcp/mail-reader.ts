/** A session of an agent that reads its mail, called as its program calls, with the file that Codex keeps of it. */
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { AgentStatus } from "../../src/team/operations/agents.ts";
import { calledWithCode } from "../e2e/called.ts";
import { jsonLines } from "../e2e/command.ts";
import { programSession } from "./clients.ts";

const sessionId = "01a221e7-6aa9-7530-8be5-0b589810a583";

/** The file in which Codex keeps a conversation: all calls of an answer, then what each of them returned. */
function conversationOfCodex(folder: string) {
  const path = join(folder, `sessions/2026/01/02/rollout-2026-01-02T03-04-05-${sessionId}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const say = (type: string, payload: object) => appendFileSync(path, `${JSON.stringify({ type, payload })}\n`);
  say("session_meta", { id: sessionId });
  let calls: readonly string[] = [];
  const returned = (id: string) =>
    say("response_item", { type: "function_call_output", call_id: id, output: "a_call" });
  return {
    /** The model answers: everything that it called before has returned. */
    answers: (...ids: readonly string[]) => {
      for (const id of calls) returned(id);
      for (const id of ids) say("response_item", { type: "function_call", call_id: id, name: "exec_command" });
      calls = ids;
    },
    /** One of several calls has returned. */
    returns: (id: string) => {
      returned(id);
      calls = calls.filter((each) => each !== id);
    },
  };
}

/** The calls of qa-1's session of the program, and what becomes of its mail. */
export async function reader(directory: string, program: "claude-code" | "codex", session = sessionId) {
  const folder = join(directory, ".codex-home");
  const conversation = conversationOfCodex(folder);
  const qa = await programSession(directory, program, "qa-1", { CLAUDE_CODE_SESSION_ID: session, CODEX_HOME: folder });
  const meta = { threadId: session, sessionId: session };
  const ask = async (event: string, more: object = {}) => {
    const asked = { hook_event_name: event, cwd: directory, session_id: session, ...more };
    const own = program === "claude-code" ? { agent_id: "", agent_type: "" } : {};
    return (await qa.call("hook", { ...asked, ...own }, program === "codex" ? meta : undefined)).text;
  };
  let uses = 0;
  return {
    [Symbol.asyncDispose]: () => qa[Symbol.asyncDispose](),
    ask,
    conversation,
    /** A command in a shell: before it, in another answer of the model; or after it, in Claude Code after all tools. */
    shell: (event = "PreToolUse") => {
      if (event === "PreToolUse") conversation.answers(`b${uses}`);
      return ask(
        event,
        event === "PostToolBatch"
          ? {}
          : { tool_name: "Bash", tool_use_id: `b${uses++}`, tool_input: { command: "ls" } },
      );
    },
    /** What `read_inbox` returns, and then the hook after it. */
    inbox: async (given: object) => {
      const use = `u${uses++}`;
      const tool = { tool_name: "mcp__baton__read_inbox", tool_use_id: use, tool_input: JSON.stringify(given) };
      if (program === "claude-code") await ask("PreToolUse", tool);
      const page = await qa.call(
        "read_inbox",
        given,
        program === "codex" ? { ...meta, callId: use } : { "claudecode/toolUseId": use },
      );
      const after = await ask(program === "codex" ? "PostToolUse" : "PostToolBatch", program === "codex" ? tool : {});
      return `${page.text}\n${after}`;
    },
    send: async (words: string) => {
      await calledWithCode(0, directory, ["send", "--as", "lead-1", "--to", "qa-1"], words);
    },
    unread: async () => {
      // What follows from an answer is done before the next one, and the user's prompt confirms nothing.
      await ask("UserPromptSubmit");
      const agents = jsonLines(await calledWithCode(0, directory, ["agent", "list", "--json"]));
      const own = agents.find(({ agent }) => agent === "qa-1") as unknown as AgentStatus; // as documented
      return own.unread;
    },
  };
}
