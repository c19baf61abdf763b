/**
 * A program that tests start very often, as one file of JavaScript: it starts in half of the time that its sources take, and
 * in a sixth where nothing has compiled them yet.
 */
import { basename, join } from "node:path";
import { sharedFolder } from "./shared-folder.ts";

/** A program of a test loads at once what the command loads by need, which is no fault of it. */
const allAtOnce = {
  name: "all-at-once",
  onLog: (_level: unknown, { code }: { readonly code?: string }) =>
    code === "INEFFECTIVE_DYNAMIC_IMPORT" ? false : undefined,
};

/**
 * The path of the program whose source is at `source` in the package; bundled once for all files of a test run. One that
 * waits at its top level is an ES module, which starts a little later.
 */
export async function bundledProgram(source: string, form: "cjs" | "esm" = "cjs"): Promise<string> {
  const name = basename(source, ".ts");
  const shared = source.replaceAll(/[^a-z]+/g, "-");
  const folder = await sharedFolder(shared, async (draft) => {
    // The bundler is loaded only by the one who bundles.
    const { bundleInto } = await import("../../scripts/bundle.ts");
    await bundleInto(
      draft,
      { [name]: source },
      [allAtOnce],
      form === "cjs" ? {} : { format: form, entryFileNames: "[name].mjs", chunkFileNames: "[name]-[hash].mjs" },
    );
  });
  return join(folder, `${name}.${form === "cjs" ? "cjs" : "mjs"}`);
}
