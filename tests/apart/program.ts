/**
 * A program that tests start very often, as one file of JavaScript: it starts in half of the time that its sources take, and
 * in a sixth where nothing has compiled them yet.
 */
import { basename, join } from "node:path";
import { bundleInto } from "../../scripts/bundle.ts";
import { sharedFolder } from "./shared-folder.ts";

/** The path of the program whose source is at `source` in the package; bundled once for all files of a test run. */
export async function bundledProgram(source: string): Promise<string> {
  const name = basename(source, ".ts");
  const shared = source.replaceAll(/[^a-z]+/g, "-");
  const folder = await sharedFolder(shared, async (draft) => {
    await bundleInto(draft, { [name]: source });
  });
  return join(folder, `${name}.cjs`);
}
