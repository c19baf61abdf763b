/** `baton send`: one input is one message; the receipt comes after it is durable. */
import { messageBytesMax } from "../../base/limits.ts";
import type { makeProblem, Problem } from "../../base/problem.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { shellLine } from "../../doors/cli/kernel/next-command.ts";
import { answer, listed, withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { remoteAddress } from "../../messages/remote-address.ts";
import { type Address, readAddress } from "../../messages/role.ts";
import type * as Settings from "./set-fields.ts";

export const command: Command = {
  acts: true,
  description:
    "The text is one message: a JSON object of one of the team's dialects, or prose. It is read, checked, authorised and\n" +
    "recorded; then the receipt is printed. A refused message has no effect: its problems say what to repair, and the\n" +
    "refusal is recorded too. Sending the same text with the same id again is safe and answers with the first receipt.\n\n" +
    "With --type no FILE is needed: --set writes the type's own fields, and Baton fills in the envelope and what it knows\n" +
    "of the team, the plan and the sender. PATH is a field (status), a part of it (checks.total) or an entry of a list\n" +
    "(files[0], or files[] for one more). PATH=VALUE is text, read as the number or the flag that the field asks for;\n" +
    "PATH:=JSON is any JSON value. A field that the type does not have is refused.",
  positionals: [{ name: "FILE", summary: "the message; - or nothing reads standard input" }],
  options: [
    { name: "type", kind: "text", value: "TYPE", summary: "write a message of this type from --set, not from FILE" },
    {
      name: "set",
      kind: "text",
      value: "PATH=VALUE",
      repeatable: true,
      summary: "a field of it, as text; PATH:=JSON for any other value",
    },
    { name: "task", kind: "text", value: "TASK", summary: "with --type, the task that it is about" },
    {
      name: "to",
      kind: "text",
      value: "RECEIVER",
      repeatable: true,
      summary: "an agent, role:ROLE, or remote:NAME (default: those the dialect names)",
    },
    {
      name: "id",
      kind: "text",
      value: "ID",
      summary: "the id of this operation, for retries (default: the id in the message)",
    },
    {
      name: "prose-id",
      argument: "proseId",
      kind: "text",
      value: "ID",
      summary: "the same where the text is prose that quotes a message (default: one is made)",
    },
    { name: "strict", kind: "flag", summary: "refuse fields the definition does not know" },
  ],
  examples: [
    { line: "baton send update.json --as dev-1", meaning: "to the receivers the dialect names" },
    {
      line: "baton send --type execution_update --task 1-1-T1 --set status=partial --set commit= --as dev-1",
      meaning: "a message from its fields alone; the rest is filled in",
    },
    {
      line: "baton send plan.json --as lead-1 --to dev-1 --to role:qa",
      meaning: "to one agent and everyone of a role",
    },
    {
      line: "echo 'Lunch?' | baton send - --as dev-1 --to lead-1 --id lunch-1",
      meaning: "prose, under an id that makes a retry safe",
    },
  ],
  next: "baton show ID tells how far delivery came; the receiver runs baton inbox --as NAME.",
  run: async (call) => {
    const receivers = receiversOf(call);
    if ("code" in receivers) return call.output.fail(receivers);
    const type = call.given.text("type");
    const problem = misusedDraft(call, type);
    if (problem !== null) return call.output.fail(problem);
    if (type !== undefined) return await sendDraft(call, type, receivers);
    const file = call.given.word("FILE") ?? "-";
    if (file === "-" && process.stdin.isTTY) {
      return call.output.fail(
        usageProblem(
          "FILE",
          "FILE is missing, and standard input is a terminal.",
          "baton send message.json --as AGENT",
        ),
      );
    }
    const text = await readWhole(file, messageBytesMax, call.signal);
    if (!text.ok) return call.output.fail(looksLikeText(text.error, file));
    if (call.signal.aborted) return exitCodes.interrupted;
    return await send(call, text.value, receivers);
  },
};

/** The error of options that only mean something together. */
function misusedDraft({ given }: Call, type: string | undefined): Problem | null {
  const [first] = ["set", "task"].filter((name) => given.texts(name).length > 0);
  if (type === undefined) {
    return first === undefined
      ? null
      : usageProblem(`--${first}`, `--${first} needs --type.`, "baton reference lists the types");
  }
  const [other] = [given.word("FILE") === undefined ? null : "FILE", given.text("prose-id") && "--prose-id"].flatMap(
    (name) => name ?? [],
  );
  if (other === undefined) return null;
  return usageProblem(other, `${other} means nothing with --type.`, "write the fields with --set, or leave --type out");
}

/** Sends a message that is written on the command line, and says by its options what is wrong with it. */
async function sendDraft(call: Call, type: string, to: readonly Address[]): Promise<ExitCode> {
  const { given } = call;
  const draft = await import("./set-fields.ts");
  const task = given.text("task");
  const fields = draft.readSettings([...(task === undefined ? [] : [`task=${task}`]), ...given.texts("set")]);
  if (!fields.ok) return call.output.fail(fields.error);
  return await send(call, JSON.stringify({ type, ...fields.value }), to, draft);
}

/** Says the line that a refused draft is repaired by, and what of it has no place there. */
async function offerRepair({ given, output }: Call, problems: readonly Problem[]): Promise<void> {
  const { repairedLine } = await import("./set-fields.ts");
  const option = (name: string) => given.texts(name).flatMap((value) => [`--${name}`, value]);
  const written = ["type", "task", "set", "to", "id", "as", "team"].flatMap(option);
  const line = repairedLine(written, problems);
  if (line === null) return;
  const lead = line.isOpen ? "Fill in the words in capitals, and send it" : "Repaired, to copy and change";
  output.say(`${lead}: ${line.text}`);
  const leftOut = line.leftOut.flatMap((setting) => shellLine(["--set", setting]) ?? []);
  if (leftOut.length > 0) output.say(`Left out: ${leftOut.join(" ")}`);
}

/** Somebody who writes the words in FILE's place learns how words and typed messages are sent. */
function looksLikeText(problem: Problem, file: string): Problem {
  if (problem.code !== "not-found" || /[\\/]|\.[A-Za-z0-9]{1,8}$/.test(file)) return problem;
  const hint =
    "FILE names a file. Plain text: echo 'TEXT' | baton send - --as AGENT --to RECEIVER. A typed message is a file with JSON: `baton reference` lists the types, `baton reference DIALECT/TYPE` their fields";
  return { ...problem, hint };
}

/** Sends the text. `draft`: it was written by `--set`, so what is wrong with it is named by its options. */
async function send(
  call: Call,
  text: string | Uint8Array,
  to: readonly Address[],
  draft: typeof Settings | null = null,
): Promise<ExitCode> {
  const id = call.given.text("id");
  const proseId = call.given.text("prose-id");
  const remotes = to.flatMap((each) => ("remote" in each ? [remoteAddress(each)] : []));
  return await withTeam(call, async (team) => {
    const sent = await team.send(text, {
      ...(id === undefined ? {} : { id }),
      ...(proseId === undefined ? {} : { proseId }),
      ...(to.length === 0 ? {} : { to }),
      strict: call.given.flag("strict"),
      ...(draft === null ? {} : { draft: true }),
    });
    const reply = draft === null ? sent : draft.inSettings(sent);
    // Whatever the reason, a message that was judged and not taken is refused.
    const code = answer(
      call,
      reply,
      (receipt, receivers) =>
        `${receipt.duplicate ? "Already sent" : "Sent"}: entry ${receipt.seq}, id ${receipt.id ?? "none"}, to ${listed([...remotes, ...receivers])}` +
        ` (${receipt.durability})`,
      () => exitCodes.refused,
    );
    if (draft !== null && reply.outcome === "refused") await offerRepair(call, reply.problems);
    return code;
  });
}

function receiversOf(call: Call): readonly Address[] | ReturnType<typeof makeProblem> {
  const receivers: Address[] = [];
  for (const text of call.given.texts("to")) {
    const address = readAddress(text);
    if (!address.ok) return address.error;
    receivers.push(address.value);
  }
  return receivers;
}
