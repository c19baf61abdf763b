/** Anthropic's messages, as Claude Code sends them and reads their stream. */
import type { Provider } from "./model.ts";

interface Message {
  readonly role: string;
  readonly content: unknown;
}

export const anthropic: Provider = {
  isModel: (path) => path.startsWith("/v1/messages") && !path.includes("count_tokens"),
  isStreamed: () => true,
  read(body) {
    const messages = (body.messages ?? []) as readonly Message[]; // as the provider documents it
    const tools = (body.tools ?? []) as readonly { readonly name: string }[]; // as documented
    if (tools.length === 0) return null;
    const last = messages.findLastIndex(({ role }) => role === "assistant");
    return {
      number: messages.filter(({ role }) => role === "assistant").length,
      prompt: JSON.stringify([body.system, messages.filter(({ role }) => role === "user")[0]]),
      fresh: JSON.stringify(messages.slice(last + 1)),
      whole: JSON.stringify(body),
      tools: tools.map(({ name }) => name),
    };
  },
  write(answer, turn) {
    const blocks =
      typeof answer === "string"
        ? [{ start: { type: "text", text: "" }, delta: { type: "text_delta", text: answer } }]
        : answer.map(({ tool, input }, index) => ({
            start: { type: "tool_use", id: `toolu_${turn}_${index}`, name: tool, input: {} },
            delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
          }));
    const started = { type: "message_start", message: messageOf(turn) };
    const ended = {
      type: "message_delta",
      delta: { stop_reason: typeof answer === "string" ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: 1 },
    };
    const events: readonly (object & { readonly type: string })[] = [
      started,
      ...blocks.flatMap(({ start, delta }, index) => [
        { type: "content_block_start", index, content_block: start },
        { type: "content_block_delta", index, delta },
        { type: "content_block_stop", index },
      ]),
      ended,
      { type: "message_stop" },
    ];
    return events.map((event) => [event.type, event] as const);
  },
};

function messageOf(turn: number): object {
  return {
    id: `msg_${turn}`,
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}
