#!/usr/bin/env node
/**
 * Verifies a receipt of Baton without Baton: with Node (18 or newer) and git, offline, in any clone of the repository.
 *
 *   node verify.mjs RECEIPT --key KEY [--commit ID] [--repository DIR] [--json]
 *
 * RECEIPT is a file, or - for standard input. KEY is a file with one or more public keys in PEM, or REVISION:PATH, such as
 * main:.baton/receipt.pub: take it from a branch that you trust, never from the one that is to be proven. With --commit the
 * receipt must speak of that commit.
 *
 * Exits 0 proven, 2 contradicted, 5 cannot say, 64 wrong usage. "proven" is what this computed itself, from the signature
 * and from git; "believed" is what the owner of the key says.
 */
import { spawnSync } from "node:child_process";
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync, realpathSync } from "node:fs";
import { devNull } from "node:os";
import { pathToFileURL } from "node:url";

const bytesMax = 16 * 1024 * 1024;
const payloadType = "application/vnd.in-toto+json";

class Ended extends Error {
  constructor(code, text) {
    super(text);
    this.code = code;
  }
}
const contradicted = (text) => new Ended(2, text);
const unknown = (text) => new Ended(5, text);
const usage = (text) => new Ended(64, text);

/** Git without anything that a repository could use to show other objects, to start a program, or to reach a network. */
function git(directory, words, answers = [0]) {
  const { PATH, HOME, SYSTEMROOT, TEMP, TMP } = process.env;
  const kept = Object.entries({ PATH, HOME, SYSTEMROOT, TEMP, TMP }).filter(([, value]) => value !== undefined);
  const env = {
    ...Object.fromEntries(kept),
    LC_ALL: "C",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_GRAFT_FILE: devNull,
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
  };
  const options = [
    "--no-pager",
    "--literal-pathspecs",
    "-c",
    `core.hooksPath=${devNull}`,
    "-c",
    "core.fsmonitor=false",
  ];
  const done = spawnSync("git", [...options, ...words], { cwd: directory, env, maxBuffer: 1 << 28, timeout: 60_000 });
  if (done.error !== undefined) throw unknown(`git cannot be asked: ${done.error.message}`);
  if (!answers.includes(done.status)) throw unknown(`git ${words[0]} has no answer: ${String(done.stderr).trim()}`);
  return { code: done.status, text: done.stdout.toString("utf8") };
}

function read(file) {
  let bytes;
  try {
    bytes = readFileSync(file === "-" ? 0 : file);
  } catch (cause) {
    throw unknown(`${file} cannot be read: ${cause.message}`);
  }
  if (bytes.length > bytesMax) throw contradicted(`${file} is too large for a receipt`);
  return bytes.toString("utf8");
}

function keysFrom(source, directory) {
  const isOfGit = /^[^:/\\-][^:]+:[^\\/:]/.test(source);
  const words = ["cat-file", "blob", source];
  return keysIn(isOfGit ? git(directory, words, [0, 128]).text : read(source), source);
}

function keysIn(text, source) {
  const pems = text.match(/-----BEGIN PUBLIC KEY-----[A-Za-z0-9+/=\s]+-----END PUBLIC KEY-----/g) ?? [];
  if (pems.length === 0) throw unknown(`there is no public key in ${source}`);
  return pems.map((pem) => {
    try {
      const key = createPublicKey(pem);
      if (key.asymmetricKeyType !== "ed25519") throw new Error("it is of another kind");
      const digest = createHash("sha256")
        .update(key.export({ type: "spki", format: "der" }))
        .digest("hex");
      return { id: `ed25519:${digest.slice(0, 32)}`, key };
    } catch (cause) {
      throw unknown(`a key in ${source} cannot be read: ${cause.message}`);
    }
  });
}

/** What the envelope holds, where one of the keys signed exactly that. */
function openEnvelope(text, keys, say) {
  let envelope;
  try {
    envelope = JSON.parse(text);
  } catch {
    throw contradicted("it is no receipt: not JSON");
  }
  const { payload, signatures } = envelope ?? {};
  if (envelope?.payloadType !== payloadType) throw contradicted("it is no receipt: another type of payload");
  if (typeof payload !== "string" || !Array.isArray(signatures)) throw contradicted("it is no receipt: no signature");
  const body = Buffer.from(payload, "base64");
  const framed = Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${body.length} `), body]);
  const by = keys.find(({ id, key }) =>
    signatures.some((each) => {
      const isMeant = each?.keyid === id && typeof each.sig === "string";
      return isMeant && verify(null, framed, key, Buffer.from(each.sig, "base64"));
    }),
  );
  if (by === undefined) throw contradicted("none of the keys signed it");
  say("proven", `signed by ${by.id}`);
  return statementIn(body);
}

const isId = (text) => typeof text === "string" && /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** The statement, which has the form of a receipt and does not contradict itself. */
function statementIn(body) {
  const statement = JSON.parse(body.toString("utf8"));
  const { _type, subject, predicateType, predicate: told } = statement ?? {};
  if (_type !== "https://in-toto.io/Statement/v1") throw contradicted("it is no in-toto statement");
  if (predicateType !== "https://batonhq.dev/receipt/v1") throw contradicted("it is no receipt of this form");
  const { commits, files, checks, landed } = told ?? {};
  if (!Array.isArray(commits) || commits.length === 0 || !commits.every(isId))
    throw contradicted("it names no commits");
  const named = Array.isArray(subject) ? subject.map((each) => each?.digest?.gitCommit) : [];
  if (named.join() !== commits.join()) throw contradicted("its subject is not the commits that it speaks of");
  if (told.verdict?.state !== "verified") throw contradicted("it says itself that the work is not verified");
  if (files !== null && !(Array.isArray(files) && files.every((each) => typeof each?.path === "string")))
    throw contradicted("it lists no files");
  if (checks !== null && !(Array.isArray(checks) && checks.every((each) => isId(each?.commit) && isId(each?.tree))))
    throw contradicted("its checks name no commit");
  const landing = landed?.checks ?? [];
  if (!Array.isArray(landing) || !landing.every((each) => isId(each?.commit) && isId(each?.tree)))
    throw contradicted("the checks of its landing name no commit");
  const failed = [...(checks ?? []), ...landing].find(({ exit }) => exit !== 0);
  if (failed !== undefined) throw contradicted(`it says itself that a check did not pass: ${failed.command}`);
  if (landed !== null && !isId(landed?.commit)) throw contradicted("it names no commit that landed");
  return told;
}

/* What git itself shows. */

const names = (text) => text.split("\0").filter((name) => name !== "");

function isHere(directory, id) {
  return git(directory, ["cat-file", "-t", id], [0, 128]).text.trim() === "commit";
}

/** Paths that a commit changes: against all its parents (its own), and against any of them. */
function changedBy(directory, commit) {
  // The commit's own words name its parents, whatever cuts off history here.
  const [head] = git(directory, ["cat-file", "commit", commit]).text.split("\n\n", 1);
  const parents = [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, id]) => id);
  const absent = parents.find((id) => !isHere(directory, id));
  if (absent !== undefined) throw unknown(`the commit ${absent} is not here: fetch the whole history`);
  const list = ["diff-tree", "-r", "--no-commit-id", "--no-renames", "--ignore-submodules=none", "-z", "--name-only"];
  const sides = parents.length === 0 ? [["--root", commit]] : parents.map((id) => [id, commit]);
  const changes = sides.map((side) => names(git(directory, [...list, ...side]).text));
  const own = changes.reduce((some, others) => some.filter((path) => others.includes(path)));
  return { parents, own, all: changes.flat() };
}

/** Mode and id of what is at a path; null: nothing. */
function contentAt(directory, commit, path) {
  const [line = ""] = names(git(directory, ["ls-tree", "-z", "--full-tree", commit, "--", path]).text);
  return line === "" ? null : (line.split("\t")[0]?.split(" ")[2] ?? null);
}

function compareFiles(directory, { commits, files }, say) {
  if (files === null) throw unknown("the work has more files than a receipt lists");
  const listed = new Set(files.map(({ path }) => path));
  const last = new Map();
  const first = new Map();
  for (const commit of commits) {
    const { parents, own, all } = changedBy(directory, commit);
    for (const path of all) last.set(path, commit);
    for (const path of own) if (!first.has(path)) first.set(path, parents[0] ?? null);
  }
  const missing = files.find(({ path }) => !last.has(path));
  if (missing !== undefined) throw contradicted(`its commits do not change ${JSON.stringify(missing.path)}`);
  for (const [path, before] of first) {
    if (listed.has(path)) continue;
    // What one commit brings and a later one takes back is no work.
    const was = before === null ? null : contentAt(directory, before, path);
    if (was !== contentAt(directory, last.get(path), path))
      throw contradicted(`its commits change ${JSON.stringify(path)}, which it does not list`);
  }
  for (const { path, content } of files)
    if (content !== undefined && contentAt(directory, last.get(path), path) !== content)
      throw contradicted(`${JSON.stringify(path)} has another content than it says`);
  say("proven", `${commits.length} commit(s) change exactly the ${files.length} file(s) that it lists`);
}

function compareLanded(directory, { commits, files, landed }, areHere, say) {
  if (landed === null) return say("believed", "the work had not landed when the receipt was made");
  if (!isHere(directory, landed.commit))
    throw unknown(`the commit ${landed.commit} is not here: fetch ${landed.branch}`);
  const isBelow = (id) => git(directory, ["merge-base", "--is-ancestor", id, landed.commit], [0, 1]).code === 0;
  const isSame = ({ path, content }) => content !== undefined && contentAt(directory, landed.commit, path) === content;
  if (areHere && commits.every(isBelow)) return say("proven", `${landed.commit} (${landed.branch}) has the commits`);
  if (files?.every(isSame))
    return say("proven", `${landed.commit} (${landed.branch}) has the files as the work left them`);
  if (!areHere) throw unknown(`its commits are not here, and ${landed.commit} has other work in the same files`);
  return say("believed", `it landed with ${landed.commit} (${landed.branch})`);
}

function compareChecks(directory, { checks, landed }, say) {
  const compare = ({ command, commit, tree, sandbox }, isOfLanding) => {
    const isThere = isHere(directory, commit);
    if (!isThere && isOfLanding) throw unknown(`the commit ${commit} is not here: fetch ${landed.branch}`);
    const actual = isThere ? git(directory, ["rev-parse", `${commit}^{tree}`]).text.trim() : null;
    if (actual !== null && actual !== tree) throw contradicted(`the check ran on another tree than that of ${commit}`);
    if (isOfLanding && git(directory, ["merge-base", "--is-ancestor", landed.commit, commit], [0, 1]).code !== 0)
      throw contradicted(`the checks of its landing ran on ${commit}, which does not have what landed`);
    say("believed", `${command} passed on ${isOfLanding ? `what landed, ${commit}` : commit} (sandbox: ${sandbox})`);
  };
  for (const each of checks ?? []) compare(each, false);
  for (const each of landed?.checks ?? []) compare(each, true);
  if (landed?.checks !== undefined)
    say("proven", "the checks of its landing ran on the tree of the commit that landed");
  if (checks === null && landed?.checks === undefined) say("believed", "no check had run when the receipt was made");
}

/** What is found of a receipt: the exit code, the result, and what was proven or is believed. */
export function verifyReceipt(words) {
  const given = { "--key": undefined, "--pem": undefined, "--commit": undefined, "--repository": process.cwd() };
  let file;
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] in given && words[at + 1] !== undefined) given[words[at]] = words[++at];
    else file = file === undefined ? words[at] : "";
  }
  const { "--key": source, "--pem": pem, "--commit": wanted, "--repository": directory } = given;
  const found = [];
  const say = (what, text) => found.push({ what, text });
  let [code, why, task] = [0, null, null];
  try {
    if (!file || (source ?? pem) === undefined)
      throw usage("node verify.mjs RECEIPT --key KEY [--commit ID] [--repository DIR] [--json]");
    const told = openEnvelope(read(file), pem === undefined ? keysFrom(source, directory) : keysIn(pem, "--pem"), say);
    if (wanted !== undefined && !told.commits.includes(wanted)) throw contradicted(`it does not speak of ${wanted}`);
    const absent = told.commits.find((each) => !isHere(directory, each));
    if (absent === undefined) compareFiles(directory, told, say);
    else if (told.landed === null) throw unknown(`the commit ${absent} is not here: fetch its branch`);
    compareLanded(directory, told, absent === undefined, say);
    compareChecks(directory, told, say);
    task = told.task?.id ?? null;
    say("believed", `${told.task?.by} did task ${task}, and the record verified it (entry ${told.verdict.entry})`);
    for (const { id, by, approved } of told.approvals ?? [])
      say("believed", `${by} ${approved ? "approved" : "denied"} ${id}`);
  } catch (cause) {
    code = cause instanceof Ended ? cause.code : 2;
    why = cause instanceof Ended ? cause.message : `it cannot be read: ${cause.message}`;
  }
  const result = { 0: "proven", 2: "contradicted", 5: "cannot say" }[code] ?? "wrong usage";
  return { code, result, why, task, found };
}

/** As lines for people. What they quote is somebody's: nothing of it acts on a terminal. */
export function linesOf({ result, why, task, found }) {
  const lines = [...found.map(({ what, text }) => `${what}  ${text}`), `${result}: ${why ?? `task ${task}`}`];
  return lines.map((line) => line.replace(/[\p{C}\u2028\u2029]/gu, "?"));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  const words = process.argv.slice(2).filter((word) => word !== "--json");
  const { code, ...told } = verifyReceipt(words);
  const isJson = process.argv.includes("--json");
  process.stdout.write(`${isJson ? JSON.stringify(told) : linesOf(told).join("\n")}\n`);
  process.exitCode = code;
}
