/**
 * Settings files as people and programs may have written them: every layout of JSON with comments and commas at ends; and
 * the projects that they are in.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { jsonParts } from "../../src/base/text-formats/json-parts.ts";
import { folder } from "./command.ts";

const blank = fc.stringMatching(/^[ \t]{0,2}$/);
const comment = fc.constantFrom("", "", "", "/* a } */", "// b ]\n", "// c\r\n", "\n", "\r\n", "\n\n  ");
const gap = fc.tuple(blank, comment, blank).map((parts) => parts.join(""));
const key = fc.constantFrom('"a"', '"b"', '"c\\"}"', '"\\u0068ooks2"');
const leaf = fc.constantFrom("1", "-2.5e3", "true", "null", '"x // y"', '"{"', '"\\""');

/** Strings of lists and objects, with gaps of every kind at every place, and commas behind the last entry. */
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    bracketed("[", "]", tie("value")),
    bracketed("{", "}", tie("value")),
  ),
}));

function bracketed(open: string, close: string, inner: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const name = open === "{" ? fc.tuple(key, gap, gap).map(([k, a, b]) => `${k}${a}:${b}`) : fc.constant("");
  const entry = fc.tuple(gap, name, inner, gap).map((parts) => parts.join(""));
  return fc
    .tuple(fc.array(entry, { maxLength: 3 }), fc.boolean(), gap, gap)
    .map(([entries, hasComma, before, last]) =>
      entries.length === 0 ? open + before + close : open + entries.join(",") + (hasComma ? `,${last}` : "") + close,
    );
}

/** Lists of rules, in which a person may have written those that Baton writes. */
const rules = fc
  .array(fc.tuple(gap, fc.constantFrom('"mcp__baton"', '"mcp__baton__hook"', '"Bash"'), gap), { maxLength: 3 })
  .map((entries) => `[${entries.map((parts) => parts.join("")).join(",")}]`);

/** Objects that may have the members where Baton's entries are put (`hooks`, `mcpServers`, `permissions`), in any layout. */
export const settingsTexts: fc.Arbitrary<string> = fc
  .tuple(
    gap,
    bracketed("{", "}", value),
    bracketed("[", "]", value),
    fc.array(fc.constantFrom("hooks", "PreToolUse", "mcpServers", "permissions"), { maxLength: 4 }),
    bracketed("{", "}", value),
    gap,
    gap,
    fc.boolean(),
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
    ];
    const own = root.slice(1, -1);
    const text = members.join(`,${inside}`);
    if (members.length === 0) return before + root + after;
    if (place === 0) return `${before}{${text}${inside}${hasComma ? "," : ""}${inside}}${after}`;
    return hasMembers(root) ? `${before}{${text},${own}}${after}` : `${before}{${own}${text}${inside}}${after}`;
  });

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
