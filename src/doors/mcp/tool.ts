/**
 * The shape of a tool: what it is called, what it takes and answers, and what it does. A tool describes itself once;
 * the server publishes and runs it. Every tool may be called again with the same arguments without further effect.
 */
import type { InputRequiredResult, McpServer, ServerContext, ToolAnnotations } from "@modelcontextprotocol/server";
import type * as z from "zod";
import { atDoor, type DoorNames } from "../../base/argument.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { boundedProblems, type Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import type { Receipt } from "../../journal/entry.ts";
import type { Note } from "../../messages/message.ts";
import type { Grant } from "../../perform/operations/generated/calls.ts";
import { toolsOfCommands } from "../../perform/operations/generated/tools.ts";
import type { Reply, TaskVerdict } from "../../perform/operations/reply.ts";
import type { Team } from "../../perform/team.ts";
import { furtherText, isUpheld } from "../../tasks/state/report-status.ts";

/**
 * Brings the team of a call, as the agent that makes it; without a call, as the agent that the server was started for. A
 * team that cannot be opened is an answer to each call, and the next call tries again.
 */
export type TeamSource = (call?: CallOrigin) => Promise<Result<Team, readonly Problem[]>>;

/**
 * Where a call comes from, as the client's program says it next to the arguments, which no model writes: Claude Code names
 * the use of the tool, Codex the thread.
 */
export interface CallOrigin {
  /** The use of a tool by Claude Code's model; null: it is no such use. */
  readonly toolUse: string | null;
  /** Codex's thread, and its session, which is the thread of the agent that began it. */
  readonly thread: string | null;
  readonly session: string | null;
  /** Whether a model made the call, as far as its program says. */
  readonly isModels: boolean;
  /** Whether the tool only looks. */
  readonly looks: boolean;
}

export interface McpOptions {
  /** Version of the package, shown to clients. */
  readonly version: string;
  readonly clock?: Clock;
  /** Answers a hook of the client's program, which is a call of the tool `hook`; absent: there is no such tool. */
  readonly hook?: (input: JsonObject, origin: CallOrigin) => Promise<JsonObject>;
  /** Answers whether a tool may be used, where the client's program asks a tool that; absent: there is no such tool. */
  readonly permit?: (asked: JsonObject) => Promise<JsonObject>;
  /** Asks the person in the session's terminal about what its agent asks for; absent: nobody may be asked there. */
  readonly person?: PersonHere;
  /** Only hooks are answered: a plugin runs in projects without a team, whose models need not read of its tools. */
  readonly isQuiet?: boolean;
  /** Root of the files that the agent works on, where they are on this machine; absent: they do not. */
  readonly files?: string;
}

/** The person of one program's session. */
export interface PersonHere {
  /** The answer of a tool after the person's, where the call filed a request; `InputRequiredResult`: the form to show. */
  decide(answer: ToolAnswer, call: PersonCall): Promise<ToolAnswer | InputRequiredResult>;
  /** The answer to a call that the client repeats with the person's answer; null: it is a new call. */
  resume(context: ServerContext): Promise<ToolAnswer | null>;
}

interface PersonCall {
  readonly team: Team;
  readonly origin: CallOrigin;
  readonly server: McpServer;
  readonly context: ServerContext;
}

/** What a tool knows about the call in addition to its arguments. */
export interface ToolCall {
  readonly team: Team;
  readonly clock: Clock;
  /** Where the agent's files lie; null: they are not on this machine, or it is not known. */
  readonly files: string | null;
  /** Aborts when the client gave up or went away. */
  readonly signal: AbortSignal;
  /** Tells the client that work goes on; does nothing if it did not request that. */
  progress(done: number, total: number): Promise<void>;
}

/** What a tool answers, all of it data: some programs show their model only this, the others the same as a line of JSON. */
export interface ToolAnswer {
  readonly data: Readonly<Record<string, unknown>>;
  /** The call had no effect, or its outcome is unknown; `data.problems` says why. */
  readonly isError?: true;
}

export interface Tool<Input> {
  readonly name: string;
  readonly title: string;
  /** For the agent, below 2 KB. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly annotations: ToolAnnotations;
  run(given: Input, call: ToolCall): Promise<ToolAnswer>;
}

/** Annotations of a tool that only looks. */
export const looks: ToolAnnotations = { readOnlyHint: true, idempotentHint: true, openWorldHint: false };

/** Annotations of a tool that records something and takes nothing away. That it is not read-only goes without saying. */
export const records: ToolAnnotations = { destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** The answer to a call that was refused, with the problems. */
export function refusal(problems: readonly Problem[], more: Readonly<Record<string, unknown>> = {}): ToolAnswer {
  const told = boundedProblems(problems).map(inToolWords);
  return { data: { outcome: "refused", ...more, problems: told }, isError: true };
}

/** The answer with what was read otherwise than it was written. */
export function withNotes(answer: ToolAnswer, notes: readonly Note[]): ToolAnswer {
  if (notes.length === 0) return answer;
  const { notes: known = [] } = answer.data as { readonly notes?: readonly Note[] };
  return { ...answer, data: { ...answer.data, notes: [...notes, ...known] } };
}

/*
 * What an MCP client calls the arguments of an operation: a tool's arguments are spelled as the neutral names are. The
 * arguments that opened the server can only be changed where it is started, so they are named by the options of `baton
 * mcp`, and the credential by its kind: it is an option there, and a header where a hub serves the tools.
 */

/** The problem with its path and its hint as the one who called a tool may act on them. */
export function inToolWords(told: Problem): Problem {
  return atDoor(told, names);
}

const names: DoorNames = {
  opening: { team: "--team", actor: "--as", credential: "credential", hub: "--hub" },
  // A handoff's files are reported by their checksums.
  of: (name) => `arguments.${name === "verified" ? "sums" : name}`,
  command(name) {
    const [tool, action] = Object.hasOwn(toolsOfCommands, name) ? (toolsOfCommands[name] ?? []) : [];
    if (tool === undefined) return null;
    return action === undefined ? `\`${tool}\`` : `\`${tool}\` with action "${action}"`;
  },
};

/* The outcome of an operation, as every tool that records something returns it. */

/**
 * The outcome of an operation, as a tool's answer. A denied claim is an answer too, not an error: it says what to do
 * instead, and the next call may succeed.
 */
export function replyAnswer(reply: Reply | Reply<Grant>, isMessage = false): ToolAnswer {
  if (reply.outcome === "failed") {
    const isOpen = reply.problem.code === "journal-failed";
    const says = isOpen ? { says: "Whether it was recorded is unknown: retry with the same id." } : {};
    return refusal([reply.problem], { outcome: "failed", ...says });
  }
  if (reply.outcome === "refused") {
    const { receipt, notes } = reply;
    const { reason = null, holder, paths } = reply.denial ?? {};
    if (reason !== null) {
      const denied = {
        outcome: "denied",
        reason,
        ...(holder === null ? {} : { holder }),
        ...listed({ paths: paths ?? [] }),
      };
      return { data: { ...denied, problems: reply.problems.map(denialInWords) } };
    }
    // The refusal is an entry, too.
    return refusal(reply.problems, {
      receipt: receipt === null ? null : shortReceipt(receipt, isMessage),
      ...listed({ notes }),
    });
  }
  const { outcome, receipt, receivers, notes, verdicts = [], settled = [], ...more } = reply;
  if ("granted" in more) {
    const { task, token, expiresAt, files, order } = more;
    const told = notes.filter(({ code }) => code !== "no-contract");
    const data = { outcome: "granted", task, token, expiresAt, files, ...order, ...listed({ notes: told }) };
    return { data: { ...data, receipt: shortReceipt(receipt, isMessage) } };
  }
  const lists = { receivers, notes, verdicts: verdicts.map(inWords), settled: settled.map(settledInWords) };
  return { data: { outcome, receipt: shortReceipt(receipt, isMessage), ...listed(lists), ...more } };
}

/** Those lists that hold something: of the others nobody needs to read. */
function listed(lists: Readonly<Record<string, readonly unknown[]>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}

/** What an agent can use of a receipt, such as the id of its message; digests are for programs. */
function shortReceipt({ seq, id, duplicate }: Receipt, isMessage: boolean): Partial<Receipt> {
  return { seq, ...(isMessage ? { id } : {}), ...(duplicate ? { duplicate } : {}) };
}

/** What is in the way and what to do: that nothing is, was expected. */
function denialInWords(problem: Problem): object {
  const { expected: _, received: __, ...told } = inToolWords(problem);
  return told;
}

function settledInWords(verdict: TaskVerdict): object {
  return { ...verdict, says: `${verdict.task} was disputed; its report names the same commit, so it is verified now.` };
}

/** What the repository says of a report, where it was checked at once. */
function inWords(verdict: TaskVerdict): object {
  const { task, state, problems, notes } = verdict;
  // Of a state that is not here, a newer hub's, the state is its own word.
  const said: { readonly [each in typeof state]?: string } = {
    verified: `The repository confirms ${task}.`,
    complete: `The repository confirms ${task}.`,
    reported: `The repository could not answer, so ${task} is not done yet.`,
    disputed: isUpheld(notes)
      ? furtherText(task)
      : `The repository contradicts the report of ${task}. It is not done: repair it and report again.`,
    gone: `The work of ${task} was there and is not any more. It stays done until a lead or the owner says otherwise.`,
  };
  const { [state]: says } = said;
  return {
    task,
    state,
    ...(says === undefined ? {} : { says }),
    ...listed({ problems: problems.map(inToolWords), notes }),
  };
}
