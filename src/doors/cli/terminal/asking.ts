/**
 * Asking somebody at a terminal, on standard error. Somebody who presses Ctrl-C or Ctrl-D, or whose terminal ends, has
 * left: no question stays open behind them. Loaded only when somebody is there to answer.
 */
import { confirm, isCancel, multiselect, select, text } from "@clack/prompts";
import { teamName } from "../../../base/ids.ts";
import { dialectIds } from "../../../messages/dialects/registry.ts";
import type { DialectId } from "../../../messages/message.ts";
import { type TeamKindName, teamKindNames, teamKinds } from "../../../team/state/kinds.ts";

/** What every prompt is given. */
export interface Asking {
  readonly output: NodeJS.WriteStream;
  readonly signal: AbortSignal;
}

interface Key {
  readonly name?: string;
  readonly ctrl?: boolean;
}

/** The answer to one question; null: the person left. */
export async function answerTo<Answer>(
  question: (asking: Asking) => Promise<Answer>,
): Promise<Exclude<Answer, symbol> | null> {
  const left = new AbortController();
  const leave = () => left.abort();
  // The prompts know Ctrl-C only; at Ctrl-D their line editor closes and the question would wait for ever.
  const onKey = (_text: string | undefined, key: Key | undefined) => {
    if (key?.ctrl === true && key.name === "d") leave();
  };
  const { stdin } = process;
  stdin.on("keypress", onKey).once("end", leave).once("close", leave);
  try {
    const answer = await question({ output: process.stderr, signal: left.signal });
    return isCancel(answer) ? null : (answer as Exclude<Answer, symbol>); // Prompts answer with no other symbol.
  } finally {
    stdin.off("keypress", onKey).off("end", leave).off("close", leave);
  }
}

/* The questions of `baton start` on a terminal. Loaded only when somebody is there to answer. */

/** What there will be, in the words of the options. */
interface StartAnswers {
  readonly agents: string;
  readonly checks: readonly string[];
}

/** Asks which agents there are and what work must pass. Null: the person left. */
export async function askStart(
  proposed: StartAnswers & { readonly found: readonly string[] },
  problemOf: (agents: string) => string | undefined,
): Promise<StartAnswers | null> {
  const agents = await answerTo((asking) =>
    text({
      ...asking,
      message: `Found ${proposed.found.join(", ")}. How many agents of each? The first one leads.`,
      initialValue: proposed.agents,
      validate: (value) => problemOf(value ?? ""),
    }),
  );
  if (agents === null) return null;
  const check = await answerTo((asking) =>
    text({
      ...asking,
      message: "Which command must pass before work lands? Empty: none.",
      initialValue: proposed.checks[0] ?? "",
      defaultValue: "",
    }),
  );
  return check === null ? null : { agents, checks: [check, ...proposed.checks.slice(1)] };
}

/** Null: the person left. */
export async function askWhether(message: string): Promise<boolean | null> {
  return await answerTo((asking) => confirm({ ...asking, message }));
}

/* The questions of `baton init` on a terminal. Loaded only when somebody is there to answer. */

interface InitAnswers {
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

/** The answer to a question of yes or no; who leaves says no. */
export async function confirmed(message: string): Promise<boolean> {
  return (await answerTo((asking) => confirm({ ...asking, message }))) === true;
}
