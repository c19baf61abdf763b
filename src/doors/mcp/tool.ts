/**
 * The shape of a tool: what it is called, what it takes and answers, and what it does. A tool describes itself once;
 * the server publishes and runs it. Every tool may be called again with the same arguments without further effect.
 */
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { Clock } from "../../base/clock.ts";
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Note } from "../../message/message.ts";
import type { Team } from "../../runtime/team/team.ts";
import { inToolWords } from "./argument-names.ts";

/** Brings the team of a call. A team that cannot be opened is an answer to each call, and the next call tries again. */
export type TeamSource = () => Promise<Result<Team, readonly Problem[]>>;

export interface McpOptions {
  /** Version of the package, shown to clients. */
  readonly version: string;
  /** The JSON Schema text of `vbw/2/plan_contract`, or null; absent: schemas are no resources. */
  readonly schemaOf?: (name: string) => string | null;
  readonly clock?: Clock;
  /** Root of the files that the agent works on, where they lie on this machine; absent: they do not. */
  readonly files?: string;
}

/** What a tool knows of the call beside its arguments. */
export interface ToolCall {
  readonly team: Team;
  readonly clock: Clock;
  /** Where the agent's files lie; null: they are not on this machine, or it is not known. */
  readonly files: string | null;
  /** Aborts when the client gave up or went away. */
  readonly signal: AbortSignal;
  /** Tells the client that work goes on; does nothing where it did not ask to be told. */
  progress(done: number, total: number): Promise<void>;
}

/** What a tool answers: data for programs, and words for clients that show text only. `text` holds no raw agent text. */
export interface ToolAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The call had no effect, or its outcome is unknown; `data.problems` says why. */
  readonly isError?: true;
}

export interface Tool<Input> {
  readonly name: string;
  readonly title: string;
  /** For the agent, below 2 KB. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType;
  readonly annotations: ToolAnnotations;
  run(given: Input, call: ToolCall): Promise<ToolAnswer>;
}

/** Annotations of a tool that only looks. */
export const looks: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** Annotations of a tool that records something and takes nothing away. That it is not read-only goes without saying. */
export const records: ToolAnnotations = { destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** The answer to a call that was refused: the problems as data and, a line each, as text. */
export function refusal(
  problems: readonly Problem[],
  more: Readonly<Record<string, unknown>> = {},
  head = "Refused: nothing was done.",
): ToolAnswer {
  const told = problems.map(inToolWords);
  return {
    data: { outcome: "refused", ...more, problems: told },
    text: [head, ...told.map(problemLine)].join("\n"),
    isError: true,
  };
}

/** `- missing-field at $.payload.status: … (expected …; hint: …)`, safe to show. */
export function problemLine({ code, path, message, expected, received, hint }: Problem): string {
  const more = [
    expected === undefined ? null : `expected: ${expected}`,
    received === undefined ? null : `received: ${received}`,
    hint === undefined ? null : `hint: ${hint}`,
  ].filter((part) => part !== null);
  return visible(`- ${code} at ${path}: ${message}${more.length === 0 ? "" : ` (${more.join("; ")})`}`);
}

/** `- note unknown-field at $.payload.x: …`, safe to show. */
export function noteLine({ code, path, message }: Note): string {
  return visible(`- note ${code} at ${path}: ${message}`);
}
