/** Where long campaigns say what they found: on standard output, and in a file each in `.tmp/campaigns`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..", "..", ".tmp", "campaigns");

/** Prints and keeps what a campaign found: `method` says in a sentence or two what was done. */
export function record(
  campaign: string,
  method: string,
  rows: readonly (readonly [what: string, found: string | number])[],
): void {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? "processor"}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}`;
  const table = [...rows, ["on", machine] as const].map(([what, found]) => `| ${what} | ${found} |`).join("\n");
  const text = `# ${campaign}\n\n${method}\n\n| | |\n|---|---|\n${table}\n`;
  console.log(text);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${campaign}.md`), text);
}
