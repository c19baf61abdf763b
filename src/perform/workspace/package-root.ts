/** The package this code belongs to, found from the code's own place: in the sources and in any bundle alike. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";

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

/**
 * That an update of the package took away what this process was to load only now; null: the failure is another. `hint`: how
 * the process begins again, for an agent if absent.
 */
export function updatedMeanwhile(failure: unknown, hint = askAgain): Problem | null {
  const code = failure instanceof Error && "code" in failure ? failure.code : null;
  if (code !== "MODULE_NOT_FOUND" && code !== "ERR_MODULE_NOT_FOUND") return null;
  return makeProblem("not-a-hub", "", "Baton was updated while it ran here, so parts of it are gone.", { hint });
}

const askAgain = "Ask your user to start your program again, or the hub through which you work; nothing is lost.";

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

/* The generated files that the package brings: JSON Schemas, by name. */

/** A generated JSON file, e.g. `schemas/vbw/2/bundle.json`: its text for people, its value for programs. */
export function publishedJson(path: string): { readonly text: string; readonly value: unknown } {
  return asJson(readFileSync(join(packageFacts().root, ...path.split("/")), "utf8").trimEnd());
}

/** JSON of ours: its text for people, its value for programs. */
export function asJson(text: string): { readonly text: string; readonly value: unknown } {
  return { text, value: JSON.parse(text) };
}
