/** The package this code belongs to, found from the code's own place: in the sources and in any bundle alike. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "../base/invariant.ts";

interface PackageFacts {
  readonly root: string;
  readonly version: string;
}

/** What npm calls the package. Its command is `baton`: npm has another package of that name. */
const packageName = "batonhq";

/** The package's directory and version. */
export function packageFacts(): PackageFacts {
  let directory = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    const facts = readFacts(directory);
    if (facts !== null) return facts;
    const parent = dirname(directory);
    invariant(parent !== directory, "the command is inside its package");
    directory = parent;
  }
}

/** The words that start this Baton, from wherever another program calls it. */
export function batonWords(): readonly string[] {
  return [process.execPath, join(packageFacts().root, "bin/baton.js")];
}

function readFacts(directory: string): PackageFacts | null {
  let text: string;
  try {
    text = readFileSync(join(directory, "package.json"), "utf8");
  } catch {
    // No package file here: look one directory up.
    return null;
  }
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== "object" || parsed === null || !("name" in parsed) || parsed.name !== packageName) return null;
  const version = "version" in parsed && typeof parsed.version === "string" ? parsed.version : "0.0.0";
  return { root: directory, version };
}
