/**
 * The branches of a remote, fetched into a repository of the user's own, away from the clone: a link in the clone's git
 * folder leads nowhere. Nothing in the clone is run or changed: of its configuration only the remote's URL is read, so
 * hooks, credential helpers and programs that somebody wrote into it are not used. Nothing asks a person, and a fetch has
 * a time limit. Source: docs/protocol/verdicts.md, section 9.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Environment, gitAt, noProtocol } from "./git.ts";
import { openRepository, type Repository, type RepositoryOptions } from "./repository.ts";

/** A remote's branches, as of the last fetch. */
export interface RemoteBranches {
  /** The remote's URL without a password. */
  readonly shownUrl: string;
  /** The bare repository that holds them; absolute. */
  readonly directory: string;
  /** Brings them up. Refuses `remote-unreachable` with git's own words, `timed-out`, and what the disk refuses. */
  fetch(): Promise<Result<void, Problem>>;
  /** Opens what was fetched. */
  open(): Promise<Result<Repository, Problem>>;
}

export interface RemoteOptions extends RepositoryOptions {
  /** The remote's name in the clone. */
  readonly remote: string;
  /** The user's own folder, in which the repositories of verifiers lie; absolute. */
  readonly folder: string;
  /** Longest time of one fetch, in milliseconds. */
  readonly fetchMsMax: number;
}

/**
 * The branches of a remote of the clone around `directory` (absolute). Nothing is fetched yet. Refuses what
 * `openRepository` refuses, and `not-found` where the clone has no such remote or its URL is of no kind that is fetched.
 */
export async function remoteBranches(
  directory: string,
  options: RemoteOptions,
): Promise<Result<RemoteBranches, Problem>> {
  const { remote, environment, folder } = options;
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using clone = opened.value;
  const named = await clone.git.run(["config", "--local", "--get", `remote.${remote}.url`], { answers: [0, 1] });
  if (!named.ok) return named;
  const written = named.value.output.toString("utf8").replace(/\n$/, "");
  if (written === "") return err(noRemote(remote, directory));
  const url = urlOf(written, clone.workTree ?? clone.gitDirectory);
  if (url === null) return err(noTransport(remote, written));
  // Two clones of one remote may be verified at once, each by a program that believes nothing of the other's.
  const digest = createHash("sha256").update(`${url}\0${clone.commonDirectory}`).digest("hex").slice(0, 16);
  const own = join(folder, `${digest}.git`);
  const { objectFormat } = clone;
  return ok({
    shownUrl: withoutPassword(url),
    directory: own,
    fetch: () => fetchInto(own, { url, objectFormat, options }),
    open: () => openRepository(own, { environment, ...(options.msMax === undefined ? {} : { msMax: options.msMax }) }),
  });
}

/** Schemes that are fetched. Others start any program (`ext::`), or prove nothing of who answers (`git:`). */
const protocols = "file:https:http:ssh";

/** The URL with a path made absolute; null: nothing of this kind is fetched. */
function urlOf(written: string, base: string): string | null {
  if (/[\0-\x20\x7f]/.test(written) || written.startsWith("-") || written.includes("::")) return null;
  if (/^(?:https?|ssh):\/\/[^-]/.test(written)) return written;
  if (written.startsWith("file://")) return existingPath(() => fileURLToPath(written));
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(written)) return null;
  if (isAbsolute(written)) return written;
  // As git reads it: a colon before any slash names another machine.
  if (/^[^/:-][^/:]*:./.test(written)) return written;
  return resolve(base, written);
}

function existingPath(path: () => string): string | null {
  try {
    return path();
  } catch {
    return null;
  }
}

function withoutPassword(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/@]*@/i, "$1");
}

interface Fetching {
  readonly url: string;
  readonly objectFormat: Repository["objectFormat"];
  readonly options: RemoteOptions;
}

async function fetchInto(own: string, { url, objectFormat, options }: Fetching): Promise<Result<void, Problem>> {
  const { environment, fetchMsMax, clock } = options;
  const git = gitAt({
    directory: own,
    environment,
    own: { GIT_DIR: own, ...reachingEnvironment(environment) },
    msMax: fetchMsMax,
    isApart: true,
    ...(clock === undefined ? {} : { clock }),
  });
  try {
    mkdirSync(own, { recursive: true, mode: 0o700 });
    if (!existsSync(join(own, "HEAD"))) {
      const made = await git.run(["init", "--quiet", "--bare", `--object-format=${objectFormat}`, "--template=", own]);
      if (!made.ok) return made;
    }
    // Nothing that was written here meanwhile counts.
    writeFileSync(join(own, "config"), configOf(objectFormat), { mode: 0o600 });
    for (const name of ["hooks", "shallow", "info", "objects/info/alternates", "refs/remotes", "config.worktree"])
      rmSync(join(own, name), { recursive: true, force: true });
  } catch (problem) {
    return err(unwritable(own, problem));
  }
  // What sends from a folder of this machine fetches nothing itself that its configuration would bring.
  const sender = isAbsolute(url) ? `GIT_ALLOW_PROTOCOL=${noProtocol} git-upload-pack` : "git-upload-pack";
  const fetched = await git.run([...fetchWords, `--upload-pack=${sender}`, "--end-of-options", url, branches]);
  if (fetched.ok) return ok(undefined);
  return fetched.error.code === "repository-unreadable" ? err(unreachable(url, fetched.error)) : fetched;
}

const fetchWords: readonly string[] = [
  "-c",
  "core.askPass=",
  "-c",
  "transfer.bundleURI=false",
  "-c",
  "fetch.fsckObjects=false",
  "fetch",
  "--quiet",
  "--prune",
  "--force",
  "--no-tags",
  "--no-recurse-submodules",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
  "--no-write-commit-graph",
  "--update-head-ok",
];
const branches = "+refs/heads/*:refs/heads/*";

/** The whole configuration of the repository; the person's own (`~/.gitconfig`) counts too, as for the person's fetches. */
function configOf(objectFormat: Repository["objectFormat"]): string {
  const [version, extensions] = objectFormat === "sha256" ? [1, "[extensions]\n\tobjectFormat = sha256\n"] : [0, ""];
  return `[core]\n\trepositoryformatversion = ${version}\n\tfilemode = true\n\tbare = true\n${extensions}`;
}

/** What a fetch needs of the environment in addition to what every call of git gets. */
const reaching: readonly string[] = [
  "SSH_AUTH_SOCK",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [name, name.toUpperCase()]),
];

function reachingEnvironment(environment: Environment): Environment {
  const kept = Object.entries(environment).filter(([name]) => reaching.includes(name));
  return {
    ...Object.fromEntries(kept),
    GIT_ALLOW_PROTOCOL: protocols,
    // Helpers that could open a window are asked not to.
    GCM_INTERACTIVE: "never",
    SSH_ASKPASS_REQUIRE: "never",
  };
}

function noRemote(remote: string, directory: string): Problem {
  return makeProblem("not-found", remote, `The repository around ${directory} has no remote of this name.`, {
    received: remote,
    hint: "`git remote` lists them; name one with --remote.",
  });
}

function noTransport(remote: string, url: string): Problem {
  return makeProblem("wrong-value", remote, "The remote's URL is of no kind that a verifier fetches.", {
    expected: "https://, ssh://, user@host:path, file:// or a path",
    received: withoutPassword(url).slice(0, 200).toWellFormed(),
    hint: "Add a remote with such a URL, and name it with --remote.",
  });
}

function unreachable(url: string, { message }: Problem): Problem {
  const words = message.replace(/^The repository cannot be read: /, "").replaceAll(url, withoutPassword(url));
  return makeProblem("repository-unreadable", withoutPassword(url), `The remote cannot be fetched: ${words}`, {
    hint: "Run `git ls-remote` with the same URL: it must work without a question. Nothing is judged until then.",
  });
}

function unwritable(own: string, problem: unknown): Problem {
  const words = problem instanceof Error ? problem.message : String(problem);
  return makeProblem("repository-unreadable", own, `What is fetched cannot be kept here: ${words}.`, {
    hint: "Let the verifier's user write into its own folder, or name another one with XDG_STATE_HOME.",
  });
}
