/**
 * What HTTP calls the arguments of an operation: the fields of its body and query, the parameters of its path, and the
 * headers. The only place where a neutral name becomes one that a request has. A client that speaks for another door
 * asks for the neutral names, and that door names things in its own words.
 */
import { z } from "zod";
import { asRecorded, atDoor, type DoorNames } from "../../../base/argument.ts";
import { commandsOf } from "../../../operations/define.ts";
import { definedOperations } from "../../../operations/registry.ts";
import type { OperationFacts } from "../operations/operation.ts";
import { operations } from "../operations/operations.ts";
import type { ProblemDocument } from "./answers.ts";

/**
 * The operations that do what a command does, for programs that have the hub only; their definitions say so, and here are
 * those that have none. The others are a person's, where it runs.
 */
export const operationsOfCommands: { readonly [command: string]: string } = {
  ...Object.fromEntries(definedOperations.flatMap((each) => commandsOf(each).map((words) => [words, each.name]))),
  "agent list": "listAgents",
  "handoff issue": "sendMessage",
  inbox: "readInbox",
  log: "listEntries",
  send: "sendMessage",
  status: "teamStatus",
  team: "teamStatus",
};

/** The answer with its problems named as `request` may name things; any other answer as it is. */
export async function inNamesOf(
  operation: Pick<OperationFacts, "path" | "body" | "query">,
  request: Request,
  answer: Response,
): Promise<Response> {
  const isRefusal = answer.headers.get("content-type")?.startsWith("application/problem+json") === true;
  if (!isRefusal || request.headers.get(asRecorded.header) === asRecorded.value) return answer;
  // It was written by the hub a moment ago.
  const document = (await answer.json()) as ProblemDocument;
  const names = namesOf(operation, request);
  const problems = document.problems.map((each) => atDoor(each, names));
  return new Response(JSON.stringify({ ...document, problems }), answer);
}

function namesOf({ path, body, query }: Pick<OperationFacts, "path" | "body" | "query">, request: Request): DoorNames {
  const fields = fieldsOf(body);
  return {
    opening: { team: "{team}", actor: "Authorization", credential: "Authorization", hub: "Host" },
    of(name) {
      if (name === "id" && request.headers.has("idempotency-key")) return "Idempotency-Key";
      // Before the body: a message that is sent as the whole body leaves no room for a field of the request.
      if (query !== undefined && Object.hasOwn(query.shape, name)) return `?.${name}`;
      if (fields.has(name)) return `$.${name}`;
      return path.includes(`{${name}}`) ? `{${name}}` : null;
    },
    command(name) {
      const operation = Object.hasOwn(operationsOfCommands, name) ? operationsOfCommands[name] : undefined;
      const route = operations.find((each) => each.name === operation);
      return route === undefined ? null : `\`${route.method.toUpperCase()} ${route.path}\``;
    },
  };
}

/** The fields that a body may have: of a union, those of all its forms. */
function fieldsOf(body: z.core.$ZodType | undefined): ReadonlySet<string> {
  if (body instanceof z.ZodUnion) return new Set(body.options.flatMap((each) => [...fieldsOf(each)]));
  return new Set(body instanceof z.ZodObject ? Object.keys(body.shape) : []);
}
