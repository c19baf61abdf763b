/**
 * The line that a refused draft is repaired from: the one that was written, with each value at the place where it belongs.
 * `problems` are everywhere as `inSettings` words them.
 */
import { isJsonObject, parseBounded } from "../../base/json.ts";
import { jsonPath, type Problem } from "../../base/problem.ts";
import { shellLine } from "../../doors/cli/kernel/next-command.ts";
import { pathOf } from "./set-fields.ts";

export interface RepairedLine {
  readonly text: string;
  /** What was missing is there in capitals, for the sender to fill in. */
  readonly isOpen: boolean;
  /** Settings that are not in it: the type has no such field, or its place is taken. */
  readonly leftOut: readonly string[];
}

/**
 * The line to copy and change, from the options that were written, each with its value: what is missing is added, a field
 * at a wrong place or with a wrong name gets the right one, and a wrong value becomes the one that was meant, or the list
 * of those that there are. Null: nothing can be repaired so, as where the sender's role may not send the type.
 */
export function repairedLine(line: readonly string[], problems: readonly Problem[]): RepairedLine | null {
  if (problems.some(({ code }) => code === "sender-not-authorised")) return null;
  const moves = movesOf(problems);
  const words: string[] = [];
  const leftOut: string[] = [];
  const named = new Set<string>();
  const settings = line.flatMap((word, at) => (line[at - 1] === "--set" ? [word] : []));
  // What stays where it is comes before what is moved there.
  const kept = new Set(settings.filter((setting) => moved(setting, moves) === setting).map(pathOf));
  for (const [at, word] of line.entries()) {
    if (at % 2 === 1) continue;
    const value = line[at + 1] ?? "";
    if (word !== "--set") words.push(word, value);
    for (const setting of word === "--set" ? parted(value, moves) : []) {
      const now = moved(setting, moves);
      const path = now === null ? "" : pathOf(now);
      const isTaken = !path.endsWith("[]") && (named.has(path) || (now !== setting && kept.has(path)));
      if (now === null || isTaken) leftOut.push(setting);
      else words.push("--set", withMeantValue(now, problems));
      named.add(path);
    }
  }
  const added = problems.flatMap(({ code, path, hint = "" }) =>
    code === "missing-field" && hint.startsWith("--set ") && !named.has(fieldOf(path))
      ? [hint.replace(/, such as --set .*$/s, "")]
      : [],
  );
  const shown = shellLine(["baton", "send", ...words]);
  const isSame = added.length === 0 && words.join("\n") === line.join("\n");
  return isSame || shown === null ? null : { text: [shown, ...added].join(" "), isOpen: added.length > 0, leftOut };
}

/** Where each misplaced field belongs, by the path as it was written; null: it is no field. */
type Moves = ReadonlyMap<string, string | null>;

function movesOf(problems: readonly Problem[]): Moves {
  return new Map(
    problems.flatMap(({ code, path, hint = "" }): (readonly [string, string | null])[] => {
      const field = fieldOf(path);
      if (code === "missing-field") {
        const [from, to] = hint.replace(/^it is at /, "").split(": move it to ");
        return from === undefined || to === undefined ? [] : [[from, to]];
      }
      if (code !== "unknown-field") return [];
      const [, inside] = /^put (.+) next to it, not into it$/.exec(hint) ?? [];
      const [, place = null] = /^it belongs at (.+): move it there$/.exec(hint) ?? [];
      const [, meant] = /^did you mean "([^"]+)"\?$/.exec(hint) ?? [];
      return [
        [field, meant === undefined ? place : nextTo(field, meant)],
        ...(inside?.split(", ") ?? []).map((name) => [`${field}.${name}`, nextTo(field, name)] as const),
      ];
    }),
  );
}

function fieldOf(path: string): string {
  return path.replace(/^--set /, "");
}

/** The path of another field of the object that `path` leads into. */
function nextTo(path: string, name: string): string {
  const owner = path.slice(0, Math.max(0, path.lastIndexOf(path.endsWith("]") ? "[" : ".")));
  return owner === "" ? name : `${owner}.${name}`;
}

/** The setting at the place where it belongs; null: there is none. */
function moved(setting: string, moves: Moves): string | null {
  const path = pathOf(setting);
  const [from, to] = [...moves]
    .filter(([each]) => path === each || isInside(path, each))
    .reduce<readonly [string, string | null]>(
      (best, each) => (each[0].length > best[0].length ? each : best),
      ["", ""],
    );
  return to === null ? null : `${to}${setting.slice(from.length)}`;
}

function isInside(path: string, around: string): boolean {
  return path.startsWith(around) && /^[.[]/.test(path.slice(around.length));
}

/** The setting; of an object some of whose fields belong elsewhere a setting for each of its fields. */
function parted(setting: string, moves: Moves): readonly string[] {
  const path = pathOf(setting);
  if (!setting.startsWith(":=", path.length) || ![...moves.keys()].some((each) => isInside(each, path)))
    return [setting];
  const value = parseBounded(setting.slice(path.length + 2));
  if (!value.ok || !isJsonObject(value.value)) return [setting];
  return Object.entries(value.value).flatMap(([key, held]) => {
    const place = jsonPath([key], path);
    return parted(typeof held === "string" ? `${place}=${held}` : `${place}:=${JSON.stringify(held)}`, moves);
  });
}

/** The setting with the value that was meant, or the list of those that there are. */
function withMeantValue(setting: string, problems: readonly Problem[]): string {
  const path = pathOf(setting);
  const found = problems.find((each) => each.code === "wrong-value" && each.path === `--set ${path}`);
  if (found?.expected?.includes(" | ") !== true) return setting;
  const [, meant] = /^did you mean "([^"]+)"\?$/.exec(found.hint ?? "") ?? [];
  return `${path}=${meant ?? found.expected.replaceAll(" | ", "|")}`;
}
