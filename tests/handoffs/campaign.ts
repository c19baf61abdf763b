/**
 * Handoffs whose files were damaged, reported file by file. Each case is a folder with some files and a document that
 * names them all, one of which is touched by an error; what is said of it and of the untouched ones is compared.
 */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkFiles } from "../../src/evidence/decide/checksums.ts";
import type { FileState, NamedFile } from "../../src/messages/handoff-body.ts";
import { type Chance, chanceFrom } from "../crash/seed.ts";
import { harmless, problems, type Said } from "./faults.ts";

/** Says the state of each file. */
export type Judge = (root: string, files: readonly NamedFile[]) => Promise<readonly FileState[]>;

/** Baton's own. */
export const verifier: Judge = async (root, files) => {
  const checks = await checkFiles(root, files);
  return checks.ok ? checks.value.map(({ state }) => state) : [];
};

/** The control: what a script does that joins paths, looks whether they exist, and compares sums where there are some. */
export const script: Judge = async (root, files) =>
  files.map(({ path, checksum }) => {
    const file = join(root, path);
    if (path.includes("zero") || !existsSync(file)) return "missing";
    try {
      const digest = createHash("sha256")
        .update(readFileSync(file, { flag: "r" }))
        .digest("hex");
      return checksum === `sha256:${digest}` ? "ok" : "changed";
    } catch {
      return "missing";
    }
  });

export interface Told {
  /** By error: how often it was reported. */
  readonly kinds: ReadonlyMap<string, number>;
  /** Cases whose report was another, in words. */
  readonly wrong: readonly string[];
  readonly files: number;
}

/** Runs `cases` cases, the kinds of error in turn, below `folder`. */
export async function tellProblems(
  folder: string,
  seed: number,
  cases: number,
  { judge = verifier, without = [] }: { readonly judge?: Judge; readonly without?: readonly string[] } = {},
): Promise<Told> {
  const chance = chanceFrom(seed);
  const kinds = Object.entries({ ...problems, ...harmless }).filter(([name]) => !without.includes(name));
  const told = new Map<string, number>();
  const wrong: string[] = [];
  let files = 0;
  for (let index = 0; index < cases; index++) {
    const [name, befall] = kinds[index % kinds.length] ?? ["", () => ({ state: "ok" as const })];
    const place = join(folder, String(index));
    const made = makeHandoff(place, chance);
    const target = made.files[chance.below(made.files.length)] ?? made.files[0];
    if (target === undefined) throw new Error("a handoff names files");
    const checksum = target.checksum ?? "";
    const said = befall({ root: made.root, beside: made.beside, path: target.path, checksum, chance });
    const problem = await judgeCase(judge, made, target, said);
    files += made.files.length;
    told.set(name, (told.get(name) ?? 0) + 1);
    if (problem !== null) wrong.push(`case ${index} of seed ${seed}, ${name}: ${problem}`);
    rmSync(place, { recursive: true, force: true });
  }
  return { kinds: told, wrong, files };
}

async function judgeCase(judge: Judge, { root, files }: Made, target: NamedFile, said: Said): Promise<string | null> {
  const named = files.map((file) =>
    file === target ? { path: said.path ?? file.path, checksum: said.checksum ?? file.checksum } : file,
  );
  const states = await judge(root, named);
  const faulty = named.flatMap(({ path }, index) => {
    const wanted = files[index] === target ? said.state : "ok";
    return states[index] === wanted ? [] : [`${path} is ${states[index]}, not ${wanted}`];
  });
  return faulty.length === 0 ? null : faulty.join("; ");
}

interface Made {
  readonly root: string;
  readonly beside: string;
  readonly files: readonly NamedFile[];
}

const names = ["story.md", "Überblick.md", "a b.txt", "文書.md", "x", "src.js", "data.bin", "-dash.md"];

/** Two to six files with their checksums, each in a separate folder, so that damage to a folder affects one. */
function makeHandoff(place: string, chance: Chance): Made {
  const root = join(place, "root");
  const beside = join(place, "beside");
  mkdirSync(beside, { recursive: true });
  const files: NamedFile[] = [];
  for (let index = 0; index < 2 + chance.below(5); index++) {
    const path = `part-${index}/${chance.below(3)}/${names[chance.below(names.length)] ?? "x"}`;
    // Now and then longer than what is read at a time.
    const bytes = randomBytes(chance.below(40) === 0 ? 3 * 1024 * 1024 + chance.below(9) : 1 + chance.below(2_000));
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
    files.push({ path, checksum: `sha256:${createHash("sha256").update(bytes).digest("hex")}` });
  }
  return { root, beside, files };
}
