/** What became of an act, as every tool that records something answers it. */
import type { Reply } from "../../runtime/team.ts";
import { noteLine, refusal, type ToolAnswer } from "./tool.ts";

/** What became of an act, as a tool's answer. */
export function replyAnswer(reply: Reply): ToolAnswer {
  if (reply.outcome === "failed") {
    const again =
      reply.problem.code === "journal-failed" ? " Whether it was recorded is unknown: retry with the same id." : "";
    return { ...refusal([reply.problem], { outcome: "failed" }, `Failed.${again}`) };
  }
  const { receipt, notes } = reply;
  if (reply.outcome === "refused") {
    const where = receipt === null ? "" : ` The refusal is entry ${receipt.seq}.`;
    return refusal(reply.problems, { receipt, notes }, `Refused: nothing was done.${where}`);
  }
  const { seq, id, duplicate, durability } = reply.receipt;
  // An act such as a completion is addressed to nobody, and need not say so.
  const to = reply.receivers.length === 0 ? "" : `, to ${reply.receivers.join(", ")}`;
  const said = `${duplicate ? "Already recorded" : "Recorded"} as entry ${seq}, id ${id ?? "none"}${to} (${durability}).`;
  return {
    data: { outcome: "accepted", receipt, receivers: reply.receivers, notes },
    text: [said, ...notes.map(noteLine)].join("\n"),
  };
}
