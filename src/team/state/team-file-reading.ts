/** Takes the values of a team file for what they should be, and notes each that is not with its line and column. */

import { agentName } from "../../base/ids.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { readGlob } from "../../base/paths/globs.ts";
import { jsonPath, makeProblem, type Problem, pathStep } from "../../base/problem.ts";
import { nearest, shorten } from "../../base/text.ts";
import type { Yaml } from "../../base/text-formats/yaml.ts";
import { isReservedName } from "../../messages/principal.ts";
import type { TeamDefinition } from "./definition.ts";

/** Takes values for what they should be and notes each that is not. What it then returns is never given out. */
export class Reading {
  readonly found: { readonly problem: Problem; readonly line: number; readonly column: number }[] = [];
  private readonly yaml: Yaml;
  private readonly file: string;

  constructor(yaml: Yaml, file: string) {
    this.yaml = yaml;
    this.file = file;
  }

  inTextOrder(): readonly Problem[] {
    return this.found.toSorted((a, b) => a.line - b.line || a.column - b.column).map(({ problem }) => problem);
  }

  problem(
    path: string,
    message: string,
    expected: string,
    received?: Json,
    hint?: string,
    part: "key" | "value" = "value",
  ): void {
    const { line, column } = this.yaml.locate(path, part);
    const shown =
      received === undefined
        ? undefined
        : shorten(typeof received === "string" ? received : JSON.stringify(received), 80);
    const place = `${this.file}:${line}:${column}`;
    this.found.push({
      problem: makeProblem("team-file", place, message, { expected, received: shown, hint }),
      line,
      column,
    });
  }

  /** An object; with `known`, of these keys only, and with the `required` ones. */
  object(value: Json, path: string, known?: readonly string[], required: readonly string[] = []): JsonObject {
    if (!isJsonObject(value)) {
      this.problem(
        path,
        `${subject(path)} is not a map.`,
        known === undefined ? "a map of names" : `a map with ${known.join(", ")}`,
        value,
      );
      return {};
    }
    if (known === undefined) return value;
    for (const key of Object.keys(value).filter((one) => !known.includes(one))) {
      const meant = nearest(key, known);
      const hint = meant === null ? undefined : `did you mean "${meant}"?`;
      this.problem(
        path + pathStep(key),
        `${subject(path)} has no "${shorten(key, 40)}".`,
        known.join(" | "),
        key,
        hint,
        "key",
      );
    }
    for (const key of required.filter((one) => !Object.hasOwn(value, one))) {
      this.problem(path, `${subject(path)} lacks "${key}".`, required.join(", "), undefined, `Add ${key}.`, "key");
    }
    return Object.fromEntries(Object.entries(value).filter(([key]) => known.includes(key)));
  }

  list(value: Json, path: string): readonly Json[] {
    if (isJsonList(value)) return value;
    this.problem(path, `${subject(path)} is not a list.`, "a list", value);
    return [];
  }

  text(value: Json, path: string): string | null {
    if (typeof value === "string") return value;
    const hint = typeof value === "number" || typeof value === "boolean" ? "Put it into quotes." : undefined;
    this.problem(path, `${subject(path)} is not text.`, "text", value, hint);
    return null;
  }

  word<Word extends string>(value: Json, path: string, known: readonly Word[]): Word | null {
    const found = known.find((one) => one === value);
    if (found !== undefined) return found;
    const meant = typeof value === "string" ? nearest(value, known) : null;
    this.problem(
      path,
      `${subject(path)} is not known.`,
      known.join(" | "),
      value,
      meant === null ? undefined : `did you mean "${meant}"?`,
    );
    return null;
  }

  /** A list of known words, not empty, each once. */
  words<Word extends string>(value: Json, path: string, known: readonly Word[]): readonly Word[] {
    const items = this.list(value, path);
    if (isJsonList(value) && items.length === 0)
      this.problem(path, `${subject(path)} is empty.`, `at least one of ${known.join(", ")}`);
    const words: Word[] = [];
    items.forEach((item, index) => {
      const word = this.word(item, path + pathStep(index), known);
      if (word === null) return;
      if (words.includes(word))
        this.problem(path + pathStep(index), `"${word}" is listed twice.`, "each once", undefined, "Remove one.");
      words.push(word);
    });
    return words;
  }

  whole(value: Json, path: string, min: number, max: number): number {
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    this.problem(path, `${subject(path)} is out of bounds.`, `a whole number from ${min} to ${max}`, value);
    return max;
  }
}

/** A path in words: what it calls the thing there. */
function subject(path: string): string {
  return path === "$" ? "The file" : path.slice(2);
}

/** Globs of files that several agents may edit. What contracts and claims refuse as a path is refused here too. */
export function readShared(value: Json, reading: Reading): Pick<TeamDefinition, "shared"> {
  const shared: string[] = [];
  reading.list(value, "$.shared").forEach((item, index) => {
    const path = jsonPath(["shared", index]);
    const glob = reading.text(item, path);
    if (glob === null) return;
    const read = readGlob(glob);
    if (!read.ok) reading.problem(path, "This is no glob of files.", "a path or glob from the repository's root", glob);
    if (shared.includes(glob)) reading.problem(path, `"${glob}" is listed twice.`, "each once", glob, "Remove one.");
    shared.push(glob);
  });
  return shared.length === 0 ? {} : { shared };
}

export function readSpeakers(value: Json, reading: Reading): Pick<TeamDefinition, "speakers"> {
  const speakers: string[] = [];
  reading.list(value, "$.speakers").forEach((item, index) => {
    const path = jsonPath(["speakers", index]);
    const agent = reading.text(item, path);
    if (agent === null) return;
    if (agentName(agent) === null || isReservedName(agent))
      reading.problem(path, "This cannot be an agent's name.", "the name of an agent of the team", agent);
    if (speakers.includes(agent))
      reading.problem(path, `"${agent}" is listed twice.`, "each once", agent, "Remove one.");
    speakers.push(agent);
  });
  return speakers.length === 0 ? {} : { speakers };
}
