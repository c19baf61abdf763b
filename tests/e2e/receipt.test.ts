/** A receipt of verified work: signed, recomputed from git without Baton, and refused where it was forged. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runBaton } from "../http/process.ts";
import { called, calledWithCode } from "./called.ts";
import { environment, folder, jsonLines, team } from "./command.ts";
import { commit, done, passes, stage } from "./gate-place.ts";

const examples = join(import.meta.dirname, "../../examples/receipt");

/** A shop whose dev-1 has done a task of two commits; its receipts are signed with a key of this place's own. */
async function shop(settings = "") {
  const [directory, config] = [team(), folder()];
  appendFileSync(join(directory, ".baton/team.yaml"), settings);
  writeFileSync(join(directory, ".baton/.gitignore"), "*\n!receipt.pub\n");
  done(directory, "init", "--quiet", "-b", "main");
  stage(directory, "src/a.js", "one\n");
  passes(commit(directory, null));
  done(directory, "switch", "--quiet", "-c", "work");
  await calledWithCode(0, directory, [
    "task",
    "add",
    "--plan",
    "1-1",
    "--title",
    "Totals",
    "--files",
    "src/",
    "1-1-T1",
  ]);
  await calledWithCode(0, directory, ["task", "claim", "1-1-T1", "--as", "dev-1"]);
  stage(directory, "src/a.js", "two\n");
  stage(directory, "src/été 1.js", "new\n");
  passes(commit(directory, "dev-1", "-m", "Baton-Task: 1-1-T1"));
  done(directory, "rm", "--quiet", "src/a.js");
  passes(commit(directory, "dev-1", "-m", "Baton-Task: 1-1-T1"));
  const commits = done(directory, "rev-list", "--reverse", "main..work").trim().split("\n");
  const call = (...words: string[]) => called(directory, words, "", { XDG_CONFIG_HOME: config });
  await calledWithCode(0, directory, ["task", "complete", "1-1-T1", "--commit", commits.join(), "--as", "dev-1"]);
  const receipt = async () => {
    const told = await call("receipt", "1-1-T1");
    assert.equal(told.code, 0, told.said);
    return JSON.parse(told.stdout) as Envelope;
  };
  const key = join(config, "baton/receipt.key");
  return { directory, config, commits, call, receipt, key };
}

interface Envelope {
  readonly payloadType: string;
  readonly payload: string;
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[];
}

/** As receipts are, for a forger who writes anything into it. */
interface Statement {
  readonly subject: { digest: { gitCommit: string } }[];
  readonly predicate: {
    readonly task: { title: string };
    readonly files: { path: string; content?: string | null }[];
    readonly verdict: { state: string };
    checks: object[] | null;
    readonly landed: object | null;
  };
}

const statementOf = ({ payload }: Envelope) => JSON.parse(Buffer.from(payload, "base64").toString()) as Statement;

/** What is found by the file that needs no Baton, run as a program in `directory`. */
function verified(directory: string, envelope: unknown, ...words: readonly string[]) {
  const input = typeof envelope === "string" ? envelope : JSON.stringify(envelope);
  const run = spawnSync(process.execPath, [join(examples, "verify.mjs"), "-", ...words], {
    cwd: directory,
    encoding: "utf8",
    env: environment(),
    input,
  });
  return { code: run.status, said: run.stdout + run.stderr };
}

/** The statement, changed, and signed as the key's owner signs. */
function forged(
  envelope: Envelope,
  key: KeyObject,
  change: (statement: Statement) => void,
  type = envelope.payloadType,
) {
  const statement = statementOf(envelope);
  change(statement);
  const body = Buffer.from(JSON.stringify(statement));
  const framed = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${body.length} `), body]);
  const sig = sign(null, framed, key).toString("base64");
  const [{ keyid } = { keyid: "" }] = envelope.signatures;
  return { payloadType: type, payload: body.toString("base64"), signatures: [{ keyid, sig }] };
}

test("a receipt is verified in a clone without Baton's record, and says what is not known yet by null", async () => {
  const { directory, commits, call, receipt, key } = await shop();
  const envelope = await receipt();
  assert.equal(statSync(key).mode & 0o777, 0o600);
  const { subject, predicate } = statementOf(envelope);
  assert.deepEqual(
    subject.map(({ digest }) => digest.gitCommit),
    commits,
  );
  assert.deepEqual(predicate.task, { id: "1-1-T1", title: "Totals", plan: "1-1", by: "dev-1" });
  assert.deepEqual([predicate.checks, predicate.landed], [null, null]);
  assert.deepEqual(
    predicate.files.map(({ path, content }) => [path, content === null]),
    [
      ["src/a.js", true],
      ["src/été 1.js", false],
    ],
  );
  done(directory, "add", "--force", ".baton/receipt.pub");
  passes(commit(directory, null));
  const clone = folder();
  done(clone, "clone", "--quiet", directory, "shop");
  const place = join(clone, "shop");
  const found = verified(place, envelope, "--key", "HEAD:.baton/receipt.pub", "--commit", commits[1] ?? "");
  assert.equal(found.code, 0, found.said);
  assert.match(found.said, /proven {2}2 commit\(s\) change exactly the 2 file\(s\)/);

  writeFileSync(join(directory, "r.json"), JSON.stringify(envelope));
  const own = await call("receipt", "--verify", "r.json", "--json");
  assert.deepEqual([own.code, jsonLines(own)[0]?.result], [0, "proven"], own.said);
  const named = await runBaton(directory, ["receipt", "--verify", "r.json", "--key", ".baton/receipt.pub", "--json"]);
  assert.equal(named.code, 0, named.stderr);
  // Where it landed is known once somebody has looked.
  done(directory, "switch", "--quiet", "main");
  done(directory, "merge", "--quiet", "--no-ff", "-m", "by hand", "work");
  passes({ ...(await call("verify")), status: 0 } as never);
  const later = await receipt();
  const merge = done(directory, "rev-parse", "main").trim();
  assert.deepEqual(statementOf(later).predicate.landed, { branch: "main", commit: merge });
  assert.match(
    verified(directory, later, "--key", ".baton/receipt.pub").said,
    /proven {2}\w+ \(main\) has the commits/,
  );
});

test("forged in a dozen ways, and refused each time", async () => {
  const { directory, receipt, key } = await shop();
  const envelope = await receipt();
  const own = createPrivateKey(readFileSync(key, "utf8"));
  const other = generateKeyPairSync("ed25519").privateKey;
  const first = done(directory, "rev-parse", "main").trim();
  const pub = join(directory, ".baton/receipt.pub");
  const [signature] = envelope.signatures;
  assert.ok(signature !== undefined);
  const ways: readonly (readonly [string, unknown, RegExp])[] = [
    ["another key", forged(envelope, other, () => undefined), /none of the keys signed it/],
    [
      "another title",
      { ...envelope, payload: forged(envelope, own, (s) => (s.predicate.task.title = "x")).payload },
      /none/,
    ],
    ["no signature", { ...envelope, signatures: [] }, /none/],
    ["another type", forged(envelope, own, () => undefined, "application/json"), /another type/],
    [
      "another subject",
      forged(envelope, own, (s) => Object.assign(s.subject[0]?.digest ?? {}, { gitCommit: first })),
      /its subject is not/,
    ],
    ["a file less", forged(envelope, own, (s) => s.predicate.files.pop()), /"src\/été 1.js", which it does not list/],
    ["a file more", forged(envelope, own, (s) => s.predicate.files.push({ path: "x" })), /do not change "x"/],
    [
      "another content",
      forged(envelope, own, (s) => Object.assign(s.predicate.files[1] ?? {}, { content: first })),
      /another content/,
    ],
    ["a disputed report", forged(envelope, own, (s) => (s.predicate.verdict.state = "disputed")), /not verified/],
    [
      "a check of another tree",
      forged(envelope, own, (s) => {
        s.predicate.checks = [{ command: "npm test", exit: 0, commit: first, tree: first, sandbox: "none" }];
      }),
      /another tree/,
    ],
    [
      "a red check",
      forged(envelope, own, (s) => {
        s.predicate.checks = [{ command: "npm test", exit: 1, commit: first, tree: first, sandbox: "none" }];
      }),
      /did not pass: npm test/,
    ],
  ];
  for (const [way, each, why] of ways) {
    const found = verified(directory, each, "--key", pub);
    assert.equal(found.code, 2, `${way}: ${found.said}`);
    assert.match(found.said, why, way);
  }
  const replayed = verified(directory, envelope, "--key", pub, "--commit", first);
  assert.deepEqual([replayed.code, /does not speak of/.test(replayed.said)], [2, true]);
  for (const text of ["", "{", "null", "[]", `{"payloadType":"application/vnd.in-toto+json"}`])
    assert.equal(verified(directory, text, "--key", pub).code, 2, text);
});

test("what git cannot show is not said: no commits, no whole history, no key", async () => {
  const { directory, receipt, call } = await shop();
  const envelope = await receipt();
  const pub = join(directory, ".baton/receipt.pub");
  const [empty, shallow] = [folder(), folder()];
  done(empty, "init", "--quiet");
  done(shallow, "clone", "--quiet", "--depth", "2", "--branch", "work", `file://${directory}`, "shop");
  for (const [place, why] of [
    [empty, /is not here: fetch its branch/],
    [join(shallow, "shop"), /fetch the whole history/],
    [folder(), /is not here|no answer/],
  ] as const) {
    const found = verified(place, envelope, "--key", pub);
    assert.equal(found.code, 5, found.said);
    assert.match(found.said, why);
  }
  // Another commit under the same name: git's replacements are the repository's word, not the commit.
  done(directory, "replace", "work", "main");
  assert.equal(verified(directory, envelope, "--key", pub).code, 0);
  assert.equal(verified(directory, envelope, "--key", "HEAD:.baton/none.pub").code, 5);
  assert.equal(verified(directory, envelope).code, 64);
  writeFileSync(join(directory, "r.json"), JSON.stringify(envelope));
  const keyless = await called(directory, ["receipt", "--verify", "r.json"], "", { XDG_CONFIG_HOME: folder() });
  assert.deepEqual([keyless.code, /--key main:/.test(keyless.said)], [64, true], keyless.said);
  const mixed = await call("receipt", "1-1-T1", "--key", "x");
  assert.equal(mixed.code, 64, mixed.said);
});

test("only verified work has a receipt, and only a key that is the user's alone signs it", async () => {
  const { directory, config, key, call, receipt } = await shop();
  await calledWithCode(0, directory, ["task", "add", "--plan", "1-1", "--files", "x/", "1-1-T2"]);
  const open = await call("receipt", "1-1-T2");
  assert.deepEqual([open.code, /baton verify 1-1-T2/.test(open.said)], [2, true], open.said);
  assert.equal((await call("receipt", "1-1-T9")).code, 3);
  await receipt();
  const pub = readFileSync(join(directory, ".baton/receipt.pub"), "utf8");
  const secret = readFileSync(key, "utf8");
  const broken: readonly (() => void)[] = [
    () => writeFileSync(key, "no key", { mode: 0o600 }),
    () =>
      writeFileSync(
        key,
        generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({ type: "pkcs8", format: "pem" }),
        { mode: 0o600 },
      ),
    () => symlinkSync(join(directory, "elsewhere"), key),
    () => writeFileSync(key, secret, { mode: 0o644 }),
  ];
  for (const breaks of broken) {
    rmSync(key, { force: true });
    breaks();
    const told = await call("receipt", "1-1-T1");
    assert.deepEqual([told.code === 0, told.stdout], [false, ""], told.said);
    assert.match(told.said, /settings-file/);
    assert.doesNotMatch(told.said, /PRIVATE/);
  }
  assert.equal(readFileSync(join(directory, ".baton/receipt.pub"), "utf8"), pub);
  // A lost key: the next receipt has a new one, and both stay known.
  rmSync(config, { recursive: true });
  const renewed = await receipt();
  assert.equal(readFileSync(join(directory, ".baton/receipt.pub"), "utf8").match(/BEGIN PUBLIC KEY/g)?.length, 2);
  assert.equal(verified(directory, renewed, "--key", ".baton/receipt.pub").code, 0);
});

test("a pull request passes when each commit of an agent has a receipt, by the key of the branch it is for", async () => {
  const { directory, call } = await shop();
  const ci = folder();
  for (const file of ["verify.mjs", "pr-check.sh"]) copyFileSync(join(examples, file), join(ci, file));
  const bin = join(ci, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const check = (place: string) => {
    const env = environment({ PATH: `${bin}:${process.env.PATH}` });
    const run = spawnSync("sh", [join(ci, "pr-check.sh"), "origin/main", "origin/work"], {
      cwd: place,
      encoding: "utf8",
      env,
    });
    return { code: run.status, said: run.stdout + run.stderr };
  };
  const kept = await call("receipt", "--note");
  assert.deepEqual([kept.code, kept.stdout], [0, ""], kept.said);
  assert.equal((await call("receipt", "--note")).code, 0, "again");
  done(directory, "switch", "--quiet", "main");
  done(directory, "add", "--force", ".baton/receipt.pub");
  passes(commit(directory, null));
  done(directory, "switch", "--quiet", "work");
  stage(directory, "mine.txt", "mine");
  passes(commit(directory, null));
  const clone = folder();
  done(clone, "clone", "--quiet", directory, "shop");
  const place = join(clone, "shop");
  const passed = check(place);
  assert.equal(passed.code, 0, passed.said);
  assert.deepEqual(passed.said.match(/ (proven|person) /g), [" proven ", " proven ", " person "]);

  stage(directory, "src/b.js", "unproven");
  passes(commit(directory, "dev-1", "-m", "Baton-Task: 1-1-T2"));
  done(place, "fetch", "--quiet");
  const stopped = check(place);
  assert.equal(stopped.code, 1, stopped.said);
  assert.match(stopped.said, /an agent's commit without a receipt/);
  assert.ok(existsSync(join(place, ".git")));
});

test("a receipt has the checks of the landing, and holds only where they ran on the tree of the commit that landed", async () => {
  const { directory, commits, call, receipt, key } = await shop(
    'checks:\n  commands: ["test -e README.md || true"]\n  sandbox: none\n',
  );
  done(directory, "switch", "--quiet", "main");
  const landed = await call("land");
  assert.equal(landed.code, 0, landed.said);
  const envelope = await receipt();
  const merge = done(directory, "rev-parse", "main").trim();
  const tree = done(directory, "rev-parse", "main^{tree}").trim();
  const { landed: told } = statementOf(envelope).predicate;
  const [{ outputSha256, ms, ...check }] = (told as { checks: [{ outputSha256: string; ms: number }] }).checks;
  const command = "test -e README.md || true";
  assert.deepEqual(check, { command, exit: 0, sandbox: "none", commit: merge, tree });
  assert.deepEqual([outputSha256.length, ms >= 0], [64, true]);
  const proven = verified(directory, envelope, "--key", ".baton/receipt.pub");
  assert.equal(proven.code, 0, proven.said);
  assert.match(proven.said, /proven {2}the checks of its landing ran on the tree of the commit that landed/);
  const owner = createPrivateKey(readFileSync(key));
  const lies: readonly (readonly [object, RegExp])[] = [
    [{ tree: "0".repeat(40) }, /ran on another tree/],
    [
      { commit: commits[0], tree: done(directory, "rev-parse", `${commits[0]}^{tree}`).trim() },
      /does not have what landed/,
    ],
    [{ exit: 1 }, /says itself that a check did not pass/],
  ];
  for (const [lie, words] of lies) {
    const lying = forged(envelope, owner, ({ predicate }) => {
      Object.assign((predicate.landed as { checks: object[] }).checks[0] ?? {}, lie);
    });
    const found = verified(directory, lying, "--key", ".baton/receipt.pub");
    assert.deepEqual([found.code, words.test(found.said)], [2, true], found.said);
  }
  // A pull request by squash: others have neither the commits of the work nor Baton's merge.
  const squash = done(directory, "commit-tree", "-p", "main^", "-m", "squash", tree).trim();
  const later = done(directory, "commit-tree", "-p", squash, "-m", "later", tree).trim();
  done(directory, "update-ref", "refs/heads/main", later);
  const after = await receipt();
  assert.deepEqual(statementOf(after).predicate.landed, { branch: "main", commit: squash });
  const clone = folder();
  done(clone, "clone", "--quiet", "--no-local", "--single-branch", "--branch", "main", directory, "other");
  const others = verified(join(clone, "other"), after, "--key", join(directory, ".baton/receipt.pub"));
  assert.equal(others.code, 0, others.said);
  assert.match(others.said, /believed {2}test -e README\.md \|\| true passed on /);
  assert.match(others.said, new RegExp(`proven {2}${squash} \\(main\\) has the files as the work left them`));
});
