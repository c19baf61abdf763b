/**
 * The answer of `validate-message`, for the small bundle of hooks and for the command alike. Whatever goes wrong, the
 * answer is "not valid": a hook must never let a message pass because it could not be judged.
 * Source: docs/protocol/drop-in.md.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../base/clock.ts";
import { type DropInAnswer, isOfUnknownType, judgeDropIn } from "../../../dialects/drop-in.ts";
import type { DropInTable } from "../../../dialects/drop-in-table.ts";
import { vbw2DropIn } from "../../../dialects/vbw-2/drop-in.ts";
import { vbw21DropIn } from "../../../dialects/vbw-2.1/drop-in.ts";
import { yolo2DropIn } from "../../../dialects/yolo-2/drop-in.ts";
import type { Config } from "../kernel/config.ts";
import { findWorkspace } from "../place/workspace.ts";
import { contractPaths, planningDirectory, typedProtocol, UnreadableContract } from "./validate-message-place.ts";
import type { OwnTypes } from "./validate-message-team.ts";

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

/** How a message is to be judged. */
export interface DropInQuestion {
  readonly text: string;
  /** One of `dropInDialects`; null: by the planning directory. */
  readonly dialect: string | null;
  /** Adds Baton's own checks. */
  readonly strict: boolean;
}

/** Judges a text. Total but for faults of ours. */
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
    errors.push(...(own?.faults ?? []));
    if (question.strict) {
      const { strictErrors } = await import("./validate-message-strict.ts");
      errors.push(...strictErrors(question.text, name, own?.dialect ?? null));
    }
    return { valid: errors.length === 0, errors };
  } catch (fault) {
    if (fault instanceof UnreadableContract) return notValid(`contract file cannot be read: ${fault.message}`);
    throw fault;
  }
}

/** Whether the team that `directory` lies in may have message types of its own: asked before anything is loaded for them. */
function hasOwnTypes(directory: string): boolean {
  const workspace = findWorkspace(directory);
  return workspace !== null && existsSync(join(workspace.directory, "messages"));
}

async function ownTypesOf(dialect: string, table: DropInTable, directory: string): Promise<OwnTypes> {
  const { ownTypes } = await import("./validate-message-team.ts");
  return ownTypes(dialect, table, directory);
}

/** An answer that lets nothing pass, with one reason. */
export function notValid(error: string): DropInAnswer {
  return { valid: false, errors: [error] };
}
