/**
 * Builds `dist/`: the library as unbundled ESM with declarations (`dist/lib`), the command as bundles (`dist/cli`), and
 * the hub's page (`dist/page`).
 * Runs after `npm ci` in a clone (`dependencies`) and before packing (`prepack`), never where the package is installed: it
 * needs nothing but what `npm ci` brings. Types are checked by `npm run types`, not here.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { build as buildForBrowser } from "vite";
import { bundleCommand } from "./bundle.ts";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const finished = join(home, "dist");
// Built next to the old build and moved into place: a command that runs meanwhile sees the old build or the new one.
const draft = join(home, `.tmp/dist-${process.pid}`);

/** The library: every file under src but the command and tests, and what `./testing` takes from tests, one to one. */
function buildLibrary(): void {
  const tsc = join(home, "node_modules/typescript/bin/tsc");
  const done = spawnSync(
    process.execPath,
    [tsc, "-p", "tsconfig.build.json", "--checkers", "1", "--outDir", join(draft, "lib")],
    {
      cwd: home,
      stdio: "inherit",
    },
  );
  if (done.status !== 0) throw new Error("tsc could not build the library; see its messages above");
  copyWhatTscLeaves();
}

/** Generated validators are JavaScript with a declaration file; tsc emits neither. */
function copyWhatTscLeaves(): void {
  const source = join(home, "src");
  for (const name of globSync("**/*.{js,cjs,d.ts,json}", { cwd: source, exclude: ["doors/cli/**"] })) {
    cpSync(join(source, name), join(draft, "lib/src", name));
  }
}

/**
 * Styles are written in pixels of a root of 16 px. What is more than a line's width becomes `rem`, so the whole page
 * follows the root's font size: the browser's own setting, and a large screen (`styles/base.css`).
 */
const remOfPixels = {
  postcssPlugin: "rem-of-pixels",
  Declaration(declaration: { value: string }): void {
    declaration.value = declaration.value.replace(/\b[0-9.]+px\b/g, (size) =>
      Number.parseFloat(size) > 2 ? `${Number.parseFloat(size) / 16}rem` : size,
    );
  },
};

/**
 * The page: one HTML file, and assets whose names change with their content. Nothing in it is inline, as its CSP
 * demands.
 */
async function buildPage(): Promise<void> {
  await buildForBrowser({
    configFile: false,
    root: join(home, "src/doors/dashboard"),
    base: "/",
    logLevel: "warn",
    plugins: [svelte({ configFile: false })],
    css: { postcss: { plugins: [remOfPixels] } },
    build: {
      outDir: join(draft, "page"),
      emptyOutDir: true,
      target: "es2022",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // How long a part of the build took says something about the machine, not about the page.
      rolldownOptions: { checks: { bundlerTimings: false } },
    },
  });
}

function moveIntoPlace(): void {
  const old = `${draft}-old`;
  if (existsSync(finished)) renameSync(finished, old);
  renameSync(draft, finished);
  rmSync(old, { recursive: true, force: true });
}

mkdirSync(draft, { recursive: true });
try {
  buildLibrary();
  await bundleCommand(join(draft, "cli"));
  await buildPage();
  moveIntoPlace();
} catch (fault) {
  // The tools have printed what is wrong; a stack of ours would only hide it.
  console.error(`build: ${fault instanceof Error ? fault.message.split("\n")[0] : String(fault)}`);
  process.exitCode = 1;
} finally {
  rmSync(draft, { recursive: true, force: true });
}
