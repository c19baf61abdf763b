/**
 * The command as bundles, for the build and for tests that call it: `main.cjs`, which loads the command with chunks that are
 * loaded when they are asked for, and before it a small file for quiet hooks; `long-work-thread.cjs`, the program of a
 * hub's threads; and `validate-message.cjs`, one small file for hooks with two seldom asked for next to it. CommonJS,
 * because it starts in two thirds of the time of ESM (docs/decisions.md). And the library: its doors as ESM, and their
 * declarations, which name no other package.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type CodeSplittingNameFunction,
  type GetModuleInfo,
  type InputOptions,
  type OutputOptions,
  type Plugin,
  rolldown,
} from "rolldown";
import { dts } from "rolldown-plugin-dts";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");

/** The oldest Node that runs Baton. */
const target = "node22";

const input: InputOptions = {
  cwd: home,
  platform: "node",
  transform: { target },
  // yaml's entry for Node is CommonJS and could not be cut to what is used; its ESM twin is the same code.
  resolve: { alias: { yaml: join(home, "node_modules/yaml/browser/index.js") } },
  // Only who tests has it.
  external: ["fast-check"],
  // A slow machine is no fault of a source.
  checks: { bundlerTimings: false },
  onLog: (level, log) => {
    // What is left out or unclear would only be found when the command is called, so it ends the build.
    if (level === "warn") throw new Error(log.message);
  },
};

const output: OutputOptions = {
  format: "cjs",
  entryFileNames: "[name].cjs",
  chunkFileNames: "chunks/[name]-[hash].cjs",
  // Asked for through the loader of ESM, a chunk would take as long as the rest of a start.
  dynamicImportInCjs: false,
  comments: { legal: true, annotation: false, jsdoc: false },
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
};

/** Code that so many commands and doors load lies in one file. */
const commandsMin = 8;
/**
 * What the calls that agents repeat load lies in a few files, not in the fifty that would follow from who needs what:
 * finding and reading a file takes longer than the code in it that one call leaves alone. What the first of a list needs is
 * left out of the others. Each file is named by its content.
 */
const partsOfCalls: readonly [name: string, ...from: string[]][] = [
  ["team", "src/doors/cli/place/session-here.ts"],
  ["journal", "src/journal/sqlite/open.ts"],
  ["mail", "src/mail/handlers/inbox.ts", "src/mail/text/inbox.ts", "src/messages/authority/receivers.ts"],
  ["work", "src/tasks/handlers/tasks.ts", "src/doors/cli/kernel/operation-command.ts"],
  ["message", "src/mail/handlers/receive.ts", "src/mail/text/send.ts"],
  ["checks", "src/evidence/decide/contract-checks.ts"],
  ["verdicts", "src/evidence/handlers/artifact-verdicts.ts"],
  [
    "looks",
    "src/team/handlers/status.ts",
    "src/tasks/view/task-list.ts",
    "src/escalations/handlers.ts",
    "src/record/view/log.ts",
    "src/team/text/status.ts",
  ],
  ["rules", "src/mail/handlers/message-rules.ts", "src/mail/handlers/translation.ts"],
];
const named: OutputOptions = { entryFileNames: "[name]-[hash].cjs" };
const namedByContent: OutputOptions = {
  ...named,
  codeSplitting: {
    groups: [
      { name: "start", tags: ["$initial"], priority: partsOfCalls.length + 1 },
      ...partsOfCalls.map(([name, ...from], index) => ({
        name: reachedBy(name, from),
        priority: partsOfCalls.length - index,
      })),
      { name: "more", minShareCount: commandsMin, test: /src[\\/]/ },
    ],
  },
};

/** The group `name`: what the modules of `from` import, and so on; what they import late is not in it. */
function reachedBy(name: string, from: readonly string[]): CodeSplittingNameFunction {
  let reached: ReadonlySet<string> | null = null;
  return (id, chunking) => {
    reached ??= importedFrom(
      from.map((file) => join(home, file)),
      (known) => chunking.getModuleInfo(known),
    );
    return reached.has(id) ? name : null;
  };
}

function importedFrom(first: readonly string[], getModuleInfo: GetModuleInfo): ReadonlySet<string> {
  const found = new Set<string>();
  const next = [...first];
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    next.push(...(getModuleInfo(id)?.importedIds ?? []));
  }
  return found;
}

/** The licences of the packages whose code bundles hold: they want their texts to go with every copy. */
export interface Licences {
  /** Notes what the bundles that have it hold. */
  readonly plugin: Plugin;
  /** All of it as one text. Throws where a package has no text of its licence. */
  text(): string;
}

export function newLicences(): Licences {
  const folders = new Set<string>();
  return {
    plugin: {
      name: "licences",
      generateBundle(_, bundle) {
        for (const part of Object.values(bundle)) {
          for (const id of part.type === "chunk" ? part.moduleIds : []) {
            const [, folder] = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? [];
            if (folder !== undefined) folders.add(folder);
          }
        }
      },
    },
    text: () =>
      [...folders]
        .toSorted()
        .map(licenceOf)
        .join(`\n${"-".repeat(80)}\n\n`),
  };
}

function licenceOf(folder: string): string {
  // The file is the package's own, and every package has these two.
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const files = readdirSync(folder).filter((file) => /^(?:licen[cs]e|copying|notice)/i.test(file));
  if (files.length === 0) throw new Error(`${name} is bundled and has no text of its licence`);
  return [`${name} ${version}\n`, ...files.toSorted().map((file) => readFileSync(join(folder, file), "utf8"))].join(
    "\n",
  );
}

/** Writes the command's bundles into `folder`. Throws what the bundler says of a source that it cannot bundle. */
export async function bundleCommand(folder: string, { plugin }: Licences = newLicences()): Promise<void> {
  // A file whose name tells its content: code that is kept compiled belongs to one content only.
  const [command] = await bundleInto(folder, { command: "src/main/baton.ts" }, [plugin], namedByContent);
  const define = { COMMAND_FILE: JSON.stringify(command) };
  await bundleInto(folder, { main: "src/main/start.ts" }, [plugin], {}, define);
  await bundleInto(folder, { "long-work-thread": "src/main/long-work-thread.ts" }, [plugin]);
  await bundleInto(folder, { "validate-message": "src/mail/text/validate-message.ts" }, [keptApart, plugin]);
  for (const apart of loadedApart) await bundleInto(folder, { [apart]: `src/mail/text/${apart}.ts` }, [plugin]);
}

/** The doors of the library, as package.json exports them. */
export const doors: Readonly<Record<string, string>> = {
  index: "index",
  dialects: "messages/dialects/index",
  sqlite: "journal/sqlite/index",
  http: "doors/http/index",
  mcp: "doors/mcp/index",
  testing: "testing/index",
};

/** Writes the library into `folder`, with the declarations that the compiler made of the sources into `declared`. */
export async function bundleLibrary(folder: string, declared: string, { plugin }: Licences): Promise<void> {
  const inputs = (place: string, ending: string) =>
    Object.fromEntries(Object.entries(doors).map(([door, file]) => [door, join(place, `${file}${ending}`)]));
  const names: OutputOptions = { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" };
  await bundleInto(folder, inputs("src", ".ts"), [plugin], { format: "esm", ...names });
  await using bundle = await rolldown({
    ...input,
    input: inputs(declared, ".d.ts"),
    external: /^node:/,
    plugins: [zodInModules, dts({ dtsInput: true, oxc: true, tsconfig: false })],
  });
  await bundle.write({ dir: folder, format: "esm" });
}

/**
 * Zod names the declarations of its CommonJS first, which cannot be bundled; and a comment of it is about the next line,
 * which bundling makes the same line.
 */
const zodInModules: Plugin = {
  name: "zod-in-modules",
  resolveId: {
    order: "pre",
    handler: (source) => (/^zod(?:\/v4)?$/.test(source) ? join(home, "node_modules/zod/index.d.ts") : null),
  },
  generateBundle(_, bundle) {
    for (const part of Object.values(bundle))
      if (part.type === "chunk") part.code = part.code.replaceAll("/** @ts-ignore Cast variance */", "$&\n");
  },
};

let digest: Promise<string> | undefined;

/** The version of snapshots: a digest of the code that folds a team's state, without comments, types and what is unused. */
export function foldDigest(): Promise<string> {
  digest ??= digestOfFold();
  return digest;
}

async function digestOfFold(): Promise<string> {
  await using bundle = await rolldown({ ...input, input: join(home, "src/perform/projection.ts") });
  const { output: written } = await bundle.generate(output);
  const code = written.map((file) => (file.type === "chunk" ? file.code : "")).join("\n");
  return createHash("sha256").update(code).digest("hex").slice(0, 16);
}

/** Writes the bundle of one program, with its chunks next to it. Answers the names of the program's own files. */
export async function bundleInto(
  folder: string,
  program: Readonly<Record<string, string>>,
  plugins: readonly Plugin[] = [],
  more: OutputOptions = {},
  define: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const transform = { target, define: { FOLD_DIGEST: JSON.stringify(await foldDigest()), ...define } };
  await using bundle = await rolldown({ ...input, transform, input: program, plugins: [...plugins, inAscii] });
  const written = await bundle.write({ ...output, ...more, dir: folder });
  return written.output.flatMap((file) => (file.type === "chunk" && file.isEntry ? [file.fileName] : []));
}

/**
 * Every character beyond ASCII as an escape, which means the same in texts, templates, patterns and names: then a file is
 * read without decoding, and V8 keeps it in half the space.
 */
const inAscii: Plugin = {
  name: "in-ascii",
  renderChunk: (code) =>
    code.replaceAll(/[\u0080-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

/** Separate files next to the hook's bundle: they are seldom asked for, and reading them takes time. */
const loadedApart = ["validate-message-extra"];

const keptApart: Plugin = {
  name: "kept-apart",
  resolveId: (source) => {
    const apart = loadedApart.find((name) => source.endsWith(`/${name}.ts`));
    return apart === undefined ? null : { id: `./${apart}.cjs`, external: "relative" };
  },
};
