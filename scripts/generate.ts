/**
 * Writes everything that is derived from the definitions and committed: fact tables, wire types, validators, JSON
 * Schemas, reference pages. With `--check` it writes nothing, lists the files that differ and exits 1 if any does.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DialectEntry } from "../src/dialects/define.ts";
import { schemaOf } from "../src/dialects/typed-schema.ts";
import { vbw2Messages } from "../src/dialects/vbw-2/messages.ts";
import { yolo2Messages } from "../src/dialects/yolo-2/messages.ts";
import { teamSchema } from "../src/team/team-schema.ts";
import { matrixPage, messagePage } from "./generate/reference.ts";
import { tableModule } from "./generate/table.ts";
import { validatorsDeclaration, validatorsModule } from "./generate/validators.ts";
import { wireModule } from "./generate/wire.ts";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Folders that hold generated files only: a file there that nobody generates any more is taken away. */
const generatedFolders = ["src/dialects/*/generated", "schemas", "docs/reference/vbw", "docs/reference/yolo"];

/** Every generated file by path. */
async function generated(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const dialect of [vbw2Messages, yolo2Messages]) await addDialect(files, dialect);
  const ids = [vbw2Messages.id, yolo2Messages.id];
  files.set("schemas/team.json", `${JSON.stringify(teamSchema(ids), null, 2)}\n`);
  return files;
}

async function addDialect(files: Map<string, string>, dialect: DialectEntry): Promise<void> {
  const folder = `src/dialects/${dialect.id.replace("/", "-")}/generated`;
  files.set(`${folder}/table.ts`, tableModule(dialect));
  files.set(`${folder}/wire.ts`, wireModule(dialect));
  files.set(`${folder}/validators.js`, await validatorsModule(dialect));
  files.set(`${folder}/validators.d.ts`, validatorsDeclaration);
  files.set(`docs/reference/${dialect.id}/matrix.md`, matrixPage(dialect));
  for (const entry of dialect.messages) {
    files.set(`schemas/${dialect.id}/${entry.type}.json`, `${JSON.stringify(schemaOf(dialect, entry), null, 2)}\n`);
    files.set(`docs/reference/${dialect.id}/${entry.type}.md`, messagePage(dialect, entry));
  }
}

/** Paths whose content is not what would be generated, files that should not be there included. */
function differing(files: ReadonlyMap<string, string>): readonly string[] {
  const changed = [...files].filter(([path, content]) => {
    const target = join(home, path);
    return !existsSync(target) || readFileSync(target, "utf8") !== content;
  });
  return [...changed.map(([path]) => path), ...stale(files)].toSorted();
}

function stale(files: ReadonlyMap<string, string>): readonly string[] {
  const there = generatedFolders.flatMap((folder) => globSync(`${folder}/**/*.*`, { cwd: home }));
  return there.map((path) => path.replaceAll("\\", "/")).filter((path) => !files.has(path));
}

const files = await generated();
const isCheck = process.argv.includes("--check");
const paths = differing(files);
if (isCheck && paths.length > 0) {
  console.error(
    `These files differ from what the definitions generate; run \`npm run generate\`:\n${paths.join("\n")}`,
  );
  process.exitCode = 1;
} else if (!isCheck) {
  for (const path of paths) {
    const target = join(home, path);
    const content = files.get(path);
    if (content === undefined) rmSync(target);
    else {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, content);
    }
  }
  console.log(paths.length === 0 ? "Nothing changed." : `Wrote:\n${paths.join("\n")}`);
}
