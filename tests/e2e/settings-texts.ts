/**
 * Settings files as people and programs may have written them: every layout of JSON, with and without comments and
 * commas at ends; and the projects that they are in.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { jsonParts } from "../../src/base/text-formats/json-parts.ts";
import { folder } from "./command.ts";

/** What the texts may have between their parts. */
interface Layout {
  readonly gap: fc.Arbitrary<string>;
  /** Whether a comma may stand behind the last entry. */
  readonly lastComma: fc.Arbitrary<boolean>;
}

const blank = fc.stringMatching(/^[ \t]{0,2}$/);
const gapOf = (...between: readonly string[]) =>
  fc.tuple(blank, fc.constantFrom(...between), blank).map((parts) => parts.join(""));
const lines = ["", "", "", "\n", "\r\n", "\n\n  "];
const strict: Layout = { gap: gapOf(...lines), lastComma: fc.constant(false) };
const lenient: Layout = { gap: gapOf(...lines, "/* a } */", "// b ]\n", "// c\r\n"), lastComma: fc.boolean() };
const key = fc.constantFrom('"a"', '"b"', '"c\\"}"', '"\\u0068ooks2"');
const leaf = fc.constantFrom("1", "-2.5e3", "true", "null", '"x // y"', '"{"', '"\\""');

/** Strings of lists and objects, with gaps of every kind at every place, and commas behind the last entry. */
function values(layout: Layout): fc.Arbitrary<string> {
  return fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      bracketed(layout, "[", "]", tie("value")),
      bracketed(layout, "{", "}", tie("value")),
    ),
  })).value;
}

function bracketed(
  { gap, lastComma }: Layout,
  open: string,
  close: string,
  inner: fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const name = open === "{" ? fc.tuple(key, gap, gap).map(([k, a, b]) => `${k}${a}:${b}`) : fc.constant("");
  const entry = fc.tuple(gap, name, inner, gap).map((parts) => parts.join(""));
  return fc
    .tuple(fc.array(entry, { maxLength: 3 }), lastComma, gap, gap)
    .map(([entries, hasComma, before, last]) =>
      entries.length === 0 ? open + before + close : open + entries.join(",") + (hasComma ? `,${last}` : "") + close,
    );
}

/** Objects that may have the members where Baton's entries are put (`hooks`, `mcpServers`, `permissions`). */
function settings(layout: Layout): fc.Arbitrary<string> {
  const { gap } = layout;
  const value = values(layout);
  // Lists of rules, in which a person may have written those that Baton writes.
  const rules = fc
    .array(fc.tuple(gap, fc.constantFrom('"mcp__baton"', '"mcp__baton__hook"', '"Bash"'), gap), { maxLength: 3 })
    .map((entries) => `[${entries.map((parts) => parts.join("")).join(",")}]`);
  return fc
    .tuple(
      gap,
      bracketed(layout, "{", "}", value),
      bracketed(layout, "[", "]", value),
      fc.array(fc.constantFrom("hooks", "PreToolUse", "mcpServers", "permissions", "sandbox"), { maxLength: 5 }),
      bracketed(layout, "{", "}", value),
      gap,
      gap,
      layout.lastComma,
      fc.nat(3),
      rules,
    )
    .map(([before, servers, list, names, root, inside, after, hasComma, place, allowed]) => {
      const hooks = withMember(bracketOr(names.includes("PreToolUse"), list), inside);
      const members = [
        ...(names.includes("hooks") ? [`"hooks":${inside}${hooks}`] : []),
        ...(names.includes("mcpServers") ? [`${inside}"mcpServers": ${servers}`] : []),
        ...(names.includes("permissions")
          ? [`"permissions":{${inside}"allow" : ${allowed},"deny":${allowed}${inside}}`]
          : []),
        ...(names.includes("sandbox")
          ? [`"sandbox":${inside}{"enabled" : true, "filesystem":{${inside}"denyWrite":${allowed} }}`]
          : []),
      ];
      const own = root.slice(1, -1);
      const text = members.join(`,${inside}`);
      if (members.length === 0) return before + root + after;
      if (place === 0) return `${before}{${text}${inside}${hasComma ? "," : ""}${inside}}${after}`;
      return hasMembers(root) ? `${before}{${text},${own}}${after}` : `${before}{${own}${text}${inside}}${after}`;
    });
}

/** Settings in any layout, and those of them that a strict reader of JSON takes. */
export const settingsTexts = settings(lenient);
export const strictTexts = settings(strict);

const bracketOr = (has: boolean, list: string) => (has ? list : null);
const withMember = (list: string | null, inside: string) =>
  list === null ? `{${inside}}` : `{${inside}"PreToolUse" : ${list}${inside}}`;

function hasMembers(text: string): boolean {
  const parts = jsonParts(text);
  assert.ok(parts.ok && parts.value.kind === "object");
  return parts.value.entries.length > 0;
}

/** The command as people install it. */
export const launcher = join(import.meta.dirname, "../..", "bin/baton.js");

/** A project: a folder that a repository begins in. */
export function project(): string {
  const directory = folder();
  mkdirSync(join(directory, ".git"));
  return directory;
}

/** Writes a file of a project, with its folders. */
export function put(directory: string, path: string, text: string): string {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** What the tests look at of settings that they know to be such. */
interface Settings {
  readonly hooks: { readonly [event: string]: readonly Group[] };
  readonly permissions?: unknown;
  readonly sandbox?: unknown;
  mcpServers?: { baton: unknown };
}

interface Handler {
  readonly type: string;
  readonly command?: string;
  readonly server?: string;
  readonly tool?: string;
  readonly input?: Readonly<Record<string, string>>;
  readonly onFailure?: string;
  readonly timeout?: number;
  readonly asyncRewake?: boolean;
}

interface Group {
  readonly matcher?: string;
  readonly hooks: Handler[];
}

/** The groups of one event. */
export function groupsOf(settings: Settings, event: string): readonly Group[] {
  return settings.hooks[event] ?? assert.fail(`no hooks for ${event}`);
}

/** Settings that Baton wrote. */
export const read = (directory: string, path: string): Settings =>
  JSON.parse(readFileSync(join(directory, path), "utf8")) as Settings;
