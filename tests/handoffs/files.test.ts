/** What can befall the files of a handoff between issuing and accepting, and what is said of it. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkFiles } from "../../src/evidence/decide/checksums.ts";
import type { FileState, NamedFile } from "../../src/messages/handoff-body.ts";
import { temporaryFolder } from "../crash/folder.ts";

const path = "part/1/Überblick a.md";
const bytes = randomBytes(2_000);
const digits = createHash("sha256").update(bytes).digest("hex");

/** Longer than what is read at a time. */
const long = randomBytes(3 * 1024 * 1024 + 5);
const other = { path: "other/data.bin", checksum: createHash("sha256").update(long).digest("hex") };

/** The file, its folder, a folder beside the root that no handoff may reach, and a copy of the file there. */
interface Scene {
  readonly root: string;
  readonly at: string;
  readonly folder: string;
  readonly beside: string;
  readonly twin: string;
}

/**
 * What is done; it returns what the document says otherwise of the file, if anything. The same bytes lie beside, so a sum
 * alone shows nothing.
 */
type Case = readonly [what: string, befall: (scene: Scene) => unknown, said: FileState];

const write = (text: string | Buffer) => (scene: Scene) => fs.writeFileSync(scene.at, text);
const link = (target: (scene: Scene) => string) => (scene: Scene) => {
  fs.rmSync(scene.at);
  fs.symlinkSync(target(scene), scene.at);
};
const named = (other: Partial<NamedFile>) => () => other;

const cases: readonly Case[] = [
  ["as it was", () => null, "ok"],
  ["the checksum in capitals", named({ checksum: `sha256:${digits.toUpperCase()}` }), "ok"],
  ["the digits alone", named({ checksum: digits }), "ok"],
  ["a path with dots that stay", named({ path: `./${path}` }), "ok"],
  [
    "other times and modes",
    ({ at }) => {
      fs.chmodSync(at, 0o755);
      fs.utimesSync(at, 1, 1);
    },
    "ok",
  ],
  [
    "a link that stays inside",
    ({ at, root }) => {
      fs.renameSync(at, join(root, "real"));
      fs.symlinkSync("../../real", at);
    },
    "ok",
  ],
  [
    "a bit flipped, size and times kept",
    ({ at }) => {
      const { atime, mtime } = fs.statSync(at);
      fs.writeFileSync(at, bytes.with(9, (bytes[9] ?? 0) ^ 1));
      fs.utimesSync(at, atime, mtime);
    },
    "changed",
  ],
  ["a line added", write(Buffer.concat([bytes, Buffer.from("\n")])), "changed"],
  ["cut short", write(bytes.subarray(0, 999)), "changed"],
  ["emptied", write(""), "changed"],
  ["another checksum in the document", named({ checksum: `sha256:${"0".repeat(64)}` }), "changed"],
  ["deleted", ({ at }) => fs.rmSync(at), "missing"],
  ["its folder renamed", ({ folder }) => fs.renameSync(folder, `${folder}-old`), "missing"],
  [
    "a folder in its place",
    ({ at }) => {
      fs.rmSync(at);
      fs.mkdirSync(at);
    },
    "missing",
  ],
  [
    "a pipe in its place",
    ({ at }) => {
      fs.rmSync(at);
      execFileSync("mkfifo", [at]);
    },
    "missing",
  ],
  ["a link to itself", link(({ at }) => at), "missing"],
  ["a link to nothing", link(() => "not-there"), "missing"],
  [
    "a short checksum of a deleted file",
    ({ at }) => {
      fs.rmSync(at);
      return { checksum: digits.slice(0, 12) };
    },
    "missing",
  ],
  ["a path that climbs out", named({ path: "../beside/twin" }), "outside"],
  ["a path that climbs out in the middle", named({ path: "part/../../beside/twin" }), "outside"],
  ["a path that climbs out and in again", named({ path: `../root/${path}` }), "outside"],
  ["an absolute path", ({ at }) => ({ path: at }), "outside"],
  ["a path with backslashes", named({ path: "..\\beside\\twin" }), "outside"],
  ["git's own files", named({ path: ".git/config" }), "outside"],
  ["a link that leads out", link(({ twin }) => twin), "outside"],
  ["a relative link that leads out", link(() => "../../../beside/twin"), "outside"],
  ["a link to a device", link(() => "/dev/zero"), "outside"],
  [
    "a link to a link that leads out",
    (scene) => {
      fs.symlinkSync(scene.twin, join(scene.root, "first"));
      link(() => "../../first")(scene);
    },
    "outside",
  ],
  [
    "its folder a link that leads out",
    ({ at, folder, beside }) => {
      fs.copyFileSync(at, join(beside, "Überblick a.md"));
      fs.rmSync(folder, { recursive: true });
      fs.symlinkSync(beside, folder);
    },
    "outside",
  ],
  [
    "a link to a sibling whose name begins like the root",
    (scene) => {
      fs.cpSync(scene.beside, `${scene.root}-twin`, { recursive: true });
      link(({ root }) => `${root}-twin/twin`)(scene);
    },
    "outside",
  ],
  ["a short checksum", named({ checksum: digits.slice(0, 12) }), "weak"],
  ["a checksum of another kind", named({ checksum: "md5:d41d8cd98f00b204e9800998ecf8427e" }), "weak"],
];

for (const [what, befall, said] of cases)
  test(`a handed-over file: ${what} is ${said}, and the file beside it as it was`, async () => {
    using temporary = temporaryFolder("memory");
    const [root, beside] = ["root", "beside"].map((name) => join(temporary.path, name)) as [string, string]; // two
    const scene = { root, beside, folder: join(root, "part/1"), at: join(root, path), twin: join(beside, "twin") };
    for (const folder of [scene.folder, beside, join(root, "other")]) fs.mkdirSync(folder, { recursive: true });
    for (const [file, held] of [
      [scene.at, bytes] as const,
      [scene.twin, bytes] as const,
      [join(root, other.path), long] as const,
    ])
      fs.writeFileSync(file, held);
    const file = { path, checksum: `sha256:${digits}`, ...(befall(scene) as Partial<NamedFile> | null | undefined) };
    const checked = await checkFiles(root, [file, other]);
    assert.deepEqual(checked.ok && checked.value.map(({ state }) => state), [said, "ok"]);
  });

test("a root that is not there is refused, and so is a file in its place; a check that is stopped tells nothing", async () => {
  using folder = temporaryFolder("memory");
  const file = join(folder.path, "file");
  fs.writeFileSync(file, "");
  const codeOf = async (root: string, signal?: AbortSignal) => {
    const checked = await checkFiles(root, [{ path: "file", checksum: null }], signal === undefined ? {} : { signal });
    return checked.ok ? null : checked.error.code;
  };
  assert.deepEqual([await codeOf(join(folder.path, "none")), await codeOf(file)], ["not-found", "not-found"]);
  assert.equal(await codeOf(folder.path, AbortSignal.abort()), "interrupted");
});
