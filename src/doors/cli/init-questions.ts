/** The questions of `baton init` on a terminal. Loaded only when somebody is there to answer. */
import { isCancel, multiselect, text } from "@clack/prompts";
import { teamName } from "../../base/ids.ts";
import { dialectIds } from "../../dialects/registry.ts";

import type { DialectId } from "../../message/message.ts";

export interface InitAnswers {
  readonly name: string;
  readonly dialects: readonly DialectId[];
}

/** Asks for the team's name, and its dialects where none were given. Null: the person left. Questions go to standard error. */
export async function askInit(proposed: InitAnswers): Promise<InitAnswers | null> {
  const output = process.stderr;
  const name = await text({
    output,
    message: "What is the team called?",
    initialValue: proposed.name,
    validate: (value) => (teamName(value ?? "") === null ? "1 to 64 of a-z, 0-9 and -" : undefined),
  });
  if (isCancel(name)) return null;
  if (proposed.dialects.length > 0) return { name, dialects: proposed.dialects };
  const dialects = await multiselect<DialectId>({
    output,
    message: "Which dialects do its agents speak?",
    options: dialectIds.map((value) => ({ value })),
    initialValues: dialectIds.slice(0, 1),
    required: true,
  });
  return isCancel(dialects) ? null : { name, dialects };
}
