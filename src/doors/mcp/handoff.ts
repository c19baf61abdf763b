/** `handoff`: what was handed to whom, and the answers to it. A handoff is issued by sending its document. */
import * as z from "zod";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { checkFiles, checkSums, type FileCheck, reportOf } from "../../evidence/decide/checksums.ts";
import { bodyOf, filesToMake, filesToVerify, type NamedFile } from "../../messages/handoff-body.ts";
import type { Team } from "../../perform/team.ts";
import { actionsOf, argumentsOfActions, takeAction } from "./operation-actions.ts";
import { records, refusal, type Tool, type ToolAnswer, type ToolCall } from "./tool.ts";

const text = z.string();

const actions = actionsOf("handoff");

const input = z.strictObject({
  action: z.enum(["list", ...actions.keys()]),
  ...argumentsOfActions(actions),
  sums: z.record(text, text).optional().describe("SHA-256 by path, where Baton does not see your files"),
  id: text.optional(),
});

/** The arguments of its actions have the types of their operations' inputs. */
type Given = z.infer<typeof input> & { readonly [argument: string]: unknown };

export const handoff: Tool<Given> = {
  name: "handoff",
  title: "Handoff documents",
  description:
    "Work handed over with a document (send_message issues one). accept verifies its files and moves the claim on its task to you.",
  input,
  annotations: records,
  run: async (given, call) => {
    const action = actions.get(given.action);
    if (action === undefined || given.action === "list") return await listAnswer(call.team);
    const { handoff: name } = given;
    if (typeof name !== "string") return refusal([handoffMissing(given.action)]);
    if (given.action === "reject") return await takeAction(action, given, call.team);
    const found = await call.team.handoff({ handoff: name });
    if (!found.ok) return refusal([found.error]);
    if (given.action === "show") {
      const data = { outcome: "handoff", handoffs: found.value.line, document: found.value.document };
      return { data };
    }
    const body = bodyOf(found.value.document);
    const files = given.action === "accept" ? filesToVerify(body) : filesToMake(body);
    const checks = await look(call, files, given.sums);
    if (!checks.ok) return refusal([checks.error]);
    const verified = checks.value === null ? {} : { verified: reportOf(found.value.handoff.digest, checks.value) };
    return await takeAction(action, given, call.team, verified);
  },
};

/**
 * The report about the files: read by a server that runs next to its agent, else from the agent's checksums. Null:
 * none.
 */
async function look(
  { files: place, signal }: ToolCall,
  files: readonly NamedFile[],
  sums: Given["sums"],
): Promise<Result<readonly FileCheck[] | null, Problem>> {
  if (place !== null) return await checkFiles(place, files, { signal });
  return ok(sums === undefined ? null : checkSums(files, sums));
}

async function listAnswer(team: Team): Promise<ToolAnswer> {
  const found = await team.handoffs();
  if (!found.ok) return refusal([found.error]);
  const handoffs = found.value.map(({ id, status, source, target, receivers, summary, task }) => {
    return { id, status, source, target, receivers, summary, task };
  });
  const data = { outcome: "handoffs", handoffs };
  return { data };
}

function handoffMissing(action: string): Problem {
  return makeProblem("missing-field", "arguments.handoff", `"${action}" is about one handoff, and none is named.`, {
    hint: 'action "list" shows those that wait.',
  });
}
