/**
 * The doors through which a play is played: in this process, by real processes of the command, or by the tools of a real
 * `baton mcp` for each agent. A tool's answer is put as the command prints it; what no tool does is done by the command.
 */

import { type Called, called } from "../e2e/called.ts";
import { baton } from "../e2e/command.ts";
import { type Answered, clients, type Driver } from "../mcp/clients.ts";

/** Runs words as somebody. */
export type Run = (who: string, words: readonly string[], input: string, call?: Call) => Promise<Called>;

/** The variable that chooses the door where a play does not: `command`, `mcp`, or none for this process. */
export const doorVariable = "BATON_TEST_PLAY_DOOR";

/** What runs words in this folder, through a door. */
export function doorTo(directory: string, door = process.env[doorVariable]): Run {
  const asAgent = (who: string, words: readonly string[]) => (who === "owner" ? words : [...words, "--as", who]);
  if (door === "command")
    return async (who, words, input) => {
      const done = baton(directory, asAgent(who, words), input);
      return { ...done, said: `${done.stdout}${done.stderr}` };
    };
  const byCommand: Run = (who, words, input) => called(directory, asAgent(who, words), input);
  return door === "mcp" ? byTools(directory, byCommand) : byCommand;
}

function byTools(directory: string, byCommand: Run): Run {
  const connect = clients["the second SDK's client in the stateless era"];
  const drivers = new Map<string, Promise<Driver>>();
  return async (who, words, input, asked) => {
    const call = who === "owner" ? null : (asked ?? callOf(words, input));
    if (call === null || connect === undefined) return await byCommand(who, words, input);
    const driver = drivers.get(who) ?? connect({ directory, words: ["mcp", "--as", who] });
    drivers.set(who, driver);
    return printed(await (await driver).call(call.tool, call.given));
  };
}

/** A call of a tool. */
export interface Call {
  readonly tool: string;
  readonly given: Record<string, unknown>;
}

/** The call that does the same as a command; null: no tool does. */
function callOf(words: readonly string[], input: string): Call | null {
  const [subject = "", verb = "", name = "", ...more] = words;
  const named = (option: string) => words.flatMap((word, at) => (words[at - 1] === option ? [word] : []));
  if (subject === "send" && verb !== "--type") {
    const to = named("--to");
    return { tool: "send_message", given: { message: input, ...(to.length === 0 ? {} : { to }) } };
  }
  if (subject === "inbox" && verb === "--json") return { tool: "read_inbox", given: { limit: 100 } };
  if (subject === "task" && (verb === "claim" || verb === "release")) {
    const files = named("--files");
    return { tool: "task", given: { action: verb, task: name, ...(files.length === 0 ? {} : { files }) } };
  }
  if (subject === "escalation" && verb === "raise") return { tool: "task", given: { action: verb, task: name } };
  if (subject === "escalation" && verb === "resolve")
    return { tool: "task", given: { action: verb, task: name, decision: named("--decision")[0] ?? "" } };
  if (subject === "handoff" && (verb === "accept" || verb === "complete"))
    return { tool: "handoff", given: { action: verb, handoff: name } };
  if (subject === "handoff" && verb === "reject") {
    const reasons = more.filter((word) => word !== "--json");
    return { tool: "handoff", given: { action: verb, handoff: name, reasons } };
  }
  return null;
}

/** The answer as the command prints it as JSON: a receipt or the messages, else the problems. */
function printed({ isError, data, text }: Answered): Called {
  const isDenied = isError || data.outcome === "denied";
  const lines = isDenied ? [data] : ((data.messages ?? [data.receipt ?? data]) as readonly unknown[]);
  const stdout = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  return { code: isDenied ? 2 : 0, stdout, stderr: "", said: text };
}
