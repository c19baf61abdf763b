/** Baton's entries in the JSON settings of a program: found by what they say, put in, and taken out. */
import { canonical } from "../../base/canonical.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject, parseBounded } from "../../base/json.ts";
import { settingsBytesMax, settingsDepthMax } from "../../base/limits.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import { type HookGroup, isOwnCall, ownHookWords } from "./hook-lines.ts";
import { ownServerWords, type Permission, programFacts, serverPath } from "./program-settings.ts";
import { settingsProblem } from "./settings-file.ts";

/** What must be in a file. Null: this file does not hold it. */
export interface WantedEntries {
  readonly program: HookProgram;
  readonly hooks: readonly HookGroup[] | null;
  readonly server: JsonObject | null;
  /** What the program may do without asking, and what its model does not see. */
  readonly permissions: readonly Permission[];
}

/** An entry of ours, as it was found. */
export interface OwnEntry {
  readonly path: readonly (string | number)[];
  /** The hook's event; null: it is the server, or a permission. */
  readonly event: string | null;
  readonly kind: "hook" | "server" | "permission";
  readonly value: Json;
  /** The words that start Baton there. */
  readonly words: readonly string[];
}

/** What the settings file says, as the program reads it. Refuses `settings-file` what the program cannot read. */
export function settingsIn(text: string, program: HookProgram, file: string): Result<JsonObject, Problem> {
  const { title, readsComments } = programFacts[program];
  const bare = text.replace(/^\ufeff/, "");
  const parsed = parseBounded(readsComments ? withoutComments(bare) : bare, limits);
  if (parsed.ok && isJsonObject(parsed.value)) return ok(parsed.value);
  const why = parsed.ok ? "This is no object." : parsed.error.message;
  const isCommented = !parsed.ok && !readsComments && parseBounded(withoutComments(bare), limits).ok;
  const hint = isCommented
    ? `${title} reads strict JSON only: remove comments and commas before a closing bracket, then run the command again.`
    : undefined;
  return err(settingsProblem(file, `${title} loads nothing of this file: ${why}`, { hint }));
}

const limits = { bytesMax: settingsBytesMax, depthMax: settingsDepthMax, nodesMax: settingsBytesMax };

/** JSON without the comments and last commas that some programs read. */
function withoutComments(text: string): string {
  const bare = text.replaceAll(
    /("(?:[^"\\]|\\[\s\S])*"?)|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?/g,
    (_, string?: string) => string ?? " ",
  );
  return bare.replaceAll(
    /("(?:[^"\\]|\\[\s\S])*"?)|,(\s*)([}\]])?/g,
    (whole: string, _string: string | undefined, blank: string | undefined, close: string | undefined) =>
      close === undefined ? whole : `${blank ?? ""}${close}`,
  );
}

/** Whether the text has comments or last commas, which settings that are written anew lose. */
export function hasComments(text: string): boolean {
  return withoutComments(text) !== text;
}

/** Settings with the entries once each and up to date; null: something else is where they belong. */
export function withEntries(root: JsonObject, wanted: WantedEntries): JsonObject | null {
  const { hooks, server, permissions } = wanted;
  const entries: readonly (readonly [path: readonly string[], change: Change])[] = [
    ...(hooks ?? []).map(({ event, group }) => [["hooks", event], listed(group)] as const),
    ...permissions.map(({ path, rule }) => [path, listed(rule)] as const),
    ...(server === null ? [] : [[serverPath, () => server] as const]),
  ];
  const own = ownUnder(root, wanted.program, permissions);
  const start: Json | null = withoutAll(root, own) ?? {};
  const made = entries.reduce<Json | null>(
    (now, [path, change]) => (now === null ? null : changedAt(now, path, change)),
    start,
  );
  return isJsonObject(made ?? undefined) ? (made as JsonObject) : null;
}

type Change = (at: Json | undefined) => Json | null;

function listed(value: Json): Change {
  return (at) => (at === undefined ? [value] : isJsonList(at) ? [...at, value] : null);
}

function changedAt(root: Json | undefined, [name, ...rest]: readonly string[], change: Change): Json | null {
  if (name === undefined) return change(root);
  if (root !== undefined && !isJsonObject(root)) return null;
  const inner = changedAt(root?.[name], rest, change);
  return inner === null ? null : { ...root, [name]: inner };
}

/** Settings without our entries and without what held nothing else; null: nothing is left. */
export function withoutEntries(root: JsonObject, program: HookProgram): JsonObject | null {
  return withoutAll(root, ownUnder(root, program, programFacts[program].permissions));
}

/** From the last to the first, so that the places of the others stay. */
function withoutAll(root: JsonObject, own: readonly OwnEntry[]): JsonObject | null {
  const left = own.reduceRight<Json | null>((now, { path }) => (now === null ? null : without(now, path)), root);
  return isJsonObject(left ?? undefined) && Object.keys(left ?? {}).length > 0 ? (left as JsonObject) : null;
}

function without(root: Json, [step, ...rest]: OwnEntry["path"]): Json | null {
  if (isJsonList(root) && typeof step === "number") {
    const inner = without(root[step] ?? null, rest);
    const left = root.toSpliced(step, 1, ...(inner === null ? [] : [inner]));
    return left.length === 0 ? null : left;
  }
  if (!isJsonObject(root) || typeof step !== "string") return null;
  const { [step]: held = null, ...others } = root;
  const inner = without(held, rest);
  const left = inner === null ? others : { ...root, [step]: inner };
  return Object.keys(left).length === 0 ? null : left;
}

/** Our entries in the settings, in their order. */
export function ownEntries(root: JsonObject, program: HookProgram): readonly OwnEntry[] {
  return ownUnder(root, program, programFacts[program].permissions);
}

function ownUnder(root: JsonObject, program: HookProgram, permissions: readonly Permission[]): readonly OwnEntry[] {
  const hooks = ownHooks(root, program);
  return [...hooks, ...(hooks.length === 0 ? [] : ownPermissions(root, permissions)), ...ownServer(root)];
}

/**
 * Next to hooks of ours, the last of several equal rules is ours: a person may have written the same rule before, and it is
 * there once more then, so that theirs stays when ours goes.
 */
function ownPermissions(root: JsonObject, permissions: readonly Permission[]): readonly OwnEntry[] {
  return permissions.flatMap(({ path, rule, isOwn = (found) => found === rule }): readonly OwnEntry[] => {
    const rules = valueAt(root, path);
    const index = isJsonList(rules) ? rules.findLastIndex(isOwn) : -1;
    if (!isJsonList(rules) || index < 0) return [];
    return [{ path: [...path, index], event: null, kind: "permission", value: rules[index] ?? null, words: [] }];
  });
}

function valueAt(root: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, name) => (isJsonObject(at) ? at[name] : undefined), root);
}

function ownHooks({ hooks }: JsonObject, program: HookProgram): readonly OwnEntry[] {
  if (!isJsonObject(hooks)) return [];
  return Object.entries(hooks).flatMap(([event, groups]) =>
    isJsonList(groups) ? groups.flatMap((group, index) => ownIn(group, ["hooks", event, index], event, program)) : [],
  );
}

/** A whole group where all of it is ours; else each handler of ours in it. */
function ownIn(group: Json, path: OwnEntry["path"], event: string, program: HookProgram): readonly OwnEntry[] {
  const handlers = isJsonObject(group) && isJsonList(group.hooks) ? group.hooks : [];
  const own = handlers.flatMap((value, index): readonly OwnEntry[] => {
    if (!isJsonObject(value)) return [];
    const words = isOwnCall(value) ? [] : ownHookWords(value.command, program);
    return words === null ? [] : [{ path: [...path, "hooks", index], event, kind: "hook", value, words }];
  });
  const [first] = own;
  return first !== undefined && own.length === handlers.length ? [{ ...first, path, value: group }] : own;
}

function ownServer(root: JsonObject): readonly OwnEntry[] {
  const value = valueAt(root, serverPath);
  const words = isJsonObject(value) ? ownServerWords(value) : null;
  return words === null || value === undefined ? [] : [{ path: serverPath, event: null, kind: "server", value, words }];
}

/** Whether what is ours in the settings is just what is wanted, in whatever place. */
export function isAsWanted(root: JsonObject, { program, hooks, server, permissions }: WantedEntries): boolean {
  const said = (event: string | null, value: Json) => `${event ?? ""} ${canonical(value)}`;
  const wanted = [
    ...(hooks ?? []).map(({ event, group }) => said(event, group)),
    ...permissions.map(({ rule }) => said(null, rule)),
    ...(server === null ? [] : [said(null, server)]),
  ];
  const found = ownUnder(root, program, permissions).map(({ event, value }) => said(event, value));
  return wanted.toSorted().join("\n") === found.toSorted().join("\n");
}
