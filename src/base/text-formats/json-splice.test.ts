/** Entries put into JSON strings of every layout, and taken out again: the text is as it was, byte by byte. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { settingsTexts as settings } from "../../../tests/e2e/settings-texts.ts";
import type { Json } from "../json.ts";
import { jsonOf, jsonParts } from "./json-parts.ts";
import { withEntry, withoutEntry } from "./json-splice.ts";

const seed = 153;

function says(text: string): Json {
  const parts = jsonParts(text);
  assert.ok(parts.ok, `${text}\n${JSON.stringify(parts)}`);
  return jsonOf(parts.value);
}

const group = { matcher: ".*", hooks: [{ type: "command", command: "x", timeout: 10 }] };
const entries: readonly { path: readonly string[]; key: string | null; value: Json }[] = [
  { path: ["hooks", "PreToolUse"], key: null, value: group },
  { path: ["hooks", "PreToolUse"], key: null, value: { ...group, matcher: "b" } },
  { path: ["hooks", "Stop"], key: null, value: group },
  { path: ["mcpServers"], key: "baton", value: { command: "node", args: ["a", "b"] } },
];

const installed = (text: string) =>
  entries.reduce((now, each) => withEntry(now, each.path, each.key, each.value), text);

/** Takes the entries out from the last to the first; null: nothing is left. */
function uninstalled(text: string): string | null {
  let now: string | null = text;
  for (const { path, key, value } of entries.toReversed()) {
    if (now === null) return null;
    const list = key === null ? (reached(says(now), path) as readonly Json[]) : [];
    const index = list.findLastIndex((each) => JSON.stringify(each) === JSON.stringify(value));
    now = withoutEntry(now, [...path, key ?? index]);
  }
  return now;
}

const reached = (json: Json, path: readonly string[]): Json =>
  path.reduce<Json>((now, step) => (now as { [key: string]: Json })[step] ?? null, json);

test(`what is put in is there, all else says what it said, and taken out it leaves the same bytes (seed ${seed})`, () => {
  fc.assert(
    fc.property(settings, (text) => {
      const before = says(text) as { [key: string]: Json };
      const whole = installed(text);
      const after = says(whole) as { [key: string]: Json };
      for (const { path, key, value } of entries) {
        const place = reached(after, path);
        if (key === null) assert.ok((place as Json[]).some((each) => JSON.stringify(each) === JSON.stringify(value)));
        else assert.deepEqual((place as { [key: string]: Json })[key], value);
      }
      for (const [name, value] of Object.entries(before))
        if (name !== "hooks" && name !== "mcpServers") assert.deepEqual(after[name], value);
      assert.equal(uninstalled(whole), text);
    }),
    { seed, numRuns: 700 },
  );
});

test(`what somebody edits in between stays, and all else is as it was (seed ${seed})`, () => {
  fc.assert(
    fc.property(settings, (text) => {
      // A member before all others, written by hand.
      const edit = (now: string, isEmpty: boolean) => now.replace("{", `{ "edited" : [1],${isEmpty ? "" : "\n"}`);
      const isEmpty = Object.keys(says(text) as object).length === 0;
      const byHand = isEmpty ? text.replace("{", '{ "edited" : [1]') : edit(text, false);
      // A comment can hold the first bracket; then there is no such edit.
      if (!jsonParts(byHand).ok || reached(says(byHand), ["edited"]) === null) return;
      assert.equal(uninstalled(edit(installed(text), isEmpty)), byHand);
    }),
    { seed, numRuns: 500 },
  );
});

test("a document that was created for the entries is removed with them", () => {
  const made = `${JSON.stringify({ hooks: { Stop: [group] } }, null, 2)}\n`;
  assert.equal(withoutEntry(made, ["hooks", "Stop", 0]), null);
});
