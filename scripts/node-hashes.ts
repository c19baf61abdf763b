/**
 * Prints the SHA-256 of each program that a bundled Node's package holds, as the registry has it now, next to the one
 * that is pinned in src/programs/install/bundled-node.ts. Exits 1 where they differ, and else 2 where the registry did not
 * give one. CI runs it. Run it when you raise a version, and compare with the program of the same release from the
 * Node.js project.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundledNodes } from "../src/programs/install/bundled-node.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-node-hashes-"));
try {
  for (const [machine, node] of Object.entries(bundledNodes)) {
    const archive = fetched(`${node.package}@${node.version}`);
    if (archive === null) {
      console.log(`${machine}  ${node.package}@${node.version}  could not be fetched, so it was NOT compared`);
      process.exitCode ??= 2;
      continue;
    }
    run("tar", ["-xzf", archive, `package/${node.program}`]);
    const sha256 = createHash("sha256")
      .update(readFileSync(join(folder, "package", node.program)))
      .digest("hex");
    const isPinned = sha256 === node.sha256;
    console.log(`${machine}  ${node.package}@${node.version}  ${sha256}  ${isPinned ? "as pinned" : "NOT as pinned"}`);
    if (!isPinned) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The archive's name in the folder; null: the registry does not give it. */
function fetched(version: string): string | null {
  const words = ["pack", "--silent", "--fetch-retries=1", "--fetch-timeout=60000", version];
  const done = spawnSync("npm", words, { cwd: folder, encoding: "utf8" });
  return done.status === 0 ? done.stdout.trim() : null;
}

/** What the program prints, run in the folder. */
function run(program: string, words: readonly string[]): string {
  const done = spawnSync(program, words, { cwd: folder, encoding: "utf8", maxBuffer: 1024 * 1024 });
  if (done.status !== 0) throw new Error(`${program} ${words.join(" ")}: ${done.stderr}`);
  return done.stdout;
}
