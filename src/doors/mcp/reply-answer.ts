/** What became of an act, as every tool that records something answers it. */
import type { Reply } from "../../operations/reply.ts";
import type { TaskVerdict } from "../../operations/task-verdict.ts";
import { inToolWords } from "./argument-names.ts";
import { noteLine, problemLine, refusal, type ToolAnswer } from "./tool.ts";

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
  const { verdicts = [], settled = [] } = reply;
  return {
    data: {
      outcome: "accepted",
      receipt,
      receivers: reply.receivers,
      notes,
      ...(verdicts.length === 0 ? {} : { verdicts }),
      ...(settled.length === 0 ? {} : { settled }),
    },
    text: [said, ...verdicts.flatMap(verdictLines), ...settled.map(settledLine), ...notes.map(noteLine)].join("\n"),
  };
}

function settledLine({ task }: TaskVerdict): string {
  return `Also verified now: ${task}, which was disputed; its report names the same commit.`;
}

/** What the repository says of a report, where it was checked at once. */
function verdictLines({ task, state, problems, notes }: TaskVerdict): readonly string[] {
  const said = {
    verified: `Verified: the repository confirms ${task}.`,
    complete: `Verified: the repository confirms ${task}.`,
    reported: `Undecided: the repository could not answer, so ${task} is not done yet.`,
    disputed: `Disputed: the repository contradicts the report of ${task}. It is not done: repair it and report again.`,
    stale: `Stale: the work of ${task} was there and is not any more. It is not done: repair it and report again.`,
  };
  return [said[state], ...problems.map((each) => problemLine(inToolWords(each))), ...notes.map(noteLine)];
}
