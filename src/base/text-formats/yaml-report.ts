/** Problems of a YAML text that say where. */
import type { LineCounter } from "yaml";
import { type Problem, type ProblemCode, problem } from "../problem.ts";

/** A place in a text: both from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What mends a text that is no YAML. */
export const syntaxHint =
  "Mend this line or the one before: indent by spaces, and quote text that holds `: `, ` #` or a bracket.";

/** Makes problems that say where. */
export class Report {
  private readonly text: string;
  private readonly source: string;
  private readonly lines: LineCounter;

  constructor(text: string, source: string, lines: LineCounter) {
    this.text = text;
    this.source = source;
    this.lines = lines;
  }

  place(offset: number): Place {
    if (this.lines.lineStarts.length > 0) {
      const { line, col } = this.lines.linePos(Math.min(offset, this.text.length));
      return { line: Math.max(1, line), column: Math.max(1, col) };
    }
    // Before parsing, lines are not counted yet.
    const before = this.text.slice(0, offset).split("\n");
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }

  at(code: ProblemCode, offset: number, message: string, hint?: string): Problem {
    const { line, column } = this.place(offset);
    const sentence = /[.!?]$/.test(message) ? message.slice(0, -1) : message;
    return problem(code, `${this.source}:${line}:${column}`, `${sentence} (line ${line}, column ${column}).`, { hint });
  }
}
