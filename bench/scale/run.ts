/**
 * `npm run bench:scale`: measures each engine of a journal in a server and writes a page into `.tmp`.
 * A number says with how many teams, instead of 1,000; then the page is printed and not written. Takes
 * some minutes on a machine that does nothing else.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { jetStream, postgres, threeCopies } from "../engines/servers.ts";
import { measure } from "./measure.ts";
import { type Engine, scalePage } from "./page.ts";

const usualTeams = 1_000;
const home = join(import.meta.dirname, "../..");
const [asked] = process.argv.slice(2);
const teams = asked === undefined ? usualTeams : Number(asked);
if (!Number.isInteger(teams) || teams < 1) throw new Error(`how many teams? ${asked}`);

const engines: Engine[] = [];
// On the repository's own disk: a temporary folder in memory would make every commit free.
mkdirSync(join(home, ".tmp"), { recursive: true });
for (const [engine, copies] of [
  [postgres, 1],
  [jetStream, 1],
  [threeCopies, 3],
] as const) {
  if (engine.skip !== false) throw new Error(`${engine.name} cannot be measured: ${engine.skip}`);
  const folder = mkdtempSync(join(home, ".tmp/scale-"));
  const server = await engine.start(folder);
  try {
    const measured = await measure(server.newUrl(), teams);
    engines.push({ name: engine.name, copies, measured });
    console.log(`${engine.name}: ${Math.round(measured.inputs.messagesPerSecond)} messages a second`);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const page = scalePage(engines);
if (asked === undefined) writeFileSync(join(home, ".tmp/scale.md"), page);
else console.log(page);
