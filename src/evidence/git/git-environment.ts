/**
 * The surroundings in which git is run: nothing that a repository, an agent or a calling hook could use to start another
 * program, reach a network, wait for a person, or make git see other objects than those that are named by their content.
 * The operator's own global configuration stays in force where it says which repositories are trusted
 * (`safe.directory`); what matters to our questions is fixed here, above it.
 */
import { devNull } from "node:os";
import { delimiter, isAbsolute } from "node:path";

/** Variables of a process. */
export type Environment = Readonly<Record<string, string>>;

/** What git and the machine need to run at all. Everything else, git's own variables first, is left behind. */
const kept: ReadonlySet<string> = new Set([
  "HOME",
  "XDG_CONFIG_HOME",
  "USER",
  "LOGNAME",
  "TMPDIR",
  "USERPROFILE",
  "HOMEDRIVE",
  "HOMEPATH",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
]);

const fixed: Environment = {
  LC_ALL: "C",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "",
  GIT_PAGER: "cat",
  // An empty list of protocols: no fetch, not even one that a promisor remote would start by itself.
  GIT_ALLOW_PROTOCOL: "",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_GRAFT_FILE: devNull,
  GIT_ATTR_NOSYSTEM: "1",
};

/** Options before the subcommand: what a repository's own configuration may not decide. */
export const gitOptions: readonly string[] = [
  "--no-pager",
  "--literal-pathspecs",
  "-c",
  `core.hooksPath=${devNull}`,
  "-c",
  "core.fsmonitor=false",
  "-c",
  // A graph on the disk says what it likes of parents and trees.
  "core.commitGraph=false",
  "-c",
  `core.attributesFile=${devNull}`,
  "-c",
  "core.quotePath=false",
  "-c",
  "core.pager=cat",
  "-c",
  "protocol.allow=never",
  "-c",
  "submodule.recurse=false",
  "-c",
  "log.showSignature=false",
  "-c",
  "diff.external=",
  "-c",
  "gc.auto=0",
  "-c",
  "maintenance.auto=false",
];

/**
 * The environment for git, from that of this process. Relative folders are taken out of the search path, because git
 * runs inside the repository and a program that lies there must not stand in for another.
 */
export function gitEnvironment(environment: Environment): Environment {
  const own = Object.entries(environment).filter(([name]) => kept.has(name.toUpperCase()));
  const path = Object.entries(environment).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder));
  return { ...Object.fromEntries(own), PATH: folders.join(delimiter), ...fixed };
}
