/** Projects for tests of agent programs: a repository, a home folder, and a PATH with what a test puts there. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { folder } from "./command.ts";

export interface Place {
  readonly root: string;
  readonly home: string;
  /** The folder on the PATH. */
  readonly bin: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** A folder that a repository begins in, and these commands on the PATH; each writes its words into `said`. */
export function project(...commands: readonly string[]): Place {
  const [root, home, bin] = [folder(), folder(), folder()];
  mkdirSync(join(root, ".git"));
  const variables = { HOME: home, CODEX_HOME: join(home, ".codex"), PATH: `${bin}:/usr/bin:/bin` };
  for (const name of commands) onPath(bin, name, `echo "${name} $*" >> '${home}/said'`);
  return { root, home, bin, variables };
}

/** A command on the PATH. */
export function onPath(bin: string, name: string, line: string): void {
  const file = put(bin, name, `#!/bin/sh\n${line}\n`);
  chmodSync(file, 0o755);
}

/** Writes a file, with its folders. */
export function put(directory: string, path: string, text: string): string {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Lines of a stand-in for Codex that says which hooks it finds, as its server does. */
export function listingHooks(hooks: readonly object[]): string {
  const listed = JSON.stringify({ id: 1, result: { data: [{ hooks }] } });
  return `case "$*" in *app-server)
  while read -r asked; do case "$asked" in
    *'"initialize"'*) echo '{"id":0,"result":{}}';;
    *hooks/list*) echo '${listed}';;
  esac; done; exit;;
esac
`;
}
