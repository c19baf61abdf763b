/**
 * What can befall the files of a handoff between issuing and accepting, each with what must be said of it. An error
 * gets a folder in which every file is as it was handed over, and the one file that it is about.
 */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { FileState } from "../../src/messages/handoff-body.ts";
import type { Chance } from "../crash/seed.ts";

/** Where an error happens. */
export interface Scene {
  /** The root, and a folder next to it that no handoff may reach. */
  readonly root: string;
  readonly beside: string;
  /** The file, as the document names it. */
  readonly path: string;
  readonly checksum: string;
  readonly chance: Chance;
}

/** What the document says of the file after the error, and what must be reported. Absent: as before. */
export interface Said {
  readonly path?: string;
  readonly checksum?: string;
  readonly state: FileState;
}

const at = ({ root, path }: Scene) => join(root, path);

/** Puts a copy of the file next to the root: a link to it finds the very bytes that the checksum is of. */
function twinBeside(scene: Scene): string {
  const twin = join(scene.beside, basename(scene.path));
  copyFileSync(at(scene), twin);
  return twin;
}

function replacedBy(scene: Scene, target: string): void {
  rmSync(at(scene));
  symlinkSync(target, at(scene));
}

/** Changes a byte, and leaves size and times as they were. */
function flip(scene: Scene): void {
  const { atime, mtime } = statSync(at(scene));
  const bytes = readFileSync(at(scene));
  const place = scene.chance.below(bytes.length);
  bytes[place] = (bytes[place] ?? 0) ^ (1 << scene.chance.below(8));
  writeFileSync(at(scene), bytes);
  utimesSync(at(scene), atime, mtime);
}

/** Every error by name. */
export const problems: { readonly [name: string]: (scene: Scene) => Said } = {
  "a bit flipped, size and times kept": (scene) => {
    flip(scene);
    return { state: "changed" };
  },
  "a line added": (scene) => {
    appendFileSync(at(scene), "\n");
    return { state: "changed" };
  },
  "cut short": (scene) => {
    truncateSync(at(scene), scene.chance.below(statSync(at(scene)).size));
    return { state: "changed" };
  },
  "line ends of another system": (scene) => {
    writeFileSync(at(scene), Buffer.concat([readFileSync(at(scene)), Buffer.from("\r\n")]));
    return { state: "changed" };
  },
  "another file's content": (scene) => {
    writeFileSync(at(scene), `something else ${scene.chance.next()}`);
    return { state: "changed" };
  },
  "another checksum in the document": (scene) => ({
    checksum: `sha256:${scene.checksum.slice(7, 70)}${scene.checksum.endsWith("0") ? "1" : "0"}`,
    state: "changed",
  }),
  deleted: (scene) => {
    rmSync(at(scene));
    return { state: "missing" };
  },
  renamed: (scene) => {
    renameSync(at(scene), `${at(scene)}.old`);
    return { state: "missing" };
  },
  "moved to another folder": (scene) => {
    mkdirSync(join(scene.root, "moved"), { recursive: true });
    renameSync(at(scene), join(scene.root, "moved", basename(scene.path)));
    return { state: "missing" };
  },
  "its folder renamed": (scene) => {
    const folder = dirname(at(scene));
    renameSync(folder, `${folder}-old`);
    return { state: "missing" };
  },
  "a folder in its place": (scene) => {
    rmSync(at(scene));
    mkdirSync(at(scene));
    return { state: "missing" };
  },
  "a pipe in its place": (scene) => {
    rmSync(at(scene));
    execFileSync("mkfifo", [at(scene)]);
    return { state: "missing" };
  },
  "a link to itself": (scene) => {
    replacedBy(scene, basename(scene.path));
    return { state: "missing" };
  },
  "a link to nothing": (scene) => {
    replacedBy(scene, "not-there");
    return { state: "missing" };
  },
  "a path that climbs out": (scene) => {
    const path = relative(scene.root, twinBeside(scene));
    return { path, state: "outside" };
  },
  "a path that climbs out in the middle": (scene) => {
    const folder = dirname(scene.path);
    return { path: `${folder}/${relative(join(scene.root, folder), twinBeside(scene))}`, state: "outside" };
  },
  "a path that climbs out and in again": (scene) => ({
    path: `../${basename(scene.root)}/${scene.path}`,
    state: "outside",
  }),
  "an absolute path": (scene) => ({ path: at(scene), state: "outside" }),
  "a path with backslashes": (scene) => ({ path: `..\\${basename(scene.beside)}\\x`, state: "outside" }),
  "git's own files": () => ({ path: ".git/config", state: "outside" }),
  "a link that leads out": (scene) => {
    replacedBy(scene, twinBeside(scene));
    return { state: "outside" };
  },
  "a relative link that leads out": (scene) => {
    replacedBy(scene, relative(dirname(at(scene)), twinBeside(scene)));
    return { state: "outside" };
  },
  "a link to a link that leads out": (scene) => {
    const first = join(scene.root, "first-link");
    symlinkSync(twinBeside(scene), first);
    replacedBy(scene, first);
    return { state: "outside" };
  },
  "its folder a link that leads out": (scene) => {
    const folder = dirname(at(scene));
    const elsewhere = join(scene.beside, "folder");
    mkdirSync(elsewhere);
    copyFileSync(at(scene), join(elsewhere, basename(scene.path)));
    rmSync(folder, { recursive: true });
    symlinkSync(elsewhere, folder);
    return { state: "outside" };
  },
  "a link to a device": (scene) => {
    replacedBy(scene, "/dev/zero");
    return { state: "outside" };
  },
  "a link to a sibling whose name begins like the root": (scene) => {
    const sibling = `${scene.root}-twin`;
    mkdirSync(sibling, { recursive: true });
    copyFileSync(at(scene), join(sibling, "file"));
    replacedBy(scene, join(sibling, "file"));
    return { state: "outside" };
  },
  "a short checksum": (scene) => ({ checksum: scene.checksum.slice(7, 19), state: "weak" }),
  "a checksum of another kind": () => ({ checksum: "md5:d41d8cd98f00b204e9800998ecf8427e", state: "weak" }),
  "a short checksum of a deleted file": (scene) => {
    rmSync(at(scene));
    return { checksum: scene.checksum.slice(7, 19), state: "missing" };
  },
};

/** What looks like an error and is none. */
export const harmless: { readonly [name: string]: (scene: Scene) => Said } = {
  "as it was": () => ({ state: "ok" }),
  "the checksum in capitals": ({ checksum }) => ({
    checksum: `sha256:${checksum.slice(7).toUpperCase()}`,
    state: "ok",
  }),
  "the digits alone": ({ checksum }) => ({ checksum: checksum.slice(7), state: "ok" }),
  "written again with the same bytes": (scene) => {
    const bytes = readFileSync(at(scene));
    rmSync(at(scene));
    writeFileSync(at(scene), bytes);
    return { state: "ok" };
  },
  "a link that stays inside": (scene) => {
    const real = join(scene.root, "real-file");
    renameSync(at(scene), real);
    symlinkSync(relative(dirname(at(scene)), real), at(scene));
    return { state: "ok" };
  },
  "a path with dots that stay": ({ path }) => ({ path: `./${path}`, state: "ok" }),
  "other times and modes": (scene) => {
    chmodSync(at(scene), 0o755);
    utimesSync(at(scene), 1, 1);
    return { state: "ok" };
  },
};
