/**
 * Repositories made to order: a history is written down as whole trees and poured into git with one `fast-import`, so that
 * hundreds of repositories take seconds and every detail (modes, links, submodules, odd parents) can be had.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { devNull } from "node:os";
import { dirname, join } from "node:path";
import { gitEnvironment } from "../../src/evidence/git/git.ts";

/** What is at a path. For a link `content` is its target, for a submodule the id of a commit. */
export interface FileState {
  readonly mode: "100644" | "100755" | "120000" | "160000";
  readonly content: string;
}

export type Tree = ReadonlyMap<string, FileState>;

/** A plain file. */
export const file = (content: string): FileState => ({ mode: "100644", content });
export const link = (target: string): FileState => ({ mode: "120000", content: target });

export interface CommitOrder {
  readonly tree: Tree;
  /** Commits by the order in which they were made, from 0. */
  readonly parents: readonly number[];
  readonly author?: string;
  /** Seconds after the others' first; absent: each a second after the one before it. */
  readonly at?: number;
}

export interface HistoryOrder {
  readonly commits: readonly CommitOrder[];
  /** Full names of references, such as `refs/heads/main`, each at a commit. */
  readonly references: Readonly<Record<string, number>>;
  readonly isBare?: boolean;
  readonly objectFormat?: "sha1" | "sha256";
}

/** The environment of tests: the machine's own configuration does not count. */
export const testEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env.PATH ?? "",
  HOME: devNull,
  XDG_CONFIG_HOME: devNull,
};

/** What a commit would leave running behind it, and what would then still write where a test has ended. */
export const withoutMaintenance: readonly string[] = ["-c", "maintenance.auto=false", "-c", "gc.auto=0"];

/** Runs git as a person would, with hooks of the repository and all; throws when it fails. */
export function git(directory: string, ...words: readonly string[]): string {
  const done = spawnSync("git", [...withoutMaintenance, ...words], {
    cwd: directory,
    encoding: "utf8",
    env: {
      ...gitEnvironment(testEnvironment),
      GIT_ALLOW_PROTOCOL: "file",
      GIT_AUTHOR_NAME: "dev-1",
      GIT_AUTHOR_EMAIL: "dev-1@example.invalid",
      GIT_COMMITTER_NAME: "dev-1",
      GIT_COMMITTER_EMAIL: "dev-1@example.invalid",
    },
  });
  if (done.status !== 0) throw new Error(`git ${words.join(" ")}: ${done.stderr}${done.error?.message ?? ""}`);
  return done.stdout;
}

/** Makes the repository in `directory` and answers the ids of its commits in their order. */
export function makeHistory(directory: string, order: HistoryOrder): readonly string[] {
  mkdirSync(directory, { recursive: true });
  const format = order.objectFormat === "sha256" ? ["--object-format=sha256"] : [];
  git(directory, "init", "--quiet", "--template=", "-b", "main", ...format, ...(order.isBare ? ["--bare"] : []));
  const marks = join(dirname(directory), `${Math.random().toString(36).slice(2)}.marks`);
  const done = spawnSync("git", ["fast-import", "--quiet", "--force", `--export-marks=${marks}`], {
    cwd: directory,
    input: Buffer.concat([...streamOf(order)]),
    maxBuffer: 64 * 1024 * 1024,
    env: gitEnvironment(testEnvironment),
  });
  if (done.status !== 0) throw new Error(`git fast-import: ${done.stderr}`);
  const ids: string[] = [];
  const marked = readFileSync(marks, "utf8");
  rmSync(marks);
  for (const line of marked.trim().split("\n")) {
    const [mark = "", id = ""] = line.split(" ");
    ids[Number(mark.slice(1)) - 1] = id;
  }
  return ids;
}

function* streamOf({ commits, references, objectFormat }: HistoryOrder): Generator<Buffer> {
  const text = (line: string): Buffer => Buffer.from(`${line}\n`, "utf8");
  for (const [index, { tree, parents, author = "dev-1", at: second = index }] of commits.entries()) {
    // Commits are made on a separate branch, which goes at the end; the first parent resets it.
    if (parents.length === 0) yield text("reset refs/made/scratch");
    yield text("commit refs/made/scratch");
    yield text(`mark :${index + 1}`);
    yield text(`committer ${author} <${author}@example.invalid> ${1_700_000_000 + second} +0000`);
    yield data(Buffer.from(`commit ${index}`));
    for (const [at, parent] of parents.entries()) yield text(`${at === 0 ? "from" : "merge"} :${parent + 1}`);
    yield text("deleteall");
    for (const [path, { mode, content }] of tree) {
      if (mode === "160000") {
        yield text(`M 160000 ${content} ${quoted(path)}`);
        continue;
      }
      yield text(`M ${mode} inline ${quoted(path)}`);
      yield data(Buffer.from(content, "utf8"));
    }
  }
  for (const [name, commit] of Object.entries(references)) {
    yield text(`reset ${name}`);
    yield text(`from :${commit + 1}`);
    yield text("");
  }
  yield text("reset refs/made/scratch");
  yield text(`from ${"0".repeat(objectFormat === "sha256" ? 64 : 40)}`);
  yield text("");
}

function data(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from("\n")]);
}

/** A path as fast-import reads it; every byte beyond plain ones is escaped. */
function quoted(path: string): string {
  const bytes = [...Buffer.from(path, "utf8")];
  const escaped = bytes.map((byte) =>
    byte < 0x21 || byte > 0x7e || byte === 0x22 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, "0")}`
      : String.fromCharCode(byte),
  );
  return `"${escaped.join("")}"`;
}
