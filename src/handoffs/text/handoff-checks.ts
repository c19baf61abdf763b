/**
 * `baton handoff validate` says whether a document is well-formed, and whether its files are what it says. Issuing a
 * document writes the stamp into its file first, then sends it as the message that it is: a command that was cut off is
 * repeated with the same document, and a refused one is put back.
 */
import { join } from "node:path";
import { canonical } from "../../base/canonical.ts";
import { systemClock } from "../../base/clock.ts";
import { decodeUtf8, isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import { messageBytesMax } from "../../base/limits.ts";
import { newMessageId } from "../../base/new-ids.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { counted, visible } from "../../base/text.ts";
import { loadYaml, parseYamlWith, type YamlLibrary } from "../../base/text-formats/yaml.ts";
import { tryEditYaml } from "../../base/text-formats/yaml-edit.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { fileInPlace, replaceFile } from "../../doors/cli/kernel/document-file.ts";
import { readWhole } from "../../doors/cli/kernel/input.ts";
import { answer, listed, withTeam } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { checkFiles, type FileCheck, fileProblems } from "../../evidence/decide/checksums.ts";
import { readingText } from "../../mail/text/show.ts";
import { bodyOf, fileStates, filesToStamp, filesToVerify, type HandoffBody } from "../../messages/handoff-body.ts";
import { handoffDigest } from "../../messages/handoff-draft.ts";
import { findDocument } from "../../messages/intake/document.ts";
import { type AcceptedReading, isValid } from "../../messages/intake/reading.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import type { Team } from "../../perform/team.ts";
import { stampedDocument } from "../handlers/handoff-stamp.ts";
import type { HandoffDetail } from "../operations.ts";
import { dialectNotRead, noDocument, readHandoff, readingOf, rootOf, rootOption } from "./handoff-file.ts";
import { handoffText } from "./handoff-views.ts";

/* What was found of a handoff document's files, for programs a line each, for people a table. */

/** Whether the files that the document names are what it says; weak checksums only inform. */
async function checkNamed(call: Call, { message }: AcceptedReading): Promise<ExitCode> {
  const checks = await checkFiles(rootOf(call), filesToVerify(bodyOf(message)), { signal: call.signal });
  return checks.ok ? tellChecks(call, checks.value) : call.output.fail(checks.error);
}

/** Tells every check; exits 2 when a file is changed, missing or outside the root. Weak checksums only inform. */
function tellChecks({ output }: Call, checks: readonly FileCheck[]): ExitCode {
  const { stdout: paint } = output.paint;
  const colours = { ok: paint.good, weak: paint.warn, changed: paint.bad, missing: paint.bad, outside: paint.bad };
  for (const check of checks) {
    output.result(check, () => {
      const { path, state, expected, reason } = check;
      const why = reason ?? (state === "ok" && expected === null ? "there; no checksum is given" : null);
      return `${colours[state](state.padEnd("outside".length))}  ${visible(path)}${why === null ? "" : paint.faint(`  ${visible(why)}`)}`;
    });
  }
  output.say(`${counted(checks.length, "file")}: ${countsOf(checks)}.`);
  const problems = fileProblems(checks);
  output.problems(problems);
  return problems.length === 0 ? exitCodes.done : exitCodes.refused;
}

function countsOf(checks: readonly FileCheck[]): string {
  const counts = fileStates
    .map((state) => [state, checks.filter((check) => check.state === state).length] as const)
    .filter(([, count]) => count > 0);
  return counts.length === 0 ? "none is named" : counts.map(([state, count]) => `${count} ${state}`).join(", ");
}

/** `baton handoff validate`: whether a file is a well-formed handoff document. */
export const validateCommand: Command = {
  isLocal: true,
  globals: [],
  description:
    "Judges the form of a handoff document in YAML or JSON by the schema of bmad/1: required parts, words, times, and every\n" +
    "problem with its path and a hint. With --files looks for the required files and for every file with a checksum below the\n" +
    "root, links resolved, and says of each: ok, changed, missing, outside (the path or a link leads out of the root) or weak\n" +
    "(the checksum is no SHA-256 of 64 hex digits, so it tells nothing). Exits 2 when the document is invalid, or a file is\n" +
    "changed, missing or outside.",
  positionals: [{ name: "FILE", required: true, summary: "the document; - reads standard input" }],
  options: [
    { name: "strict", kind: "flag", summary: "refuse unknown fields and drifted spelling too" },
    { name: "files", kind: "flag", summary: "look at the files that it names too, a line each" },
    rootOption,
  ],
  examples: [
    { line: "baton handoff validate docs/handoffs/story-2.yaml", meaning: "is it well formed?" },
    { line: "baton handoff validate handoff.json --files --root ../checkout", meaning: "and its files, of that tree" },
  ],
  next: "baton handoff accept ID looks at the files the same way and takes the work over; baton reference bmad/1/handoff explains it.",
  run: async (call) => {
    const { output, given } = call;
    const file = given.word("FILE") ?? "-";
    const read = await readHandoff(call, file, { strict: given.flag("strict") });
    if (!read.ok) return output.fail(read.error);
    const reading = read.value;
    const { dialect, rung, type, problems, notes } = reading;
    const valid = isValid(reading);
    output.result({ source: file, index: 0, dialect, rung, type, valid, problems, notes }, () =>
      readingText(reading, file, output.paint.stdout),
    );
    if (reading.outcome !== "accepted" || !valid) return exitCodes.refused;
    return given.flag("files") ? await checkNamed(call, reading) : exitCodes.done;
  },
};

/* `baton handoff issue`: stamps a document in its file and hands the work over with it. */

export const command: Command = {
  acts: true,
  description:
    "Writes into the file what issuing adds: id and time where there are none, the SHA-256 of every file that it names,\n" +
    "and the handoffs before it by the record; comments, order and everything else stay. Then the document is sent to its\n" +
    "target_agent. A refused one is put back as it was. Issued twice, it is the same handoff; one that was rejected is\n" +
    "issued again under a new id.",
  positionals: [
    {
      name: "FILE",
      required: true,
      summary: "the document, in YAML or JSON, or Markdown with it at its head or in a fence",
    },
  ],
  options: [rootOption],
  examples: [
    { line: "baton handoff issue docs/handoffs/story-2.yaml --as sm", meaning: "sm hands the story over" },
    { line: "baton handoff issue handoff.json --as dev-1 --root ../checkout --json", meaning: "files of another tree" },
  ],
  next: "The receiver finds it in baton inbox, and answers with baton handoff accept ID or baton handoff reject ID.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { output } = call;
      const issued = await issueFile(call, team);
      if (!issued.ok) return output.fail(issued.error);
      if (issued.value.outcome === "known") {
        const { handoff } = issued.value.detail;
        output.result({ handoff: handoff.id, seq: handoff.seq, isNew: false, status: handoff.status }, () =>
          handoffText(handoff, output.paint.stdout),
        );
        output.say(`It was issued before, at entry ${handoff.seq}; nothing was changed.`);
        return exitCodes.done;
      }
      const { reply, body, unsummed } = issued.value;
      for (const path of unsummed) output.say(`note: ${visible(path)} is not there, so it has no checksum.`);
      if (reply.outcome !== "accepted" || !output.json)
        return answer(
          call,
          reply,
          (receipt, receivers) =>
            `Issued: ${visible(body.metadata.id)}, entry ${receipt.seq}, to ${listed(receivers)}.`,
        );
      const { receipt, receivers, notes } = reply;
      output.notes(notes);
      const files = Object.keys(body.validation?.file_checksums ?? {}).length;
      output.result(
        { handoff: body.metadata.id, seq: receipt.seq, isNew: true, receivers, files, receipt },
        () => null,
      );
      return exitCodes.done;
    }),
};

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
  const stranger = await dialectProblem(team);
  if (stranger !== null) return err([stranger]);
  const known = await issuedBefore(team, draft.value);
  if (!known.ok) return err([known.error]);
  if (known.value?.isSame === true) return ok({ outcome: "known", detail: known.value.detail });
  const stamped = await stamp(call, team, draft.value, {
    root,
    real: place.value,
    rejected: known.value?.detail.handoff.status === "rejected" ? known.value.detail : null,
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
async function dialectProblem(team: Team): Promise<Problem | null> {
  const status = await team.status();
  if (!status.ok) return status.error;
  const { definition, agents } = status.value;
  const spoken = [...(definition?.dialects ?? []), ...agents.map(({ dialect }) => dialect)];
  return definition === null ? null : dialectNotRead(team.name, spoken);
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
  const { digest, status } = found.value.handoff;
  // What was rejected stays rejected: issued again, it is another handoff, even where its files alone were mended.
  const isSame = status !== "rejected" && reading !== null && handoffDigest(reading.fact) === digest;
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
  { root, real, rejected }: { readonly root: string; readonly real: string; readonly rejected: HandoffDetail | null },
): Promise<Result<Stamped, readonly Problem[]>> {
  const agent = team.actor.agent;
  const atMs = systemClock.now();
  const isAgain = rejected !== null;
  const id = (isAgain ? null : idIn(draft.document)) ?? newMessageId();
  // Judged once without its files: what is no document names none.
  const first = await judge(
    draft,
    stampedDocument(draft.document, { agent, id, atMs, isAgain, checksums: {}, before: [] }),
  );
  if (!first.ok) return first;
  const { workflow_id: workflow, task_id: task } = first.value.body.metadata;
  const before = await team.handoffsBefore({
    ...(workflow === undefined ? {} : { workflow }),
    ...(task === undefined ? {} : { task }),
  });
  if (!before.ok) return err([before.error]);
  const line = before.value.length === 0 && isAgain ? rejected.line : before.value;
  const sums = await checksumsOf(call, root, first.value.body, real);
  if (!sums.ok) return sums;
  const { checksums, unsummed } = sums.value;
  const whole = await judge(
    draft,
    stampedDocument(draft.document, { agent, id, atMs, isAgain, checksums, before: line }),
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
  return makeProblem(
    "cross-field",
    path,
    "The document names itself among its files, and cannot hold its own checksum.",
    {
      expected: "other files than the document",
      received: path,
      hint: "Take it out of required_files and file_checksums.",
    },
  );
}

/*
 * A file with a handoff document to stamp: YAML, JSON, or Markdown that holds one at its head or in a fence. Only the
 * document is changed and sent; the words around it stay in the file, byte by byte.
 */

/** A document in its file, as it was found. */
interface Draft {
  /** The whole file. */
  readonly file: string;
  /** Where the document begins in it, and its text. */
  readonly from: number;
  readonly text: string;
  readonly document: JsonObject;
  readonly form: "yaml" | "json";
  /** How it reads now; null: it still lacks something. */
  readonly reading: AcceptedReading | null;
}

/** A document that was changed: the whole file, and the document's own text. */
type Written = Pick<Draft, "file" | "text">;

/**
 * The document in the file `name`, which holds `bytes`. Refuses what is no UTF-8 or no YAML, what holds no document or
 * several, and an id that is no string.
 */
async function readDraft(bytes: Uint8Array, name: string): Promise<Result<Draft, Problem>> {
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) return err({ ...decoded.error, path: name });
  const file = decoded.value;
  const form = file.trimStart().startsWith("{") ? "json" : "yaml";
  const found = form === "json" ? { from: 0, text: file } : partOf(file, name);
  if (found === null) return err(noDocument(name));
  const parsed = form === "json" ? parseBounded(file) : parseAt(await loadYaml(), file, found, name);
  if (!parsed.ok) return parsed;
  const document = parsed.value;
  if (!isJsonObject(document) || !isJsonObject(document.handoff)) return err(noDocument(name));
  const misread = idProblem(document.handoff);
  if (misread !== null) return err(misread);
  const reading = await readingOf(found.text);
  return ok({ file, ...found, document, form, reading: reading.outcome === "accepted" ? reading : null });
}

/**
 * The draft's file, and its text, where the document says what `document` says. Refuses a place where it cannot be
 * written, and a document that passes a limit by what is added (`too-large`).
 */
async function writtenLike(draft: Draft, document: JsonObject): Promise<Result<Written, Problem>> {
  const { file, from, text, form } = draft;
  if (form === "json") {
    const indent = /\n([ \t]+)"/.exec(text)?.[1] ?? (text.includes("\n") ? "  " : "");
    const written = `${JSON.stringify(document, null, indent)}${text.endsWith("\n") ? "\n" : ""}`;
    return ok({ file: written, text: written });
  }
  const yaml = await loadYaml();
  const changed = tryEditYaml(yaml, text, document);
  if (!changed.ok)
    return err({ ...changed.error, path: "$.handoff", hint: "Name fewer files, or hand over in parts." });
  const edited = changed.value;
  const whole = file.slice(0, from) + edited + file.slice(from + text.length);
  if (whole === edited) return ok({ file: whole, text: edited });
  // What is a document by itself may be none among its words, as where a fence is indented.
  const again = findDocument(whole);
  const read = again === null ? null : parseYamlWith(yaml, again.source, "edited");
  const says = read?.ok === true && canonical(read.value.value) === canonical(document);
  return says && again?.source === edited ? ok({ file: whole, text: edited }) : err(misplaced);
}

/** Where the document is; null: there is none. What looks like YAML and is none is left for the parser to say. */
function partOf(file: string, name: string): Pick<Draft, "from" | "text"> | null {
  const found = findDocument(file);
  if (found !== null) return { from: found.end - found.source.length, text: found.source };
  return /\.ya?ml$/i.test(name) ? { from: 0, text: file } : null;
}

/** The value of the part of the file, its errors with the lines of the file. */
function parseAt(
  yaml: YamlLibrary,
  file: string,
  { from, text }: Pick<Draft, "from" | "text">,
  name: string,
): Result<Json, Problem> {
  const parsed = parseYamlWith(yaml, file.slice(0, from).replaceAll(/[^\n]/g, "") + text, name);
  return parsed.ok ? ok(parsed.value.value) : parsed;
}

/** An id that is there and no string: written without quotes, `007` is the number 7. It is never taken for none. */
function idProblem({ metadata }: JsonObject): Problem | null {
  const id = isJsonObject(metadata) ? (metadata.id ?? null) : null;
  if (id === null || typeof id === "string") return null;
  return makeProblem("wrong-type", "$.handoff.metadata.id", "$.handoff.metadata.id must be a string.", {
    expected: "a string",
    received: JSON.stringify(id).slice(0, 80),
    hint: 'Put it in quotes, such as "7", or leave it out to get a new one.',
  });
}

const misplaced = makeProblem("not-yaml", "$.handoff", "The document cannot be changed among the words around it.", {
  expected: "a separate file, the head of a Markdown file, or a fence that is not indented",
  hint: "Put it into a separate file, FILE.yaml, and issue that.",
});
