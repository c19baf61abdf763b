/** `npm ci` refuses a lockfile that lacks a package, be it one of another platform that would not be installed here. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { home } from "./sources.ts";

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

type Packages = Readonly<Record<string, Locked>>;

/** What a package names and the lockfile does not hold, in a folder that the package looks into. */
function lacking(packages: Packages): readonly string[] {
  return Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !foldersOf(path).some((folder) => `${folder}node_modules/${name}` in packages))
      .map((name) => `${path}: ${name}`),
  );
}

/** The folders, from the package's own to the root, whose `node_modules` it looks into. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.map((_, index) => `${parts.slice(0, parts.length - index).join("/")}/`).concat("");
}

test("the lockfile holds every package that one of it names, of all platforms", () => {
  const { packages } = JSON.parse(readFileSync(join(home, "package-lock.json"), "utf8")) as { packages: Packages };
  assert.deepEqual(lacking(packages), []);
  const planted = { "node_modules/a": { optionalDependencies: { "b-linux": "1", "b-darwin": "1" } } };
  assert.deepEqual(lacking({ ...planted, "node_modules/b-linux": {} }), ["node_modules/a: b-darwin"]);
  assert.deepEqual(lacking({ ...planted, "node_modules/a/node_modules/b-linux": {}, "node_modules/b-darwin": {} }), []);
});
