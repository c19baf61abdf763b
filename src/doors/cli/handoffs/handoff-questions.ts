/** The questions of `baton handoff new` on a terminal. Loaded only when somebody is there to answer. */
import { text } from "@clack/prompts";
import { agentName } from "../../../base/ids.ts";
import { type HandoffDraft, joinedDraft } from "../../../message/handoff-draft.ts";
import { answerTo } from "../terminal/asking.ts";

/** Asks for what nothing else said. Null: the person left. */
export async function askHandoff(given: HandoffDraft): Promise<HandoffDraft | null> {
  const ask = async (message: string, validate?: (value: string) => string | undefined) => {
    const answer = await answerTo((asking) =>
      // An empty answer is none at all to the prompt.
      text({ ...asking, message, defaultValue: "", validate: (value) => validate?.(value ?? "") }),
    );
    return answer?.trim() ?? null;
  };
  const list = async (message: string) => {
    const answer = await ask(`${message} (several: with ; between them; none: leave it empty)`);
    return (
      answer
        ?.split(";")
        .map((part) => part.trim())
        .filter((part) => part !== "") ?? null
    );
  };
  const target =
    given.metadata?.target_agent ??
    (await ask("Who takes over?", (value) => (agentName(value) === null ? "an agent's name, or a role" : undefined)));
  if (target === null) return null;
  const primary =
    given.instructions?.primary ??
    (await ask("What must be done?", (value) => (value.trim() === "" ? "one sentence at least" : undefined)));
  if (primary === null) return null;
  const constraints = await list("What is the work bound to?");
  const criteria = constraints === null ? null : await list("When is it done?");
  const files = criteria === null ? null : await list("Which files must be there?");
  if (constraints === null || criteria === null || files === null) return null;
  return joinedDraft([
    given,
    {
      metadata: { target_agent: target },
      instructions: { primary, constraints, success_criteria: criteria },
      dependencies: { required_files: files },
    },
  ]);
}
