/** `handoff`: what was handed to whom, and the answers to it. A handoff is issued by sending its document. */
import * as z from "zod";
import { jsonLine } from "../../base/json.ts";
import { type Problem, problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { checkFiles, checkSums, type FileCheck, reportOf } from "../../evidence/checksums.ts";
import { bodyOf, filesToMake, filesToVerify, type NamedFile, type VerifiedFiles } from "../../message/handoff-body.ts";
import type { Team } from "../../runtime/team/team.ts";
import { problemsShape, records, refusal, replyAnswer, type Tool, type ToolAnswer, type ToolCall } from "./tool.ts";

const text = z.string();

const input = z.strictObject({
  action: z.enum(["list", "show", "accept", "reject", "complete"]),
  handoff: text.optional().describe("its id; needed but for list"),
  reasons: z.array(text).optional().describe("reject: why"),
  sums: z.record(text, text).optional().describe("where the hub does not see your files: their SHA-256 by path"),
  id: text.optional().describe("the id of this operation, for retries"),
});

type Given = z.infer<typeof input>;

const output = z.looseObject({
  outcome: z.enum(["handoffs", "handoff", "accepted", "refused", "failed"]),
  handoffs: z.array(z.looseObject({ id: text, standing: text })).optional(),
  document: z.unknown().optional(),
  claim: z.unknown().optional().describe("task, token"),
  problems: problemsShape,
});

export const handoff: Tool<Given> = {
  name: "handoff",
  title: "Handoff documents",
  description:
    "Work that was handed over with a document (bmad/1; issue one with send_message). accept verifies its files and moves the claim " +
    "on its task to you; reject needs reasons; complete says that it is done.",
  input,
  output,
  annotations: records,
  run: async (given, call) => {
    if (given.action === "list") return await listAnswer(call.team);
    if (given.handoff === undefined) return refusal([handoffMissing(given.action)]);
    return await act(given.action, given.handoff, given, call);
  },
};

async function act(
  action: Exclude<Given["action"], "list">,
  name: string,
  given: Given,
  call: ToolCall,
): Promise<ToolAnswer> {
  const { team } = call;
  const named = given.id === undefined ? {} : { id: given.id };
  if (action === "reject")
    return replyAnswer(await team.rejectHandoff({ handoff: name, reasons: given.reasons ?? [] }, named));
  const found = await team.handoff({ handoff: name });
  if (!found.ok) return refusal([found.error]);
  if (action === "show") {
    const data = { outcome: "handoff", handoffs: found.value.line, document: found.value.document };
    return { data, text: jsonLine(data) };
  }
  const body = bodyOf(found.value.document);
  const files = action === "accept" ? filesToVerify(body) : filesToMake(body);
  const checks = await look(call, files, given.sums);
  if (!checks.ok) return refusal([checks.error]);
  const verified = checks.value === null ? {} : { verified: reportOf(found.value.handoff.digest, checks.value) };
  return action === "accept"
    ? await accept(team, name, verified, named)
    : replyAnswer(await team.completeHandoff({ handoff: name, ...verified }, named));
}

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

async function accept(
  team: Team,
  name: string,
  verified: { readonly verified?: VerifiedFiles },
  named: { readonly id?: string },
): Promise<ToolAnswer> {
  const { reply, claim } = await team.acceptHandoff({ handoff: name, ...verified }, named);
  const answer = replyAnswer(reply);
  if (reply.outcome !== "accepted") return answer;
  const held = claim === null ? "" : `\n${jsonLine({ claim })}`;
  return { ...answer, data: { ...answer.data, claim }, text: `${answer.text}${held}` };
}

async function listAnswer(team: Team): Promise<ToolAnswer> {
  const found = await team.handoffs();
  if (!found.ok) return refusal([found.error]);
  const handoffs = found.value.map(({ id, standing, source, target, receivers, summary, task }) => {
    return { id, standing, source, target, receivers, summary, task };
  });
  const data = { outcome: "handoffs", handoffs };
  return { data, text: jsonLine(data) };
}

function handoffMissing(action: string): Problem {
  return problem("missing-field", "arguments.handoff", `"${action}" is about one handoff, and none is named.`, {
    hint: 'action "list" shows those that wait.',
  });
}
