/**
 * Baton's entries in the JSON settings of a program: found by what they say, put in at the end of where they belong, taken
 * out without a trace. Nothing else of the text is touched.
 */
import { canonical } from "../../base/canonical.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type JsonPart, jsonOf, jsonParts } from "../../base/text-formats/json-parts.ts";
import { type JsonPath, madeJson, partAt, withEntry, withoutEntry } from "../../base/text-formats/json-splice.ts";
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
  readonly path: JsonPath;
  /** The hook's event; null: it is the server, or a permission. */
  readonly event: string | null;
  readonly kind: "hook" | "server" | "permission";
  readonly value: Json;
  /** The words that start Baton there. */
  readonly words: readonly string[];
}

/**
 * `text` (null: there is no file) with the entries in it, once each and up to date; outdated entries of Baton are
 * removed. Refuses `settings-file` what is no JSON that the program reads or has something else where the entries belong,
 * and `already-exists` if there is a server of that name that Baton did not write.
 */
export function withEntries(text: string | null, wanted: WantedEntries, file: string): Result<string, Problem> {
  const read = text === null ? ok(null) : rootIn(text, wanted.program, file);
  if (!read.ok) return read;
  const root = read.value;
  const unread = text === null ? null : unreadBy(wanted.program, text, file);
  if (unread !== null) return err(unread);
  const own = root === null ? [] : ownUnder(root, wanted.program, wanted.permissions);
  if (text !== null && root !== null) {
    const problem = foreignServer(root, own, wanted, file) ?? noList(text, root, wanted, file);
    if (problem !== null) return err(problem);
    if (isAsWanted(own, wanted)) return ok(text);
  }
  let now = text === null ? null : withoutAll(text, own);
  const put = (path: readonly string[], key: string | null, value: Json) => {
    now = now === null ? madeJson(around(path, key, value)) : withEntry(now, path, key, value);
  };
  for (const { event, group } of wanted.hooks ?? []) put(["hooks", event], null, group);
  for (const { path, rule } of wanted.permissions) put(path, null, rule);
  const [servers, name] = serverPath;
  if (wanted.server !== null) put([servers], name, wanted.server);
  return ok(now ?? text ?? madeJson({}));
}

/** `text` without our entries; null: nothing is left of a file that was made for them. Refuses as `withEntries`. */
export function withoutEntries(text: string, program: HookProgram, file: string): Result<string | null, Problem> {
  const own = ownEntries(text, program, file);
  return own.ok ? ok(withoutAll(text, own.value)) : own;
}

/** Our entries in `text`, in its order. Refuses `settings-file`. */
export function ownEntries(text: string, program: HookProgram, file: string): Result<readonly OwnEntry[], Problem> {
  const root = rootIn(text, program, file);
  return root.ok ? ok(ownUnder(root.value, program, programFacts[program].permissions)) : root;
}

/** The parts of `text`, where entries may be put. Refuses `settings-file`. */
function rootIn(text: string, program: HookProgram, file: string): Result<JsonPart, Problem> {
  const parsed = jsonParts(text);
  if (!parsed.ok) {
    const { at, expected } = parsed.error;
    return err(settingsProblem(file, "This is no JSON, so nothing was changed.", { text, at, expected }));
  }
  const misfit = misfitIn(text, parsed.value, program, file);
  return misfit === null ? ok(parsed.value) : err(misfit);
}

/** Why the program loads nothing of a file that is JSON with comments or a comma at an end; null: it loads the file. */
export function unreadBy(program: HookProgram, text: string, file: string): Problem | null {
  const { title, readsComments } = programFacts[program];
  const strict = readsComments ? null : jsonParts(text, "strict");
  if (strict === null || strict.ok) return null;
  const { at, expected } = strict.error;
  const what = text.charAt(at) === "," ? "comma before the closing bracket" : "comment";
  const hint = `${title} reads strict JSON only: remove the ${what}, then run the command again.`;
  return settingsProblem(file, `${title} loads nothing of this file.`, { text, at, expected, hint });
}

function ownUnder(root: JsonPart, program: HookProgram, permissions: readonly Permission[]): readonly OwnEntry[] {
  const hooks = ownHooks(root, program);
  const rules = hooks.length === 0 ? [] : ownPermissions(root, permissions);
  const own = [...hooks, ...rules, ...ownServer(root)];
  return own.toSorted((a, b) => placeOf(root, a) - placeOf(root, b));
}

/**
 * Next to hooks of ours, the last of several equal rules is ours: a person may have written the same rule before, and it is
 * written once more then, so that theirs stays when ours goes.
 */
function ownPermissions(root: JsonPart, permissions: readonly Permission[]): readonly OwnEntry[] {
  return permissions.flatMap(({ path, rule, isOwn = (found) => found === rule }): readonly OwnEntry[] => {
    const part = partAt(root, path);
    if (part?.kind !== "list") return [];
    const index = part.entries.findLastIndex(({ value }) => isOwn(jsonOf(value)));
    const found = part.entries[index];
    if (found === undefined) return [];
    return [{ path: [...path, index], event: null, kind: "permission", value: jsonOf(found.value), words: [] }];
  });
}

function placeOf(root: JsonPart, { path }: OwnEntry): number {
  return partAt(root, path)?.from ?? 0;
}

function ownHooks(root: JsonPart, program: HookProgram): readonly OwnEntry[] {
  const hooks = partAt(root, ["hooks"]);
  if (hooks?.kind !== "object") return [];
  return hooks.entries.flatMap(({ key: event, value: groups }) => {
    if (event === null || groups.kind !== "list") return [];
    return groups.entries.flatMap(({ value }, index) => ownIn(jsonOf(value), ["hooks", event, index], event, program));
  });
}

/** A whole group where all of it is ours; else each handler of ours in it. */
function ownIn(group: Json, path: JsonPath, event: string, program: HookProgram): readonly OwnEntry[] {
  const handlers = isJsonObject(group) && isJsonList(group.hooks) ? group.hooks : [];
  const own = handlers.flatMap((value, index): readonly OwnEntry[] => {
    if (!isJsonObject(value)) return [];
    const words = isOwnCall(value) ? [] : ownHookWords(value.command, program);
    return words === null ? [] : [{ path: [...path, "hooks", index], event, kind: "hook", value, words }];
  });
  const [first] = own;
  return first !== undefined && own.length === handlers.length ? [{ ...first, path, value: group }] : own;
}

function ownServer(root: JsonPart): readonly OwnEntry[] {
  const part = partAt(root, serverPath);
  const value = part === null ? null : jsonOf(part);
  const words = isJsonObject(value ?? undefined) ? ownServerWords(value as JsonObject) : null;
  return words === null ? [] : [{ path: serverPath, event: null, kind: "server", value, words }];
}

/** Whether what is ours is just what is wanted, in whatever place. */
function isAsWanted(own: readonly OwnEntry[], { hooks, server, permissions }: WantedEntries): boolean {
  const said = (event: string | null, value: Json) => `${event ?? ""} ${canonical(value)}`;
  const wanted = [
    ...(hooks ?? []).map(({ event, group }) => said(event, group)),
    ...permissions.map(({ rule }) => said(null, rule)),
    ...(server === null ? [] : [said(null, server)]),
  ];
  const found = own.map(({ event, value }) => said(event, value));
  return wanted.toSorted().join("\n") === found.toSorted().join("\n");
}

/** From the last to the first, so that the places of the others stay. */
function withoutAll(text: string, own: readonly OwnEntry[]): string | null {
  let now: string | null = text;
  for (const { path } of own.toReversed()) now = now === null ? null : withoutEntry(now, path);
  return now;
}

function around(path: readonly string[], key: string | null, value: Json): Json {
  const inner: Json = key === null ? [value] : { [key]: value };
  return path.toReversed().reduce<Json>((whole, name) => ({ [name]: whole }), inner);
}

/** What is where our entries belong, and is not of the kind that holds them; or a key there that appears twice. */
function misfitIn(text: string, root: JsonPart, program: HookProgram, file: string): Problem | null {
  if (root.kind !== "object") return misfit(text, root, file, "an object");
  // The objects on the path to each rule, the outermost first.
  const above = programFacts[program].permissions.flatMap(({ path }) =>
    path.slice(0, -1).map((_, at) => path.slice(0, at + 1)),
  );
  const paths = [["hooks"], [serverPath[0]], ...above];
  let repeated = repeatedKey(root, ["hooks", serverPath[0], ...above.flatMap(([first]) => first ?? [])]);
  for (const path of paths) {
    const part = partAt(root, path);
    if (part !== null && part.kind !== "object") return misfit(text, part, file, "an object");
    repeated ??= repeatedKey(part, path[0] === serverPath[0] ? [serverPath[1]] : null);
  }
  if (repeated !== null)
    return settingsProblem(file, "A key appears twice here, so it is not clear which one counts.", {
      text,
      at: repeated,
    });
  return null;
}

/** Where one of `keys` (null: any key) stands for the second time. */
function repeatedKey(part: JsonPart | null, keys: readonly string[] | null): number | null {
  const seen = new Set<string>();
  for (const { key, from } of part?.kind === "object" ? part.entries : []) {
    if (key === null || (keys !== null && !keys.includes(key))) continue;
    if (seen.has(key)) return from;
    seen.add(key);
  }
  return null;
}

/** A wanted event or list of permissions in whose place is something else than a list. */
function noList(text: string, root: JsonPart, { hooks, permissions }: WantedEntries, file: string): Problem | null {
  const paths = [...(hooks ?? []).map(({ event }) => ["hooks", event]), ...permissions.map(({ path }) => path)];
  for (const path of paths) {
    const part = partAt(root, path);
    if (part !== null && part.kind !== "list") return misfit(text, part, file, "a list");
  }
  return null;
}

function misfit(text: string, part: JsonPart, file: string, expected: string): Problem {
  return settingsProblem(file, "Something else is where Baton's entries belong.", { text, at: part.from, expected });
}

function foreignServer(
  root: JsonPart,
  own: readonly OwnEntry[],
  { server }: WantedEntries,
  file: string,
): Problem | null {
  const isFree = partAt(root, serverPath) === null || own.some(({ kind }) => kind === "server");
  if (server === null || isFree) return null;
  return makeProblem("already-exists", file, "There is a server named baton already, and Baton did not write it.", {
    hint: "Take it out of the file, then install again.",
  });
}
