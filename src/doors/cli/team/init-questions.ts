/** The questions of `baton init` on a terminal. Loaded only when somebody is there to answer. */
import { multiselect, select, text } from "@clack/prompts";
import { teamName } from "../../../base/ids.ts";
import { dialectIds } from "../../../dialects/registry.ts";
import type { DialectId } from "../../../message/message.ts";
import { type TeamKindName, teamKindNames, teamKinds } from "../../../team/kinds.ts";
import { answerTo } from "../terminal/asking.ts";

export interface InitAnswers {
  readonly name: string;
  /** Null: an empty team, whose dialects are asked for. */
  readonly kind: TeamKindName | null;
  readonly dialects: readonly DialectId[];
}

/** Asks for the team's name, and its kind or dialects where none were given. Null: the person left. */
export async function askInit(proposed: InitAnswers): Promise<InitAnswers | null> {
  const name = await answerTo((asking) =>
    text({
      ...asking,
      message: "What is the team called?",
      initialValue: proposed.name,
      validate: (value) => (teamName(value ?? "") === null ? "1 to 64 of a-z, 0-9 and -" : undefined),
    }),
  );
  if (name === null) return null;
  if (proposed.kind !== null || proposed.dialects.length > 0) return { ...proposed, name };
  const kind = await answerTo((asking) =>
    select<TeamKindName | "empty">({
      ...asking,
      message: "Which kind of team is it?",
      options: [
        { value: "empty", label: "empty", hint: "agents join by baton agent register" },
        ...teamKindNames.map((value) => ({ value, label: value, hint: teamKinds[value].summary })),
      ],
    }),
  );
  if (kind === null) return null;
  if (kind !== "empty") return { name, kind, dialects: [] };
  const dialects = await answerTo((asking) =>
    multiselect<DialectId>({
      ...asking,
      message: "Which dialects do its agents speak?",
      options: dialectIds.map((value) => ({ value })),
      initialValues: dialectIds.slice(0, 1),
      required: true,
    }),
  );
  return dialects === null ? null : { name, kind: null, dialects };
}
