/**
 * Where `validate-message` is asked: the planning directory of the working directory, its `config.json` and its
 * contract files. Whatever is missing or broken leaves the judgement on, never off.
 * Source: docs/protocol/drop-in.md.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isJsonList, isJsonObject, type Json, parseBounded } from "../../../base/json.ts";
import type { Config } from "../kernel/config.ts";

/** What a contract file that cannot be read makes of the judgement: nobody may pass because of it. */
export class UnreadableContract extends Error {}

/**
 * The planning directory for a family of dialects: its own, or else the one that is there; null when there is none.
 * Without `family`, `.yolo-planning` counts first, unless the environment names a directory.
 */
export function planningDirectory(
  config: Config,
  family: "vbw" | "yolo" | null,
): { path: string; family: "vbw" | "yolo" } | null {
  const vbw = { path: resolve(config.directory, config.planningDirectory ?? ".vbw-planning"), family: "vbw" as const };
  const yolo = { path: resolve(config.directory, ".yolo-planning"), family: "yolo" as const };
  const vbwFirst = family === "vbw" || (family === null && config.planningDirectory !== null);
  return (vbwFirst ? [vbw, yolo] : [yolo, vbw]).find(({ path }) => isDirectory(path)) ?? null;
}

/** Whether the typed protocol is on: only a readable `config.json` that says `"v2_typed_protocol": false` turns it off. */
export function typedProtocol(planning: string | null): boolean {
  const settings = planning === null ? undefined : readJson(join(planning, "config.json"));
  return !(isJsonObject(settings) && settings.v2_typed_protocol === false);
}

/**
 * `allowed_paths` of the phase's contract, the first `{phase}-*.json` by name; null when there is none. Throws
 * `UnreadableContract` for one that is there and cannot be read.
 */
export function contractPaths(planning: string | null, phase: string): readonly string[] | null {
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
