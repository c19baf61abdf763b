/**
 * The files below a folder of another tool: plain ones with names that can be shown, so many and so deep; what is left out
 * is a finding.
 */
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { reasonOf } from "../../base/plain-file.ts";
import type { Finding } from "../reading/found.ts";

const filesMax = 20_000;
const depthMax = 8;

/** What the system says of a path, without following a link; undefined: there is nothing for us. */
export function factsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A folder above it cannot be entered: then there is nothing for us.
    return undefined;
  }
}

/** What is in a folder. */
export interface Listing {
  /** Paths below the folder, with `/`, in order. */
  readonly files: string[];
  readonly findings: Finding[];
  ignored: number;
}

/** Folders that hold nothing of the current work: an archive, another tool's past, copies. */
const unread = [
  "milestones",
  "gsd-archive",
  "codebase",
  ".cache",
  ".metrics",
  ".artifacts",
  ".snapshots",
  ".agent-health",
  ".token-state",
];

/** The files of a folder of another tool, as it is shown: no link is followed. */
export function list(folder: string, shown: string): Listing {
  const listing: Listing = { files: [], findings: [], ignored: 0 };
  walk(folder, "", shown, listing, 0);
  return listing;
}

function walk(folder: string, below: string, shown: string, listing: Listing, depth: number): void {
  const { files, findings } = listing;
  let names: readonly string[];
  try {
    names = readdirSync(folder).toSorted();
  } catch (cause) {
    findings.push({ file: join(shown, below), line: null, why: `This folder cannot be read (${reasonOf(cause)}).` });
    return;
  }
  for (const name of names) {
    const path = below === "" ? name : `${below}/${name}`;
    const facts = factsOf(join(folder, name));
    const said = `${shown}/${path}`;
    if (facts?.isSymbolicLink() === true)
      findings.push({ file: said, line: null, why: "This is a link; no link is followed." });
    else if (facts?.isDirectory() === true) {
      if (unread.includes(name) && below === "") listing.ignored += 1;
      else if (depth >= depthMax)
        findings.push({ file: said, line: null, why: "This folder is too deep; it was left unread." });
      else walk(join(folder, name), path, shown, listing, depth + 1);
    } else if (facts?.isFile() !== true)
      findings.push({ file: said, line: null, why: "This is no plain file; it was left unread." });
    else if (!isName(name))
      findings.push({ file: said, line: null, why: "This name is no file's name in a project; it was left unread." });
    else if (files.length < filesMax) files.push(path);
    else listing.ignored += 1;
  }
}

/** Whether a name can be shown and recorded: no control characters, no backslash. */
function isName(name: string): boolean {
  return name.isWellFormed() && !/[\p{Cc}\\]/u.test(name);
}
