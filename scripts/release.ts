/**
 * Makes what a release publishes, and checks it without publishing: the package as npm packs it and the notes of its
 * version, in `.tmp/release`. `npm run release:check` runs it, so does the release workflow, which publishes these files.
 * What is missing ends it, each with a line.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(home, ".tmp/release");
/** What a version may take: of the changelog in lines, on a disk and on its way in bytes. */
const [changeLinesMax, unpackedBytesMax, packedBytesMax] = [40, 15_000_000, 5_000_000];

const faults: string[] = [];
const read = (file: string) => readFileSync(join(home, file), "utf8");
const json = (file: string) => JSON.parse(read(file)); // our own

const { name, version, ...facts } = json("package.json");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "notes.md"), notes());
checkFacts();
if (faults.length === 0) checkPackage(pack());
for (const fault of faults) console.log(`release: ${fault}`);
if (faults.length > 0) process.exitCode = 1;

/** The version's section of the changelog. */
function notes(): string {
  const [, section = ""] = read("CHANGELOG.md").split(`\n## ${version}\n`);
  const [own = ""] = section.split(/\n## /);
  const lines = own.trim().split("\n");
  if (own.trim() === "") faults.push(`CHANGELOG.md has no section ${version}`);
  if (lines.length > changeLinesMax) faults.push(`CHANGELOG.md: ${version} has more than ${changeLinesMax} lines`);
  return `${own.trim()}\n`;
}

function checkFacts(): void {
  if (facts.private !== undefined) faults.push("package.json is private");
  if (facts.dependencies !== undefined) faults.push("package.json has dependencies, and the bundle is to hold all");
  const { packages, description, ...server } = json("server.json");
  for (const told of [server.version, ...packages.map((each: { version: string }) => each.version)])
    if (told !== version) faults.push(`server.json says ${told}, package.json ${version}`);
  if (packages[0].identifier !== name) faults.push(`server.json does not name ${name}`);
  if (description.length > 100) faults.push("server.json: the registry takes descriptions of 100 characters");
  const tag = process.env.GITHUB_REF_TYPE === "tag" ? process.env.GITHUB_REF_NAME : `v${version}`;
  if (tag !== `v${version}`) faults.push(`the tag is ${tag}, and package.json says ${version}`);
  // Whose it is, is known where it is published; npm proves it by these.
  if (process.env.GITHUB_REPOSITORY === undefined) return;
  for (const field of ["repository", "bugs", "homepage", "mcpName"])
    if (facts[field] === undefined) faults.push(`package.json has no ${field}`);
}

/** Packs what is built; answers the file. */
function pack(): string {
  const packed = run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", folder);
  // Newer npm answers by name, older ones with a list.
  const [only] = Object.values(JSON.parse(packed || "[]")) as {
    filename: string;
    size: number;
    unpackedSize: number;
  }[];
  if (only === undefined) return folder;
  if (only.size > packedBytesMax) faults.push(`the package has ${only.size} bytes`);
  if (only.unpackedSize > unpackedBytesMax) faults.push(`the package has ${only.unpackedSize} bytes on a disk`);
  return join(folder, only.filename);
}

function checkPackage(file: string): void {
  run("publint", "--strict", file);
  run("attw", "--profile", "esm-only", "--format", "ascii", "--no-emoji", file);
  run("npm", "publish", "--dry-run", "--access", "public", file);
  if (faults.length === 0) console.log(`${file} is fit to be published.`);
}

/** What the program prints; what it finds wrong is shown. */
function run(program: string, ...words: readonly string[]): string {
  const path = [join(home, "node_modules/.bin"), process.env.PATH].join(process.platform === "win32" ? ";" : ":");
  const options = { cwd: home, encoding: "utf8", env: { ...process.env, PATH: path }, maxBuffer: 64_000_000 } as const;
  const done = spawnSync(program, words, options);
  if (done.status !== 0) {
    console.log(`${done.stdout}\n${done.stderr}`);
    faults.push(`${program} found faults; see above`);
  }
  return done.stdout;
}
