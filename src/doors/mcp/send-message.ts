/** `send_message`: the one way in, as a tool. */
import * as z from "zod";
import { jsonDepthMax } from "../../base/limits.ts";
import { jsonPath, makeProblem, type Problem, pathStep } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Address, readAddress } from "../../messages/role.ts";
import { records, refusal, replyAnswer, type Tool } from "./tool.ts";

const input = z.strictObject({
  // Any value passes the shape: a copy would lose keys such as __proto__ that must be refused, not dropped.
  message: z
    .unknown()
    // A list of types makes a program's validator warn on the terminal; without `properties` this becomes such a list.
    .meta({ anyOf: [{ type: "object", properties: {} }, { type: "string" }] })
    .describe("typed, or prose"),
  to: z.array(z.string()).optional().describe("agents, role:ROLE, remote:NAME; absent: whom the type names"),
  id: z.string().optional(),
  strict: z.boolean().optional().describe("refuse unknown extra fields"),
  draft: z
    .boolean()
    .optional()
    .describe("message has type and fields only; tasks of a contract: {task,title,files,depends_on}"),
});

export const sendMessage: Tool<z.infer<typeof input>> = {
  name: "send_message",
  title: "Send a message",
  description:
    "Send a message; the receipt means that it is durable. Ask describe_message before you write a type for the first time. " +
    "A refusal has no effect: repair it and send it under a new id. Answers to approvals are messages too.",
  input,
  annotations: records,
  run: async (given, { team }) => {
    const text = messageText(given.message);
    if (!text.ok) return refusal([text.error]);
    const to = addressesOf(given.to ?? []);
    if (!to.ok) return refusal(to.error);
    const reply = await team.send(text.value, {
      ...(given.id === undefined ? {} : { id: given.id }),
      ...(to.value.length === 0 ? {} : { to: to.value }),
      ...(given.strict === undefined ? {} : { strict: given.strict }),
      ...(given.draft === undefined ? {} : { draft: given.draft }),
    });
    return replyAnswer(reply, true);
  },
};

function addressesOf(names: readonly string[]): Result<readonly Address[], readonly Problem[]> {
  const read = names.map(readAddress);
  const problems = read.flatMap((each, index) =>
    each.ok ? [] : [{ ...each.error, path: jsonPath(["to", index], "arguments") }],
  );
  return problems.length > 0 ? err(problems) : ok(read.flatMap((each) => (each.ok ? [each.value] : [])));
}

/*
 * The message of a tool call as text for the one way in. A string is sent as it is. An object has been parsed by the
 * transport, which keeps the last of equal keys; what cannot be written as JSON is refused here, not changed.
 */

/** The text to send. Refuses `wrong-type`, `too-deep` and `number-range`. */
function messageText(message: unknown): Result<string, Problem> {
  if (typeof message === "string") return ok(message);
  if (typeof message !== "object" || message === null || Array.isArray(message)) {
    return err(
      makeProblem("wrong-type", "arguments.message", "The message is neither an object nor text.", {
        expected: "a message object, or text (JSON or prose)",
      }),
    );
  }
  const problem = unsayable(message, "$", 0);
  return problem === null ? ok(JSON.stringify(message)) : err(problem);
}

/** The first value that JSON text would not bring back: a number beyond every range, or nesting beyond the limit. */
function unsayable(value: unknown, path: string, depth: number): Problem | null {
  if (typeof value === "number" && !Number.isFinite(value)) {
    return makeProblem("number-range", path, "The number is beyond what can be kept.", {
      hint: "Write it as a string.",
    });
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth > jsonDepthMax) {
    return makeProblem("too-deep", path, "The message is nested too deep.", {
      expected: `at most ${jsonDepthMax} levels`,
    });
  }
  const entries: Iterable<readonly [string | number, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [key, inner] of entries) {
    const problem = unsayable(inner, path + pathStep(key), depth + 1);
    if (problem !== null) return problem;
  }
  return null;
}
