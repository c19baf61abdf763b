/**
 * Builds `dist/`: the library (`dist/lib`) and the command (`dist/cli`) as bundles, and the hub's page (`dist/page`).
 * Runs after `npm ci` in a clone (`dependencies`) and before packing (`prepack`), never where the package is installed: it
 * needs nothing but what `npm ci` brings. Types are checked by `npm run types`, not here.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { build as buildForBrowser, type Plugin } from "vite";
import { bundleCommand, bundleLibrary, newLicences } from "./bundle.ts";

const home = join(dirname(fileURLToPath(import.meta.url)), "..");
const dashboard = join(home, "src/doors/page");
// Built next to the old build and moved into place: a command that runs meanwhile sees the old build or the new one.
const draft = join(home, `.tmp/dist-${process.pid}`);
const declared = join(home, `.tmp/types-${process.pid}`);

/** The declarations of every file that the library's doors name, one to one. */
function declareLibrary(): void {
  const tsc = join(home, "node_modules/typescript/bin/tsc");
  const words = ["-p", "tsconfig.build.json", "--checkers", "1", "--outDir", declared];
  const done = spawnSync(process.execPath, [tsc, ...words], { cwd: home, stdio: "inherit" });
  if (done.status !== 0) throw new Error("tsc could not declare the library; see its messages above");
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

/** The script that asks the hub for what each page begins with. */
const ahead = join(dashboard, "hub/ahead.ts");

/**
 * The scripts of the page's first view are two: the one that asks the hub is small and runs while the other is on its way,
 * which shows the answers. More of them would cost the hub, which is being asked meanwhile, a request each.
 */
const firstScripts = [
  { name: "ahead", test: (id: string) => id === ahead, priority: 2 },
  { name: "page", tags: ["$initial" as const], priority: 1 },
];

/** Runs the first of them as soon as it is there: a script that is only imported waits for the one that imports it. */
const asksAhead: Plugin = {
  name: "asks-ahead",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle = {} }) {
      const first = Object.values(bundle).find((part) => part.type === "chunk" && part.moduleIds.includes(ahead));
      if (first === undefined) throw new Error("the page's first script was not built");
      return html.replace(
        '<script type="module"',
        `<script type="module" crossorigin src="/${first.fileName}"></script>\n    $&`,
      );
    },
  },
};

/**
 * The page: one HTML file, and assets whose names change with their content. Nothing in it is inline, as its CSP
 * demands.
 */
async function buildPage(licences: Plugin): Promise<void> {
  await buildForBrowser({
    configFile: false,
    root: dashboard,
    base: "/",
    logLevel: "warn",
    plugins: [svelte({ configFile: false }), asksAhead, licences],
    css: { postcss: { plugins: [remOfPixels] } },
    build: {
      outDir: join(draft, "page"),
      emptyOutDir: true,
      target: "es2022",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // How long a part of the build took says something about the machine, not about the page.
      rolldownOptions: {
        checks: { bundlerTimings: false },
        input: { index: join(dashboard, "index.html"), ahead },
        output: { codeSplitting: { groups: firstScripts } },
      },
    },
  });
}

function moveIntoPlace(built: string, finished: string): void {
  const old = `${built}-old`;
  if (existsSync(finished)) renameSync(finished, old);
  renameSync(built, finished);
  rmSync(old, { recursive: true, force: true });
}

mkdirSync(draft, { recursive: true });
try {
  declareLibrary();
  const licences = newLicences();
  await bundleLibrary(join(draft, "lib"), join(declared, "src"), licences);
  await bundleCommand(join(draft, "cli"), licences);
  await buildPage(licences.plugin as Plugin); // vite takes the plugins of its bundler
  writeFileSync(join(draft, "LICENSES.txt"), licences.text());
  moveIntoPlace(draft, join(home, "dist"));
} catch (problem) {
  // The tools have printed what is wrong; a stack of ours would only hide it.
  console.error(`build: ${problem instanceof Error ? problem.message.split("\n")[0] : String(problem)}`);
  process.exitCode = 1;
} finally {
  for (const built of [draft, declared]) rmSync(built, { recursive: true, force: true });
}
