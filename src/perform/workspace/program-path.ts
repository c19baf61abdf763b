/** Where a program is found by its name, as a shell looks for it. */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The first file with one of the names in the folders of `path` that this user may run; null: there is none. */
export function programOnPath(names: readonly string[], path: string): string | null {
  const files = path.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return files.find(isExecutable) ?? null;
}

/** Whether it is a file that this user may run. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // It is not there, or not for this user.
    return false;
  }
}
