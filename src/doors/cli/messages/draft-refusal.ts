/** The refusal of a draft in the words of the command line that wrote it: `--set failures[0].file`, and a line to copy. */
import { type Json, parseBounded } from "../../../base/json.ts";
import type { Problem } from "../../../base/problem.ts";
import type { Reply } from "../../../operations/reply.ts";
import { shellLine } from "../terminal/shell-words.ts";

/** `reply`, whose problems and notes name the fields as `--set` does. */
export function inSettings(reply: Reply): Reply {
  if (reply.outcome === "failed") return reply;
  const notes = reply.notes.map((note) => asSetting(note));
  return reply.outcome === "accepted"
    ? { ...reply, notes }
    : { ...reply, notes, problems: reply.problems.map((each) => withSetting(asSetting(each))) };
}

function asSetting<Told extends { readonly path: string; readonly message: string }>(told: Told): Told {
  const path = told.path === "$.type" ? "--type" : told.path.replace(/^\$\.(?=.)|^\$(?=\[)/, "--set ");
  if (path === told.path) return told;
  return { ...told, path, message: told.message.replaceAll(told.path, path.replace("--set ", "")) };
}

/** The problem of a missing field with the words that set it, made of the sample in its hint. */
function withSetting(told: Problem): Problem {
  const hint = shellLine(settingOf(told) ?? []);
  return hint === null || hint === "" ? told : { ...told, hint };
}

function settingOf({ code, path, hint = "" }: Problem): readonly string[] | null {
  if (code !== "missing-field" || !path.startsWith("--set ")) return null;
  const [, sample] = /^add "[^"]*"(?:, [^,]*)?, such as (.*)$/s.exec(hint) ?? [];
  const name = path.slice("--set ".length);
  if (sample === undefined) return null;
  const value = parseBounded(sample);
  return ["--set", ...(value.ok ? assignments(name, value.value) : [`${name}:=JSON`])];
}

function assignments(name: string, value: Json): readonly string[] {
  if (typeof value === "string") return [`${name}=${value}`];
  if (Array.isArray(value) && typeof value[0] === "string") return [`${name}[]=${value[0]}`];
  if (typeof value === "object") return [`${name}:=${JSON.stringify(value)}`];
  return [`${name}=${value}`];
}

/**
 * The line that was written with what is missing added, to copy and change; null: nothing is missing. `line`: the words
 * that were given. `missing` have been worded by `inSettings`.
 */
export function exampleLine(line: readonly string[], missing: readonly Problem[]): string | null {
  const added = missing.filter(({ code, hint }) => code === "missing-field" && hint?.startsWith("--set ") === true);
  const written = shellLine(["baton", "send", ...line]);
  return added.length === 0 || written === null ? null : [written, ...added.map(({ hint }) => hint)].join(" ");
}
