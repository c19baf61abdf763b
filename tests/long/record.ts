/**
 * Where long campaigns write what they found: one section each of docs/verification.md, replaced by each run. Sections
 * are written by whichever test file ends first, so writing takes a lock (a folder, which only one process can make).
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";

const page = join(import.meta.dirname, "..", "..", "docs", "verification.md");

/** All sections in the order of the page, with what each shows. */
const sections = {
  kills: "Killed writers",
  processes: "Many processes at once",
  "lost-agent": "A lost agent",
  shutdown: "Shutdown rounds",
  silence: "Silent agents",
  calls: "A fault at every storage call",
  "power-cuts": "Power cuts",
  damage: "Damaged files",
  mutants: "Mutants of messages",
  "a2a-input": "Changed requests over A2A",
  authorisation: "Who may send what to whom",
  gains: "Rights that nobody gains",
  "authorisation-called": "Who may send what to whom, by the command",
  "authorisation-command": "Who may send what to whom, by the command as processes",
  claims: "Claims that are raced for",
  streams: "Streams that nobody reads",
  "page-frames": "The page with a hundred thousand entries",
  "page-crowd": "The page with five hundred agents",
  "page-hostile": "Script payloads on the page",
  lies: "Lies about work",
  "honest-work": "Honest work",
  globs: "Globs against their meaning",
  simulation: "The simulator",
  "handoff-files": "Files of handoffs",
  jetstream: "Faults of a NATS cluster",
  "jetstream-power": "Power cuts of NATS servers",
  "jetstream-header": "One wrong header to a NATS cluster",
  postgresql: "Faults of a PostgreSQL server",
  archives: "Archives whose writing is killed",
  "postgresql-search": "Searches of a journal on PostgreSQL",
  "engine-hubs": "Faults of hubs on a journal in a server",
  programs: "A day of three agent programs",
} as const;

const preface = `# Verification

Written by \`npm run test:long\`, the last section by \`BATON_TEST_DAYS=20 npm run test:programs day -- --long\`; do not edit. Each campaign has a negative control, a planted bug that the same check
must find. \`npm test\` and \`npm run test:heavy\` run shorter versions of all of them. \`BATON_TEST_SEED=N\` repeats what a campaign chose.
`;

/** Replaces one section by \`method\` (what was done, in a sentence or two) and a table of \`rows\`. */
export function record(
  section: keyof typeof sections,
  method: string,
  rows: readonly (readonly [what: string, found: string | number])[],
): void {
  const table = rows.map(([what, found]) => `| ${what} | ${found} |`).join("\n");
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? "processor"}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}`;
  const text = `${method}\n\n| | |\n|---|---|\n${table}\n| on | ${machine} |\n`;
  withLock(() => {
    const bodies = new Map(readBodies().set(sections[section], text));
    const written = Object.values(sections).filter((title) => bodies.has(title));
    const body = written.map((title) => `\n## ${title}\n\n${bodies.get(title)}`).join("");
    writeFileSync(page, preface + body);
  });
}

/** The sections that exist, by title. */
function readBodies(): Map<string, string> {
  if (!existsSync(page)) return new Map();
  const parts = readFileSync(page, "utf8").split("\n## ").slice(1);
  return new Map(
    parts.map((part) => {
      const end = part.indexOf("\n");
      return [part.slice(0, end), `${part.slice(end).trim()}\n`];
    }),
  );
}

function withLock(write: () => void): void {
  const lock = `${page}.lock`;
  for (let tries = 0; ; tries++) {
    try {
      mkdirSync(lock);
      break;
    } catch (cause) {
      // Another campaign writes its section; that takes milliseconds. A lock that stays was left by a killed run.
      if (tries > 400) throw new Error(`remove ${lock}, which an earlier run left`, { cause });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
  try {
    write();
  } finally {
    rmdirSync(lock);
  }
}
