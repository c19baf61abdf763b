/** OpenAI's responses, as Codex sends them and reads their stream. */
import type { Provider, ToolUse } from "./model.ts";

interface Item {
  readonly type?: string;
  readonly role?: string;
}

/** A tool, or a namespace of several. */
interface ToolItem {
  readonly name?: string;
  readonly type: string;
  readonly tools?: unknown;
}

/** The tools that Codex takes free text for: a patch, and of its newest models JavaScript that calls the other tools. */
const freeTools: readonly string[] = ["apply_patch", "exec"];

/** By it a model looks for tools that are not listed to it. */
const searchTool = "tool_search";

export const openai: Provider = {
  isModel: (path) => path.endsWith("/responses"),
  isStreamed: () => true,
  read(body) {
    // A title for the session is asked for in a form.
    if ((body.text as { format?: object } | undefined)?.format !== undefined) return null;
    const items = (body.input ?? []) as readonly Item[]; // as the provider documents it
    const last = items.findLastIndex(isModels);
    return {
      number: items.filter((item, index) => isModels(item) && !isModels(items[index - 1] ?? {})).length,
      prompt: JSON.stringify([body.instructions, items.filter(({ role }) => role === "user")]),
      fresh: JSON.stringify(items.slice(last + 1)),
      whole: JSON.stringify(body),
      tools: toolNames(body.tools),
    };
  },
  write(answer, turn) {
    const items =
      typeof answer === "string"
        ? [{ type: "message", id: `msg_${turn}`, role: "assistant", content: [{ type: "output_text", text: answer }] }]
        : answer.map((use, index) => callOf(use, `call_${turn}_${index}`));
    const response = { id: `resp_${turn}` };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return [
      ["response.created", { type: "response.created", response }],
      ...items.map((item) => ["response.output_item.done", { type: "response.output_item.done", item }] as const),
      ["response.completed", { type: "response.completed", response: { ...response, usage, output: [] } }],
    ];
  },
};

/** A tool of an MCP server is called by its name in the server's namespace: `mcp__baton/task`. */
function callOf({ tool, input }: ToolUse, id: string): object {
  if (freeTools.includes(tool))
    return { type: "custom_tool_call", call_id: id, name: tool, input: Object.values(input)[0] };
  if (tool === searchTool) return { type: "tool_search_call", call_id: id, execution: "client", arguments: input };
  const [namespace, name] = tool.includes("/") ? tool.split("/") : [undefined, tool];
  const inside = namespace === undefined ? {} : { namespace };
  return { type: "function_call", call_id: id, name, ...inside, arguments: JSON.stringify(input) };
}

function isModels({ type, role }: Item): boolean {
  return (
    role === "assistant" ||
    type === "function_call" ||
    type === "custom_tool_call" ||
    type === "tool_search_call" ||
    type === "reasoning"
  );
}

function toolNames(tools: unknown, namespace = ""): readonly string[] {
  const list = (tools ?? []) as readonly ToolItem[]; // as documented
  return list.flatMap(({ name, type, tools: inner }) =>
    inner === undefined ? [namespace + (name ?? type)] : toolNames(inner, `${name ?? ""}/`),
  );
}
