/**
 * The package as others have it: packed, unpacked in a foreign folder, type-checked there with the settings of a new
 * TypeScript project, and used by the guide's own program, which must name every export that is a value.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { foldDigest } from "../../scripts/bundle.ts";
import { sourceOf } from "../architecture/sources.ts";
import { testHub } from "../http/hub.ts";

const home = join(import.meta.dirname, "../..");
const hasNpm = spawnSync("npm", ["--version"]).status === 0;
const page = readFileSync(join(home, "docs/guides/library.md"), "utf8");

/** The program of the guide: its blocks, one after another. */
function programOf(text: string): string {
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join("\n");
}

/** The names that the main door exports. */
function exported(): readonly string[] {
  const file = "src/index.ts";
  return sourceOf(file, readFileSync(join(home, file), "utf8")).exports;
}

/** A module that imports every name of the main door, types as types; a name that is not there does not compile. */
function everyName(names: readonly string[]): string {
  const isValue = (name: string) => /^[a-z]/.test(name);
  const values = names.filter(isValue);
  const types = names.filter((name) => !isValue(name));
  return [
    `import { ${[...values, ...types.map((name) => `type ${name}`)].join(", ")} } from "batonhq";`,
    `export const values: readonly unknown[] = [${values.join(", ")}];`,
    // `any` is what an import that cannot be resolved would be.
    "type IsAny<Type> = 0 extends 1 & Type ? true : false;",
    ...types.filter((name) => !generic.has(name)).map((name) => `export const is${name}: IsAny<${name}> = false;`),
    `export const generics: IsAny<MessageReading | Result<1, 2>> = false;`,
  ].join("\n");
}

const generic = new Set(["Result"]);

/** A module that imports each of the other doors. */
function everyDoor(): string {
  const { exports } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const paths = Object.keys(exports).filter((path) => /^\.\/[a-z/]+$/.test(path));
  const imports = paths.map((path, index) => `import * as door${index} from "batonhq/${path.slice(2)}";`);
  const all = paths.map((_, index) => `door${index}`).join(", ");
  return `${imports.join("\n")}\nexport const doors: readonly object[] = [${all}];\n`;
}

const settings = {
  compilerOptions: {
    target: "es2024",
    module: "nodenext",
    moduleResolution: "nodenext",
    strict: true,
    noEmit: true,
    types: ["node"],
  },
  include: ["*.ts"],
};

test("every export of the main door says what it is", () => {
  const index = readFileSync(join(home, "src/index.ts"), "utf8");
  const silent = [...index.matchAll(/export (?:type )?\{([^}]*)\} from "\.\/([^"]+)"/g)].flatMap(
    ([, names = "", file = ""]) => {
      const text = readFileSync(join(home, "src", file), "utf8");
      return names
        .split(",")
        .map((each) => each.trim().replace(/^type /, ""))
        .filter((name) => name !== "" && !saysWhatItIs(text, name));
    },
  );
  assert.deepEqual(silent, []);
  assert.ok(!saysWhatItIs("export const a = 1;", "a") && saysWhatItIs("/** One. */\nexport const a = 1;", "a"));
});

/** Whether the declaration of the name, or the module that hands it on, has a comment before it. */
function saysWhatItIs(text: string, name: string): boolean {
  const lines = text.split("\n");
  const declared = /^export (?:async )?(?:interface|type|const|function|class) (\w+)/;
  const at = lines.findIndex((line) => declared.exec(line)?.[1] === name);
  return at < 0 ? text.startsWith("/**") && text.includes(name) : lines[at - 1]?.trimEnd().endsWith("*/") === true;
}

suite("the packed library in a foreign folder", { skip: hasNpm ? false : "npm is not on the path" }, () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "baton-foreign-")));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (program: string, ...words: readonly string[]) => {
    const done = spawnSync(program, words, { cwd: folder, encoding: "utf8", maxBuffer: 16 * 1024 * 1024 });
    assert.equal(done.status, 0, `${program} ${words.join(" ")}\n${done.stdout}\n${done.stderr}`);
    return done.stdout;
  };

  before(() => {
    run("npm", "pack", home, "--ignore-scripts", "--silent");
    const [packed = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
    run("tar", "-xzf", packed);
    mkdirSync(join(folder, "node_modules/@types"), { recursive: true });
    run("mv", "package", "node_modules/batonhq");
    // What who tests has next to it.
    symlinkSync(join(home, "node_modules/fast-check"), join(folder, "node_modules/fast-check"));
    symlinkSync(join(home, "node_modules/@types/node"), join(folder, "node_modules/@types/node"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module", "private": true }\n');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(settings));
    run("git", "init", "-q");
    run("git", "config", "user.name", "dev-1");
    run("git", "config", "user.email", "dev-1@example.invalid");
  });

  test("its types hold the guide's program and every name, and a wrong call does not compile", () => {
    writeFileSync(join(folder, "guide.ts"), programOf(page));
    writeFileSync(join(folder, "names.ts"), everyName(exported()));
    writeFileSync(join(folder, "doors.ts"), everyDoor());
    const wrong = `import { openTeam } from "batonhq";
import { openHub } from "batonhq/http";
import { mcpServer } from "batonhq/mcp";
await openTeam({ folder: "." });
await openHub({ journal: 7 });
mcpServer("dev-1");
`;
    writeFileSync(join(folder, "wrong.ts"), wrong);
    const tsc = join(home, "node_modules/typescript/bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", "."], { cwd: folder, encoding: "utf8" });
    rmSync(join(folder, "wrong.ts"));
    assert.notEqual(status, 0);
    // The faults are the planted ones: all else compiles, the declarations included.
    const problems = stdout.split("\n").filter((line) => /^\S/.test(line));
    assert.deepEqual(
      problems.map((line) => /^wrong\.ts\((\d+)/.exec(line)?.[1] ?? line),
      ["4", "5", "6"],
    );
    assert.match(problems[0] ?? "", /'agent' is missing/);
  });

  test("its program runs, with a hub at hand, and every value is there", async (t) => {
    const hub = await testHub(t);
    const token = await hub.token("dev-1");
    const hubsAddress = "http://127.0.0.1:4777";
    assert.ok(page.includes(hubsAddress));
    const program = `${programOf(page).replace(hubsAddress, hub.url)}
import { doors } from "./doors.ts";
import { values } from "./names.ts";
if (doors.some((door) => Object.values(door).length === 0)) throw new Error("a door is empty");
if (values.some((value) => value === undefined)) throw new Error("an export is missing");
`;
    writeFileSync(join(folder, "guide.ts"), program);
    const { BATON_AGENT: _, ...environment } = process.env;
    const child = spawn(process.execPath, ["guide.ts"], {
      cwd: folder,
      env: { ...environment, BATON_TOKEN: token },
      timeout: 120_000,
    });
    let [said, problems] = ["", ""];
    child.stdout.on("data", (part) => (said += String(part)));
    child.stderr.on("data", (part) => (problems += String(part)));
    const code = await new Promise((ended) => child.on("close", ended));
    assert.equal(code, 0, problems);
    const expected = [
      /team\.yaml true/,
      /^blocked/m,
      /verified/,
      /true/,
      /wrong-type arguments\.task/,
      /unknown-agent did you mean/,
    ];
    for (const each of expected) assert.match(said, each);
  });
});

test("the library reads the snapshots of the command, whose version is made of the code that folds", async () => {
  const digest = await foldDigest();
  assert.match(digest, /^[0-9a-f]{16}$/);
  for (const part of ["lib", "cli/chunks"]) {
    const folder = join(home, "dist", part);
    const files = readdirSync(folder).filter((name) => name.endsWith("js"));
    assert.ok(
      files.some((name) => readFileSync(join(folder, name), "utf8").includes(digest)),
      part,
    );
  }
});
