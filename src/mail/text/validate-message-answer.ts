/**
 * The answer of `validate-message`, for the small bundle of hooks and for the command alike. Whatever goes wrong, the
 * answer is "not valid": a hook must never let a message pass because it could not be judged.
 * Source: docs/protocol/messages.md, section 20.
 */
import { existsSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { systemClock } from "../../base/clock.ts";
import { isJsonList, isJsonObject, type Json, parseBounded } from "../../base/json.ts";
import type { Command } from "../../doors/cli/kernel/command.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { isDirect } from "../../doors/cli/terminal/process-streams.ts";
import { type DropInAnswer, isOfUnknownType, judgeDropIn } from "../../messages/dialects/drop-in.ts";
import { type DropInTable, vbw2DropIn, vbw21DropIn, yolo2DropIn } from "../../messages/dialects/drop-in-table.ts";
import type { Config } from "../../perform/workspace/config.ts";
import { findWorkspace } from "../../perform/workspace/workspace.ts";
import type { OwnTypes } from "./validate-message-extra.ts";

interface Revision {
  readonly family: "vbw" | "yolo";
  readonly table: DropInTable;
}

const revisions: ReadonlyMap<string, Revision> = new Map([
  ["vbw/2", { family: "vbw", table: vbw2DropIn }],
  ["vbw/2.1", { family: "vbw", table: vbw21DropIn }],
  ["yolo/2", { family: "yolo", table: yolo2DropIn }],
]);

/** The dialects that `validate-message` judges by. */
export const dropInDialects: readonly string[] = [...revisions.keys()];

/** How to judge a message. */
export interface DropInQuestion {
  readonly text: string;
  /** One of `dropInDialects`; null: by the planning directory. */
  readonly dialect: string | null;
  /** Adds Baton's own checks. */
  readonly strict: boolean;
}

/** Judges an input. Total except for bugs of ours. */
export async function answerDropIn(question: DropInQuestion, config: Config): Promise<DropInAnswer> {
  const asked = question.dialect === null ? null : revisions.get(question.dialect);
  if (asked === undefined) return notValid(`unknown dialect: ${question.dialect}`);
  const planning = planningDirectory(config, asked?.family ?? null);
  const name = question.dialect ?? `${planning?.family ?? "vbw"}/2`;
  const table = asked?.table ?? revisions.get(name)?.table ?? vbw2DropIn;
  const directory = planning?.path ?? null;
  try {
    const place = {
      typedProtocol: typedProtocol(directory),
      contractPaths: (phase: string) => contractPaths(directory, phase),
      nowMs: systemClock.now(),
    };
    const answer = judgeDropIn(question.text, table, place);
    const mayBeOwn = isOfUnknownType(answer) && hasOwnTypes(config.directory);
    if (answer.reason !== undefined || !(mayBeOwn || question.strict)) return answer;
    const own = mayBeOwn ? await ownTypesOf(name, table, config.directory) : null;
    const errors = own === null ? [...answer.errors] : [...judgeDropIn(question.text, own.table, place).errors];
    errors.push(...(own?.problems ?? []));
    if (question.strict) {
      const { strictErrors } = await import("./validate-message-extra.ts");
      errors.push(...strictErrors(question.text, name, own?.dialect ?? null));
    }
    return { valid: errors.length === 0, errors };
  } catch (problem) {
    if (problem instanceof UnreadableContract) return notValid(`contract file cannot be read: ${problem.message}`);
    throw problem;
  }
}

/** Whether the team that `directory` is in may have its own message types: asked before anything is loaded for them. */
function hasOwnTypes(directory: string): boolean {
  const workspace = findWorkspace(directory);
  return workspace !== null && existsSync(join(workspace.directory, "messages"));
}

async function ownTypesOf(dialect: string, table: DropInTable, directory: string): Promise<OwnTypes> {
  const { ownTypes } = await import("./validate-message-extra.ts");
  return ownTypes(dialect, table, directory);
}

/** An answer that accepts nothing, with one reason. */
export function notValid(error: string): DropInAnswer {
  return { valid: false, errors: [error] };
}

/*
 * Where `validate-message` is asked: the planning directory of the working directory, its `config.json` and its
 * contract files. Whatever is missing or broken leaves the judgement on, never off.
 * Source: docs/protocol/messages.md, section 20.
 */

/** What a contract file that cannot be read makes of the judgement: nobody may pass because of it. */
class UnreadableContract extends Error {}

/**
 * The planning directory for a family of dialects: its own, or else the one that is there; null when there is none.
 * Without `family`, `.yolo-planning` counts first, unless the environment names a directory.
 */
function planningDirectory(
  config: Config,
  family: "vbw" | "yolo" | null,
): { path: string; family: "vbw" | "yolo" } | null {
  const vbw = { path: resolve(config.directory, config.planningDirectory ?? ".vbw-planning"), family: "vbw" as const };
  const yolo = { path: resolve(config.directory, ".yolo-planning"), family: "yolo" as const };
  const vbwFirst = family === "vbw" || (family === null && config.planningDirectory !== null);
  return (vbwFirst ? [vbw, yolo] : [yolo, vbw]).find(({ path }) => isDirectory(path)) ?? null;
}

/** Whether the typed protocol is on: only a readable `config.json` that says `"v2_typed_protocol": false` turns it off. */
function typedProtocol(planning: string | null): boolean {
  const settings = planning === null ? undefined : readJson(join(planning, "config.json"));
  return !(isJsonObject(settings) && settings.v2_typed_protocol === false);
}

/**
 * `allowed_paths` of the phase's contract, the first `{phase}-*.json` by name; null when there is none. Throws
 * `UnreadableContract` for one that is there and cannot be read.
 */
function contractPaths(planning: string | null, phase: string): readonly string[] | null {
  if (planning === null) return null;
  const folder = join(planning, ".contracts");
  if (!isDirectory(folder)) return null;
  const name = readdirSync(folder)
    .filter((file) => file.startsWith(`${phase}-`) && file.endsWith(".json"))
    .toSorted()[0];
  if (name === undefined) return null;
  const contract = readJson(join(folder, name));
  if (!isJsonObject(contract)) throw new UnreadableContract(name);
  const paths = contract.allowed_paths;
  return isJsonList(paths) ? paths.filter((path) => typeof path === "string") : [];
}

/** The JSON in a file, or undefined: it is missing, cannot be read or is not JSON within the bounds of a message. */
function readJson(path: string): Json | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // Missing and unreadable count alike: the caller takes the stricter side.
    return undefined;
  }
  const parsed = parseBounded(text.replace(/^\ufeff/, ""));
  return parsed.ok ? parsed.value : undefined;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** More than any script was ever asked to judge; beyond it nothing is read. */
const inputBytesMax = 16 * 1024 * 1024;

/** Standard input to its end, or null when it is longer than 16 MiB; nothing of a terminal, where nobody types a message. */
export function readStandardInput(): string | null {
  if (!isDirect(0) && process.stdin.isTTY) return "";
  const parts: Uint8Array[] = [];
  const buffer = Buffer.alloc(64 * 1024);
  let length = 0;
  for (;;) {
    const count = readSome(buffer);
    if (count === 0) return Buffer.concat(parts).toString("utf8");
    length += count;
    if (length > inputBytesMax) return null;
    parts.push(Uint8Array.from(buffer.subarray(0, count)));
  }
}

/** At least a byte, or 0 at the end. A pipe in non-blocking mode that has nothing yet is asked again. */
function readSome(buffer: Uint8Array): number {
  for (;;) {
    try {
      return readSync(0, buffer);
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? cause.code : null;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

/* `baton validate-message`: the drop-in for today's scripts. The launcher takes a shorter way to the same answer. */

export const summary = "drop-in for scripts: one JSON answer, exit 0 or 2";

export const command: Command = {
  isLocal: true,
  globals: [],
  description:
    "Judges a message as today's shell scripts do (presence of fields, roles, files) and prints one JSON object,\n" +
    '{"valid":…,"errors":[…]}; exit 0 or 2. The planning directory decides the dialect: .yolo-planning means yolo/2, else vbw/2.\n' +
    'Where its config.json says "v2_typed_protocol": false, everything is valid.',
  positionals: [{ name: "JSON", summary: "the message; without it standard input is read" }],
  options: [
    { name: "dialect", kind: "text", value: "DIALECT", choices: dropInDialects, summary: "judge by this dialect" },
    { name: "strict", kind: "flag", summary: "add Baton's own checks" },
  ],
  examples: [
    { line: "baton validate-message < message.json", meaning: "from standard input" },
    { line: `baton validate-message --dialect yolo/2 '{"type":"plan_contract"}'`, meaning: "as an argument" },
  ],
  next: "baton validate tells more: paths, what was expected, how to repair it.",
  run: async (call) => {
    const { given, config, output } = call;
    const text = given.word("JSON") ?? readStandardInput();
    const question = { dialect: given.text("dialect") ?? null, strict: given.flag("strict") };
    const answer = text === null ? notValid("message too large") : await answerDropIn({ text, ...question }, config);
    output.result(answer, () => JSON.stringify(answer));
    // A hook takes every code but this one for "go on".
    const isTold = (await output.written()) === null;
    return answer.valid && isTold ? exitCodes.done : exitCodes.refused;
  },
};
