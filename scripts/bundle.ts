/**
 * The command as bundles, for the build and for tests that call it: `main.cjs`, which loads the command with chunks that
 * are loaded when they are asked for, `long-work-thread.cjs`, the program of a hub's threads, and `validate-message.cjs`,
 * one small file for hooks with two seldom asked for next to it. CommonJS, because it starts in two thirds of the time of
 * ESM (docs/decisions/0143-commonjs-bundles.md).
 */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type InputOptions, type OutputOptions, type Plugin, rolldown } from "rolldown";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");

const target = "node24";

const input: InputOptions = {
  cwd: home,
  platform: "node",
  transform: { target },
  // yaml's entry for Node is CommonJS and could not be cut to what is used; its ESM twin is the same code.
  resolve: { alias: { yaml: join(home, "node_modules/yaml/browser/index.js") } },
  // CommonJS that asks for its own files as it runs, which a bundle does not have; only the hub loads it.
  external: ["pino"],
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
 * What many load lies in two files, not in the forty that would follow from who needs what: finding and reading a file
 * takes longer than the code in it that one command leaves alone. Each is named by its content.
 */
const namedByContent: OutputOptions = {
  entryFileNames: "[name]-[hash].cjs",
  codeSplitting: {
    groups: [
      { name: "start", tags: ["$initial"], priority: 2 },
      { name: "team", minShareCount: commandsMin, test: /src[\\/]/, priority: 1 },
    ],
  },
};

/** Writes the command's bundles into `folder`. Throws what the bundler says of a source that it cannot bundle. */
export async function bundleCommand(folder: string): Promise<void> {
  // A file whose name tells its content: code that is kept compiled belongs to one content only.
  const [command] = await bundleInto(folder, { command: "src/main/baton.ts" }, [], namedByContent);
  const define = { COMMAND_FILE: JSON.stringify(command) };
  await bundleInto(folder, { main: "src/main/start.ts" }, [], {}, define);
  await bundleInto(folder, { "long-work-thread": "src/main/long-work-thread.ts" });
  await bundleInto(folder, { "validate-message": "src/doors/cli/validate-message/validate-message.ts" }, [keptApart]);
  for (const apart of loadedApart) await bundleInto(folder, { [apart]: `src/doors/cli/validate-message/${apart}.ts` });
}

/** Writes the bundle of one program, with its chunks next to it. Answers the names of the program's own files. */
export async function bundleInto(
  folder: string,
  program: Readonly<Record<string, string>>,
  plugins: readonly Plugin[] = [],
  more: OutputOptions = {},
  define: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const transform = { target, define };
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
