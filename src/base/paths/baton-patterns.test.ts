import assert from "node:assert/strict";
import { test } from "node:test";
import { asksForBaton } from "./scope.ts";

const asking = [
  ".baton",
  ".baton/**",
  "packages/web/.baton/team.yaml",
  ".b?ton/**",
  ".B?TON/**",
  ".*",
  ".*/**",
  ".*/team.yaml",
  "packages/*/.bat*/**",
  ".**on/x",
  ".?????/x",
  ".[b]aton/**",
  ".[a-z]aton",
  ".[!x]*/**",
  "{.baton,src}/**",
  "{src,.baton/messages}/*.json",
  ".{baton,git}/**",
  "{a,{b,.bat}}on/**",
  "?baton/**",
  "*baton/team.yaml",
  "baton~?/x",
  "．b？ton/x", // fullwidth dot and question mark
  ".b?\u200bton/x",
  ".b?ton./x",
  ".b?ton::$INDEX_ALLOCATION/x",
];

const notAsking = [
  "**",
  "*",
  "**/*.yaml",
  "*/team.yaml",
  "**/team.yaml",
  "b*",
  "*ton/**",
  ".github/**",
  ".git*",
  ".c*/team.yaml",
  ".env*",
  "src/.eslintrc.*",
  "app/[id]/page.tsx",
  "src/{a,b}/*.ts",
  "baton/**",
  "src/baton*/**",
  "{",
  "a}{b",
  "[]/.x?",
  "{a,b}".repeat(40),
];

test("a pattern that was written for .baton asks for it, in every spelling", () => {
  assert.deepEqual(
    asking.filter((text) => !asksForBaton(text)),
    [],
  );
});

test("wide globs, dotted names and brackets of other files do not ask for .baton", () => {
  assert.deepEqual(
    notAsking.filter((text) => asksForBaton(text)),
    [],
  );
});
