/** Temporary folders for destructive tests: in memory where the machine offers it (thousands of images), else on disk. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { Image } from "./disk-image.ts";

/** A new folder that is removed when the scope ends. */
export function temporaryFolder(where: "memory" | "disk" = "disk"): Disposable & { readonly path: string } {
  const parent = where === "memory" && existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const path = mkdtempSync(join(parent, "baton-crash-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** The files of a folder by absolute path, without shared memory. Only where no process holds them open. */
export function imageOf(folder: string): Image {
  const names = readdirSync(folder).filter((name) => !name.endsWith("-shm"));
  return new Map(names.map((name) => [join(folder, name), readFileSync(join(folder, name))]));
}

/** Writes an image into `folder`, which is emptied first. */
export function writeImage(image: Image, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [path, content] of image) writeFileSync(join(folder, basename(path)), content);
}
