/**
 * Asking somebody at a terminal, on standard error. Somebody who presses Ctrl-C or Ctrl-D, or whose terminal ends, has
 * left: no question stays open behind them. Loaded only when somebody is there to answer.
 */
import { isCancel } from "@clack/prompts";

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
