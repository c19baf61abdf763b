/** What is installed where the package is: all that its entries name, and nothing of this machine. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { after, before, suite, test } from "node:test";
import { parse } from "yaml";
import { linkedFiles } from "../architecture/links.ts";

const home = join(import.meta.dirname, "../..");
const hasNpm = spawnSync("npm", ["--version"]).status === 0;

interface Facts {
  readonly scripts: Readonly<Record<string, string>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

function facts(): Facts {
  // The package's own file: its shape is ours.
  return JSON.parse(readFileSync(join(home, "package.json"), "utf8")) as Facts;
}

test("a clone builds after npm ci and before packing, and where the package is installed nothing runs", () => {
  const { scripts } = facts();
  // npm runs these for a package that another depends on, asks for leave, or refuses.
  for (const name of ["preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"])
    assert.equal(scripts[name], undefined, name);
  for (const name of ["dependencies", "prepack"]) assert.equal(scripts[name], scripts.build, name);
});

suite("what is packed", { skip: hasNpm ? false : "npm is not on the path" }, () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-packed-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (program: string, ...words: readonly string[]) => {
    const done = spawnSync(program, words, { cwd: folder, encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
    assert.equal(done.status, 0, done.stderr);
    return done.stdout;
  };
  let answer = "";
  before(() => {
    answer = run("npm", "pack", home, "--json", "--ignore-scripts");
  });

  test("runs where it is unpacked, without building", () => {
    const [packed] = readdirSync(folder);
    run("tar", "-xzf", packed ?? "");

    assert.match(run(process.execPath, "package/bin/baton.js", "--version"), /^\d+\.\d+\.\d+\n$/);
    assert.match(run(process.execPath, "package/bin/baton.js", "init", "--yes", "--json"), /team\.yaml/);
    // What only the engine of a server can say, and which driver is missing.
    for (const [url, driver] of [
      ["postgres://u@127.0.0.1:1/none", "pg pgpass"],
      ["nats://u@127.0.0.1:1/none", "@nats-io/transport-node"],
    ] as const) {
      const words = ["package/bin/baton.js", "status", "--json", "--journal", url];
      const done = spawnSync(process.execPath, words, { cwd: folder, encoding: "utf8" });
      assert.match(done.stdout + done.stderr, new RegExp(`"journal-cannot-open".*npm install ${driver} `));
    }
  });

  test("holds what its entries name, no source and nothing compiled here", () => {
    const held = new Set(packedFiles(answer));
    const { bin, exports } = facts();
    const named = [
      ...Object.values(bin),
      ...Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [entry] : Object.values(entry))),
    ]
      .filter((path) => path.startsWith("./") && !path.includes("*"))
      .map((path) => path.slice(2));
    for (const path of [...named, "dist/cli/main.cjs", "dist/cli/validate-message.cjs", "dist/page/index.html"]) {
      assert.ok(held.has(path), `${path} is missing`);
    }
    const strange = [...held].filter((path) => /^(src|tests|bench|scripts|\.)|\.compiled|\.test\./.test(path));
    assert.deepEqual(strange, []);
  });

  test("holds every file that its pages link", () => {
    const held = packedFiles(answer);
    const pages = held.filter((path) => path.endsWith(".md"));
    assert.ok(pages.length > 30, "the pages are found");
    const missing = pages.flatMap((page) => missingLinks(page, readFileSync(join(home, page), "utf8"), held));
    assert.deepEqual(missing, [], "Add it to `files` in package.json, or name it in code instead of a link.");
    const planted = "[a](../b.md#c) [d](folder) ![e](f.png) [g](gone/)";
    const packed = ["b.md", "docs/folder/i.md"];
    assert.deepEqual(missingLinks("docs/h.md", planted, packed), ["docs/h.md: docs/f.png", "docs/h.md: docs/gone"]);
  });
});

test("what a release publishes has no faults, by npm, publint and the compiler's ways to find types", {
  skip: hasNpm ? false : "npm is not on the path",
}, () => {
  // No registry is asked: npm then checks what it can.
  const env = { ...process.env, npm_config_registry: "http://127.0.0.1:9", npm_config_fetch_retries: "0" };
  const done = spawnSync(process.execPath, ["scripts/release.ts"], { cwd: home, env, encoding: "utf8" });
  assert.match(done.stdout, /is fit to be published\.\n$/, done.stdout + done.stderr);
  const elsewhere = { ...env, GITHUB_REPOSITORY: "someone/baton", GITHUB_REF_TYPE: "tag", GITHUB_REF_NAME: "v9.9.9" };
  const refused = spawnSync(process.execPath, ["scripts/release.ts"], { cwd: home, env: elsewhere, encoding: "utf8" });
  assert.equal(refused.status, 1);
  for (const fault of [/the tag is v9\.9\.9/, /has no repository/, /has no mcpName/])
    assert.match(refused.stdout, fault);
});

test("the release is made of actions that are pinned, and only a tag that passed all checks is published", () => {
  const { jobs, permissions } = parse(readFileSync(join(home, ".github/workflows/release.yml"), "utf8"));
  const steps = [...jobs.check.steps, ...jobs.publish.steps] as readonly { uses?: string; run?: string }[];
  for (const { uses } of steps) if (uses !== undefined) assert.match(uses, /^actions\/[a-z-]+@[0-9a-f]{40}$/);
  assert.deepEqual([permissions, jobs.check.permissions], [{}, { contents: "read" }]);
  assert.deepEqual([jobs.publish.needs, jobs.publish.if], ["check", "github.ref_type == 'tag'"]);
  const { scripts } = facts();
  for (const { run = "" } of steps)
    for (const [, script = ""] of run.matchAll(/npm run ([a-z:]+)/g)) assert.ok(script in scripts, script);
});

/** The paths in the package, from the answer of `npm pack --json`. */
function packedFiles(answer: string): readonly string[] {
  const listed: unknown = JSON.parse(answer);
  // Newer npm answers by name, older ones with a list.
  const [only] = Object.values(listed as object) as readonly {
    readonly files: readonly { readonly path: string }[];
  }[];
  return only?.files.map(({ path }) => path) ?? [];
}

/** What the page at `path` links and neither is among the packed files nor a folder of them. */
function missingLinks(path: string, text: string, held: readonly string[]): readonly string[] {
  return linkedFiles(text)
    .map((target) => posix.join(posix.dirname(path), target).replace(/\/$/, ""))
    .filter((target) => !held.some((each) => each === target || each.startsWith(`${target}/`)))
    .map((target) => `${path}: ${target}`);
}
