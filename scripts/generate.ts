/**
 * Writes everything that is derived from the definitions and committed: fact tables, wire types, validators, JSON
 * Schemas and reference pages. With `--check` it writes nothing, lists the files that differ and exits 1 if any does.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DialectEntry } from "../src/messages/dialects/define.ts";
import { definedOperations } from "../src/perform/operations/registry.ts";
import { teamSchema } from "../src/team/state/team-schema.ts";
import { authoredDialects } from "./generate/authored.ts";
import { lookupPages } from "./generate/lookup-pages.ts";
import { descriptionOf } from "./generate/operation-description.ts";
import { operationFiles } from "./generate/operations.ts";
import { pluginFiles } from "./generate/plugins.ts";
import { bundleOf, publishedSchema } from "./generate/published.ts";
import { familyPages } from "./generate/reference.ts";
import { tableModule } from "./generate/table.ts";
import { validatorsDeclaration, validatorsModule } from "./generate/validators.ts";
import { wireModule } from "./generate/wire.ts";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Folders that hold generated files only: a file there that nobody generates any more is taken away. */
const generatedFolders = [
  "src/messages/dialects/*/generated",
  "src/perform/operations/generated",
  "schemas",
  "docs/reference",
  "plugins",
];

/** Every generated file by path. */
async function generated(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const dialect of authoredDialects) await addDialect(files, dialect);
  const ids = authoredDialects.map(({ id }) => id);
  files.set("schemas/team.json", asFile(teamSchema(ids)));
  files.set("schemas/operations.json", asFile(descriptionOf(definedOperations)));
  for (const [path, content] of operationFiles()) files.set(path, content);
  for (const [path, content] of familyPages(authoredDialects)) files.set(path, content);
  for (const [path, content] of await lookupPages()) files.set(path, content);
  for (const [path, content] of pluginFiles()) files.set(path, content);
  return files;
}

async function addDialect(files: Map<string, string>, dialect: DialectEntry): Promise<void> {
  const folder = `src/messages/dialects/${dialect.id.replace("/", "-")}/generated`;
  files.set(`${folder}/table.ts`, tableModule(dialect));
  files.set(`${folder}/wire.ts`, wireModule(dialect));
  files.set(`${folder}/validators.js`, await validatorsModule(dialect));
  files.set(`${folder}/validators.d.ts`, validatorsDeclaration);
  files.set(`schemas/${dialect.id}/bundle.json`, asFile(bundleOf(dialect)));
  for (const entry of dialect.messages) {
    files.set(`schemas/${dialect.id}/${entry.type}.json`, asFile(publishedSchema(dialect, entry)));
  }
}

function asFile(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
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
  // The folder of vbw/2.1 has a dot in its name like a file.
  const there = generatedFolders
    .flatMap((folder) => globSync(`${folder}/**/*.*`, { cwd: home }))
    .filter((path) => statSync(join(home, path)).isFile());
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
