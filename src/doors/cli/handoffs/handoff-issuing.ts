/**
 * Issuing a handoff document from its file: the stamp is written into the file first, then the document is sent as the
 * message that it is. So a command that was cut off is repeated with the same document; a refused one is put back.
 */
import { join } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { messageBytesMax } from "../../../base/limits.ts";
import { newMessageId } from "../../../base/new-ids.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { checkFiles, fileProblems } from "../../../evidence/checksums.ts";
import { bodyOf, filesToStamp, type HandoffBody } from "../../../message/handoff-body.ts";
import { handoffDigest } from "../../../message/handoff-digest.ts";
import type { HandoffDetail } from "../../../operations/handoff-shapes.ts";
import type { Reply } from "../../../operations/reply.ts";
import { stampedDocument } from "../../../runtime/handoffs/handoff-stamp.ts";
import type { Team } from "../../../runtime/team/team.ts";
import type { Call } from "../kernel/command.ts";
import { fileInPlace, replaceFile } from "../kernel/document-file.ts";
import { readWhole } from "../kernel/input.ts";
import { type Draft, readDraft, type Written, writtenLike } from "./handoff-draft-file.ts";
import { handoffDialect, readingOf } from "./handoff-file.ts";
import { rootOf } from "./handoff-root.ts";

/** What became of issuing. */
export type Issued =
  | {
      readonly outcome: "sent";
      readonly reply: Reply;
      readonly body: HandoffBody;
      readonly unsummed: readonly string[];
    }
  /** The very document was issued before. */
  | { readonly outcome: "known"; readonly detail: HandoffDetail };

/**
 * Stamps the file that the call names and issues it. Refuses what is no document, and files that it needs and are not
 * there.
 */
export async function issueFile(call: Call, team: Team): Promise<Result<Issued, readonly Problem[]>> {
  const file = call.given.word("FILE") ?? "";
  const root = rootOf(call);
  const place = fileInPlace(call.config.directory, file, root);
  if (!place.ok) return err([place.error]);
  const bytes = await readWhole(place.value, messageBytesMax, call.signal);
  const draft = bytes.ok ? await readDraft(bytes.value, file) : bytes;
  if (!draft.ok) return err([draft.error]);
  const stranger = await dialectFault(team);
  if (stranger !== null) return err([stranger]);
  const known = await issuedBefore(team, draft.value);
  if (!known.ok) return err([known.error]);
  if (known.value?.isSame === true) return ok({ outcome: "known", detail: known.value.detail });
  const stamped = await stamp(call, team, draft.value, {
    root,
    real: place.value,
    isAgain: known.value?.detail.handoff.standing === "rejected",
  });
  if (!stamped.ok) return stamped;
  const { file: whole, text, body, unsummed } = stamped.value;
  const written = replaceFile(place.value, whole);
  if (!written.ok) return err([written.error]);
  const reply = await team.send(text);
  if (reply.outcome === "refused") {
    const restored = replaceFile(place.value, draft.value.file);
    if (!restored.ok) return err([...reply.problems, restored.error]);
  }
  return ok({ outcome: "sent", reply, body, unsummed });
}

/** Whether the team reads such documents at all: where it does not, one would be prose to it. */
async function dialectFault(team: Team): Promise<Problem | null> {
  const status = await team.status();
  if (!status.ok) return status.error;
  const { definition, agents } = status.value;
  const spoken = [...(definition?.dialects ?? []), ...agents.map(({ dialect }) => dialect)];
  if (definition === null || spoken.includes(handoffDialect)) return null;
  return problem(
    "unknown-dialect",
    team.name,
    `This team does not read handoff documents: they are ${handoffDialect}.`,
    {
      expected: handoffDialect,
      received: [...new Set(spoken)].join(", "),
      hint: `add ${handoffDialect} to dialects in .baton/team.yaml`,
    },
  );
}

interface Known {
  readonly detail: HandoffDetail;
  /** It was issued with the very words that the file holds, and nobody rejected it. */
  readonly isSame: boolean;
}

async function issuedBefore(team: Team, { document, reading }: Draft): Promise<Result<Known | null, Problem>> {
  const id = idIn(document);
  const found = id === null ? null : await team.handoff({ handoff: id });
  if (found === null || (!found.ok && found.error.code === "unknown-request")) return ok(null);
  if (!found.ok) return found;
  const { digest, standing } = found.value.handoff;
  // What was rejected stays rejected: issued again, it is another handoff, even where its files alone were mended.
  const isSame = standing !== "rejected" && reading !== null && handoffDigest(reading.fact) === digest;
  return ok({ detail: found.value, isSame });
}

interface Stamped extends Written {
  readonly body: HandoffBody;
  /** Files that are named and got no checksum, because they are not there or not inside. */
  readonly unsummed: readonly string[];
}

async function stamp(
  call: Call,
  team: Team,
  draft: Draft,
  { root, real, isAgain }: { readonly root: string; readonly real: string; readonly isAgain: boolean },
): Promise<Result<Stamped, readonly Problem[]>> {
  const agent = team.actor.agent;
  const atMs = systemClock.now();
  const id = (isAgain ? null : idIn(draft.document)) ?? newMessageId();
  // Judged once without its files: what is no document names none.
  const first = await judge(draft, stampedDocument(draft.document, { agent, id, atMs, checksums: {}, before: [] }));
  if (!first.ok) return first;
  const { workflow_id: workflow, task_id: task } = first.value.body.metadata;
  const before = await team.handoffsBefore({
    ...(workflow === undefined ? {} : { workflow }),
    ...(task === undefined ? {} : { task }),
  });
  if (!before.ok) return err([before.error]);
  const sums = await checksumsOf(call, root, first.value.body, real);
  if (!sums.ok) return sums;
  const { checksums, unsummed } = sums.value;
  const whole = await judge(
    draft,
    stampedDocument(draft.document, { agent, id, atMs, checksums, before: before.value }),
  );
  return whole.ok ? ok({ ...whole.value, unsummed }) : whole;
}

/** The document as text in the form and place of its draft, and what it says; or every problem of its form. */
async function judge(
  draft: Draft,
  document: JsonObject,
): Promise<Result<Omit<Stamped, "unsummed">, readonly Problem[]>> {
  const written = await writtenLike(draft, document);
  if (!written.ok) return err([written.error]);
  const reading = await readingOf(written.value.text);
  if (reading.outcome !== "accepted") return err(reading.problems);
  return ok({ ...written.value, body: bodyOf(reading.message) });
}

async function checksumsOf(
  call: Call,
  root: string,
  body: HandoffBody,
  real: string,
): Promise<
  Result<
    { readonly checksums: { readonly [path: string]: string }; readonly unsummed: readonly string[] },
    readonly Problem[]
  >
> {
  const { required, others } = filesToStamp(body);
  const itself = [...required, ...others].find((path) => join(root, path) === real);
  if (itself !== undefined && required.includes(itself)) return err([ownChecksum(itself)]);
  const named = [...required, ...others.filter((path) => path !== itself)].map((path) => ({ path, checksum: null }));
  const checked = await checkFiles(root, named, { signal: call.signal, hashAll: true });
  if (!checked.ok) return err([checked.error]);
  const problems = fileProblems(checked.value.filter(({ path }) => required.includes(path)));
  if (problems.length > 0) return err(problems);
  const summed = checked.value.flatMap(({ path, actual }) => (actual === null ? [] : [[path, actual] as const]));
  const unsummed = checked.value.filter(({ actual }) => actual === null).map(({ path }) => path);
  return ok({ checksums: Object.fromEntries(summed), unsummed });
}

function idIn({ handoff }: JsonObject): string | null {
  const metadata = isJsonObject(handoff) ? handoff.metadata : null;
  const id = isJsonObject(metadata) ? metadata.id : null;
  return typeof id === "string" && id.trim() !== "" ? id : null;
}

function ownChecksum(path: string): Problem {
  return problem("cross-field", path, "The document names itself among its files, and cannot hold its own checksum.", {
    expected: "other files than the document",
    received: path,
    hint: "Take it out of required_files and file_checksums.",
  });
}
