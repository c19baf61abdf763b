/**
 * The branches of a clone's `origin`, brought into the clone as `git fetch` brings them. Of the clone's configuration only
 * the remote's URL is read: the network is asked from a repository that lasts as long as the fetch, so hooks, credential
 * helpers and programs that somebody wrote into the clone are not run. Nothing asks a person, and a fetch has a time limit.
 * Source: docs/protocol/verdicts.md, section 9.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Environment, gitAt, noProtocol } from "./git.ts";
import { openRepository, type Repository, type RepositoryOptions } from "./repository.ts";

const remote = "origin";

/** Longest time in which the remote is asked, in milliseconds. */
const fetchMsMax = 30_000;

/**
 * Fetches into the clone around `directory` (absolute) until `signal` aborts. Refuses what `openRepository` refuses,
 * `not-found` where the clone has no such remote, `wrong-value` where its URL is of no kind that is fetched,
 * `repository-unreadable` with git's own words, and `timed-out`.
 */
export async function fetchRemote(
  directory: string,
  { signal, ...options }: RepositoryOptions & { readonly signal: AbortSignal },
): Promise<Result<void, Problem>> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened;
  await using clone = opened.value;
  const named = await clone.git.run(["config", "--local", "--get", `remote.${remote}.url`], { answers: [0, 1] });
  if (!named.ok) return named;
  const written = named.value.output.toString("utf8").replace(/\n$/, "");
  if (written === "") return err(makeProblem("not-found", remote, `${directory} has no remote of this name.`));
  const url = urlOf(written, clone.workTree ?? clone.gitDirectory);
  if (url === null) return err(noTransport(written));
  const own = mkdtempSync(join(tmpdir(), "baton-fetch-"));
  try {
    const tips = await fetchInto(own, clone, url, { ...options, signal });
    if (!tips.ok) return tips;
    // Nothing is fetched in the clone itself, whose configuration could name a program for it.
    const moved = await clone.git.run(["update-ref", "--no-deref", "--stdin"], { input: tips.value });
    return moved.ok ? ok(undefined) : moved;
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
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

/**
 * Fetches into a new repository that has the clone's objects, so only what is new is sent. Answers the words that bring the
 * branches of the clone's remote up.
 */
async function fetchInto(
  own: string,
  { objectFormat, commonDirectory, git: clone }: Repository,
  url: string,
  { environment, clock, signal }: RepositoryOptions & { readonly signal: AbortSignal },
): Promise<Result<string, Problem>> {
  const git = gitAt({
    directory: own,
    environment,
    own: { GIT_DIR: own, GIT_OBJECT_DIRECTORY: join(commonDirectory, "objects"), ...reachingEnvironment(environment) },
    msMax: fetchMsMax,
    isApart: true,
    signal,
    ...(clock === undefined ? {} : { clock }),
  });
  const made = await git.run(["init", "--quiet", "--bare", `--object-format=${objectFormat}`, "--template=", own]);
  if (!made.ok) return made;
  const here = await clone.run([
    "for-each-ref",
    "--format=%(objectname) refs/here/%(refname)",
    "refs/heads",
    "refs/remotes",
  ]);
  if (!here.ok) return here;
  writeFileSync(join(own, "packed-refs"), here.value.output);
  const fetched = await git.run([...fetchFrom(url), "+refs/heads/*:refs/heads/*"]);
  if (!fetched.ok)
    return fetched.error.code === "repository-unreadable" ? err(unreachable(url, fetched.error)) : fetched;
  const words = `--format=update refs/remotes/${remote}/%(refname:lstrip=2) %(objectname)`;
  const tips = await git.run(["for-each-ref", words, "refs/heads"]);
  return tips.ok ? ok(tips.value.output.toString("utf8")) : tips;
}

function fetchFrom(url: string): readonly string[] {
  // What sends from a folder of this machine fetches nothing itself that its configuration would bring.
  const sender = isAbsolute(url) ? `GIT_ALLOW_PROTOCOL=${noProtocol} git-upload-pack` : "git-upload-pack";
  return [...fetchWords, `--upload-pack=${sender}`, "--end-of-options", url];
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
  "--force",
  "--no-tags",
  "--no-recurse-submodules",
  "--no-write-fetch-head",
  "--no-auto-maintenance",
  "--no-write-commit-graph",
  "--update-head-ok",
];

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

function noTransport(url: string): Problem {
  return makeProblem("wrong-value", remote, "The remote's URL is of no kind that a hub fetches.", {
    expected: "https://, ssh://, user@host:path, file:// or a path",
    received: withoutPassword(url).slice(0, 200).toWellFormed(),
    hint: `Run \`git fetch ${remote}\` in the hub's clone yourself.`,
  });
}

function unreachable(url: string, { message }: Problem): Problem {
  const words = message.replace(/^The repository cannot be read: /, "").replaceAll(url, withoutPassword(url));
  return makeProblem("repository-unreadable", withoutPassword(url), `The remote cannot be fetched: ${words}`, {
    hint: "Run `git ls-remote` with the same URL: it must work without a question.",
  });
}
