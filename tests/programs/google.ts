/** Google's content stream, as Gemini CLI sends it and reads it. */
import type { Provider } from "./model.ts";

interface Content {
  readonly role: string;
}

interface ToolList {
  readonly functionDeclarations?: readonly { readonly name: string }[];
}

export const google: Provider = {
  isModel: (path) => /[gG]enerateContent/.test(path),
  isStreamed: (path) => path.includes("stream"),
  read(body) {
    const contents = (body.contents ?? []) as readonly Content[]; // as the provider documents it
    const lists = (body.tools ?? []) as readonly ToolList[]; // as documented
    const tools = lists.flatMap((each) => each.functionDeclarations ?? []);
    if (tools.length === 0) return null;
    const last = contents.findLastIndex(({ role }) => role === "model");
    return {
      number: contents.filter(({ role }) => role === "model").length,
      prompt: JSON.stringify([body.systemInstruction, contents.filter(({ role }) => role === "user")[0]]),
      fresh: JSON.stringify(contents.slice(last + 1)),
      whole: JSON.stringify(body),
      tools: tools.map(({ name }) => name),
    };
  },
  write(answer) {
    const parts =
      typeof answer === "string"
        ? [{ text: answer }]
        : answer.map(({ tool, input }) => ({ functionCall: { name: tool, args: input } }));
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return [
      [null, { candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }], usageMetadata }],
    ];
  },
};
