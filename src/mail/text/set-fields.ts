/**
 * The grammar of `--set PATH=VALUE`: the fields of a draft, written one at a time on a command line; and the line that
 * a refused draft is repaired from. A path is spelled as in problems, without `$.`: `checks.total`, `failures[0].file`,
 * `sums["a.ts"]`; `name[]` adds an entry to a list. The refusal of a draft names its fields in the same grammar.
 * Source: docs/protocol/messages.md, section 9.
 */
import { isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import { jsonDepthMax } from "../../base/limits.ts";
import { jsonPath, type PathStep, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import { shellLine } from "../../doors/cli/kernel/next-command.ts";
import type { Reply } from "../../perform/operations/reply.ts";

/** A value under construction. A map, because a field may have any name. */
type Part =
  | { readonly is: "object"; readonly fields: Map<string, Part> }
  | { readonly is: "list"; readonly entries: Part[] }
  | { readonly is: "value"; readonly value: Json };

/** A step of a path; null: one entry more. */
type Step = PathStep | null;

interface Setting {
  readonly steps: readonly Step[];
  readonly value: Json;
}

/** The fields that these settings write, in their order; or the first error, `wrong-usage`. */
export function readSettings(settings: readonly string[]): Result<JsonObject, Problem> {
  const root: Part = { is: "object", fields: new Map() };
  for (const written of settings) {
    const setting = readSetting(written);
    if (!setting.ok) return setting;
    const problem = place(root, setting.value, written);
    if (problem !== null) return err(problem);
  }
  return ok(objectOf(root.fields));
}

const assignment = /^(.*?)(:?=)(.*)$/s;

function readSetting(written: string): Result<Setting, Problem> {
  // A quoted key may hold an equals sign, so the path is read first.
  const path = readPath(written);
  const [, rest = "", sign, text = ""] = assignment.exec(written.slice(path.length)) ?? [];
  if (path.steps.length === 0 || sign === undefined || rest !== "") {
    return err(
      usageProblem(
        "--set",
        `"${written}" is no PATH=VALUE.`,
        "write --set status=partial, --set checks.total=3, --set files[]=a.ts or --set checks:='{\"total\":3}'",
        written,
      ),
    );
  }
  if (path.steps[0] === "type") {
    return err(usageProblem("--set type", "The type is no field that is set.", "write --type TYPE"));
  }
  if (path.steps.length > jsonDepthMax) {
    return err(usageProblem("--set", "The path is nested too deep.", `at most ${jsonDepthMax} steps`));
  }
  const name = written.slice(0, path.length);
  if (sign === "=" && text === wordFor(name)) {
    const problem = `${text} stands for the value that belongs there.`;
    return err(usageProblem(`--set ${name}`, problem, "write the value in its place", text.slice(0, 80)));
  }
  if (sign === "=") return ok({ steps: path.steps, value: text });
  const value = parseBounded(text);
  if (value.ok) return ok({ steps: path.steps, value: value.value });
  const hint = "write JSON after :=, and plain text after =";
  return err(usageProblem(`--set ${name}`, value.error.message, hint, text.slice(0, 80)));
}

/** The longest path that a setting begins with. */
function readPath(written: string): { readonly steps: readonly Step[]; readonly length: number } {
  const step = /(\.?)([A-Za-z_][A-Za-z0-9_-]*)|\[(\d{1,6}|"(?:[^"\\]|\\.)*")?\]/y;
  const steps: Step[] = [];
  for (;;) {
    const at = step.lastIndex;
    const found = step.exec(written);
    const [, dot, name, inner] = found ?? [];
    // A name that follows another step is joined by a dot, and the first one is not.
    if (found === null || (name !== undefined && (dot === "") !== (steps.length === 0))) return { steps, length: at };
    const key = name ?? (inner === undefined ? null : readKey(inner));
    if (key === undefined) return { steps, length: at };
    steps.push(key);
  }
}

/** The number of an entry, or a quoted key; undefined: it is no JSON text. */
function readKey(inner: string): PathStep | undefined {
  const key = parseBounded(inner);
  return key.ok && (typeof key.value === "string" || typeof key.value === "number") ? key.value : undefined;
}

/** Puts the value where its path leads. Returns the error of one that is taken. */
function place(root: Part & { readonly is: "object" }, { steps, value }: Setting, written: string): Problem | null {
  let here: Part = root;
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1;
    const next = steps[index + 1];
    const made = (): Part => {
      if (isLast) return { is: "value", value };
      return typeof next === "string" ? { is: "object", fields: new Map() } : { is: "list", entries: [] };
    };
    const before = sizeOf(here);
    const found: Part | "taken" | "gap" = typeof step === "string" ? member(here, step, made) : entry(here, step, made);
    if (found === "gap" || found === "taken" || (isLast && sizeOf(here) === before)) {
      return conflict(steps.slice(0, index + 1), found === "gap", written);
    }
    here = found;
  }
  return null;
}

function sizeOf(part: Part): number {
  if (part.is === "value") return 0;
  return part.is === "object" ? part.fields.size : part.entries.length;
}

function member(owner: Part, name: string, made: () => Part): Part | "taken" {
  if (owner.is !== "object") return "taken";
  const known = owner.fields.get(name);
  if (known !== undefined) return known;
  const added = made();
  owner.fields.set(name, added);
  return added;
}

function entry(owner: Part, index: number | null, made: () => Part): Part | "taken" | "gap" {
  if (owner.is !== "list") return "taken";
  const known = index === null ? undefined : owner.entries[index];
  if (known !== undefined) return known;
  if (index !== null && index > owner.entries.length) return "gap";
  const added = made();
  owner.entries.push(added);
  return added;
}

function conflict(steps: readonly Step[], isGap: boolean, written: string): Problem {
  const path = `--set ${shownPath(steps)}`;
  if (isGap) return usageProblem(path, "Entries before this one are missing.", "number entries from 0", written);
  return usageProblem(
    path,
    "It is set twice, or as two kinds of value.",
    "set each place once; several entries of a list are NAME[]=VALUE, once each",
    written,
  );
}

function shownPath(steps: readonly Step[]): string {
  return steps.map((step, index) => (step === null ? "[]" : jsonPath([step], "").slice(index === 0 ? 1 : 0))).join("");
}

function jsonOf(part: Part): Json {
  if (part.is === "value") return part.value;
  return part.is === "list" ? part.entries.map(jsonOf) : objectOf(part.fields);
}

function objectOf(fields: ReadonlyMap<string, Part>): JsonObject {
  return Object.fromEntries([...fields].map(([name, part]) => [name, jsonOf(part)]));
}

/** `reply`, whose problems and notes name the fields as `--set` does. */
export function inSettings(reply: Reply): Reply {
  if (reply.outcome === "failed") return reply;
  const notes = reply.notes.map((note) => asSetting(note));
  return reply.outcome === "accepted"
    ? { ...reply, notes }
    : { ...reply, notes, problems: reply.problems.map((each) => withSetting(asSetting(each))) };
}

function asSetting<Told extends { readonly path: string; readonly message: string; readonly hint?: string }>(
  told: Told,
): Told {
  const path = told.path === "$.type" ? "--type" : told.path.replace(/^\$\.(?=.)|^\$(?=\[)/, "--set ");
  if (path === told.path) return told;
  const message = told.message.replaceAll(told.path, path.replace("--set ", ""));
  const hint = told.hint?.replaceAll(/\$\.(?=[A-Za-z_])|\$(?=\[)/g, "");
  return { ...told, path, message, ...(hint === undefined ? {} : { hint }) };
}

/** The problem of a missing field with the words that set it, and with the sample in its hint. */
function withSetting(told: Problem): Problem {
  const [open = null, sample = null] = settingsOf(told).map((each) => shellLine(["--set", each]));
  return open === null ? told : { ...told, hint: sample === null ? open : `${open}, such as ${sample}` };
}

/** What sets a missing field: with what its sender fills in, in capitals, and with the sample where it can be read. */
function settingsOf({ code, path, hint = "" }: Problem): readonly string[] {
  if (code !== "missing-field" || !path.startsWith("--set ")) return [];
  const [, sample] = /^add "[^"]*"(?:, [^,]*)?, such as (.*)$/s.exec(hint) ?? [];
  const name = path.slice("--set ".length);
  if (sample === undefined) return [];
  const value = parseBounded(sample);
  return value.ok ? [opened(name, value.value), assigned(name, value.value)] : [`${name}:=JSON`];
}

function assigned(name: string, value: Json): string {
  if (typeof value === "string") return `${name}=${value}`;
  if (Array.isArray(value) && typeof value[0] === "string") return `${name}[]=${value[0]}`;
  if (typeof value === "object") return `${name}:=${JSON.stringify(value)}`;
  return `${name}=${value}`;
}

/** The same without the sample's value: what is true only the sender knows. */
function opened(name: string, value: Json): string {
  const word = wordFor(name);
  if (typeof value === "boolean") return `${name}=true|false`;
  if (Array.isArray(value) && typeof value[0] === "string") return `${name}[]=${word}`;
  return typeof value === "object" ? `${name}:=JSON` : `${name}=${word}`;
}

/** What stands for a field's value until its sender fills it in. */
function wordFor(name: string): string {
  return (name.split(/[^A-Za-z0-9_]/).findLast((each) => each !== "") ?? "value").toUpperCase();
}

/** The path that a setting begins with. */
export function pathOf(setting: string): string {
  return setting.slice(0, readPath(setting).length);
}

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
