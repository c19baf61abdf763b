/**
 * A commit that the record names, over HTTP: which files it changes and how, also strange ones, and the verdict next to it.
 * What the record does not name is not shown, and no path reaches git.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { link, testEnvironment } from "../evidence/history.ts";
import { madeRepository, tree } from "../evidence/place.ts";
import { fits } from "./fits.ts";
import { ask, testHub } from "./hub.ts";

const team = "/api/teams/web";
const text = `version: 1
team: web
dialects: [vbw/2]
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
`;
const long = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";
const strange = "src/\u001b[31m\u202ered\n.ts";
const before = {
  "src/vat.ts": "export function vat() {\n  return 1;\n}\n",
  "src/old-name.ts": long,
  "src/run.sh": "echo\n",
  "src/gone.ts": "gone\n",
  "src/crlf.ts": "a\r\nb\r\n",
  "logo.png": "\u0000png\u0001",
};

test("the files of a reported commit and the lines of one are shown, and the task's files say what was found", async (t) => {
  await using made = await madeRepository({
    commits: [
      { parents: [], tree: tree(before) },
      {
        parents: [0],
        tree: tree({
          "src/vat.ts": "export function vat() {\n  return 2;\n}",
          "src/new-name.ts": long.replace("two", "zwei"),
          "src/run.sh": { mode: "100755", content: "echo\n" },
          "src/crlf.ts": "a\nb\r\n",
          "src/link": link("vat.ts"),
          "logo.png": "\u0000png\u0002",
          [strange]: "x\n",
          "src/huge.ts": `${"huge line\n".repeat(1_000_000)}`,
        }),
      },
      { parents: [1], tree: tree({ "src/secret.ts": "nobody reported this\n" }) },
    ],
    references: { "refs/heads/main": 2 },
  });
  const [base, reported, unnamed] = made.ids;
  const repository = { directory: made.directory, environment: testEnvironment, runsChecks: false };
  const hub = await testHub(t, { text, repository });
  const [lead, dev] = [await hub.token("lead-1"), await hub.token("dev-1")];
  const task = { task: "1-1-T1", plan: "1-1", files: ["src/vat.ts"] };
  assert.equal((await ask(hub.url, `${team}/tasks`, { as: lead, body: task })).status, 201);
  const claim = { files: ["src/vat.ts"] };
  assert.equal((await ask(hub.url, `${team}/tasks/1-1-T1/claim`, { as: dev, body: claim })).status, 201);
  const report = { commit: reported?.slice(0, 10), files: ["src/vat.ts"] };
  assert.equal((await ask(hub.url, `${team}/tasks/1-1-T1/complete`, { as: dev, body: report })).status, 201);
  assert.equal((await ask(hub.url, `${team}/verify`, { as: hub.session, body: {} })).status, 200);

  const commit = (id: string | undefined, path?: string) =>
    ask(hub.url, `${team}/commits/${id}${path === undefined ? "" : `?${new URLSearchParams({ path })}`}`, { as: dev });
  const whole = fits("showCommit", await commit(reported)).body;
  assert.deepEqual([whole.commit, whole.parents, whole.base, whole.author], [reported, [base], base, "dev-1"]);
  assert.deepEqual(
    whole.files.map(({ path, from, status, kind, binary, added, removed }: Record<string, unknown>) =>
      [path, from, status, kind, binary, added, removed].join(" "),
    ),
    [
      "logo.png  modified file true  ",
      "src/\u001b[31m\u202ered\n.ts  added file false 1 0",
      "src/crlf.ts  modified file false 1 1",
      "src/gone.ts  deleted file false 0 1",
      "src/huge.ts  added file false 1000000 0",
      "src/link  added link false 1 0",
      "src/new-name.ts src/old-name.ts renamed file false 1 1",
      "src/run.sh  mode file false 0 0",
      "src/vat.ts  modified file false 2 2",
    ],
  );
  assert.deepEqual([whole.filesTotal, whole.diff], [9, null]);

  const linesOf = async (path: string) => {
    const { diff } = fits("showCommit", await commit(reported, path)).body;
    const lines = diff.hunks.flatMap(({ lines: each }: { lines: readonly Record<string, unknown>[] }) => each);
    return [diff.binary, diff.isCut, lines.map(({ op, text: said }: Record<string, unknown>) => `${op}${said}`)];
  };
  assert.deepEqual(await linesOf("src/vat.ts"), [
    false,
    false,
    [" export function vat() {", "-  return 1;", "-}", "+  return 2;", "+}"],
  ]);
  assert.deepEqual(await linesOf("src/crlf.ts"), [false, false, ["-a\r", "+a", " b\r"]]);
  assert.deepEqual((await linesOf("src/new-name.ts"))[2]?.slice(0, 3), [" one", "-two", "+zwei"]);
  assert.deepEqual(await linesOf("logo.png"), [true, false, []]);
  assert.deepEqual(await linesOf("src/run.sh"), [false, false, []]);
  assert.deepEqual(await linesOf(strange), [false, false, ["+x"]]);
  const [isBinary, isCut, lines] = await linesOf("src/huge.ts");
  assert.deepEqual([isBinary, isCut, lines?.length], [false, true, 2_000], "of 10 MB the beginning is shown");

  const codes = async (...asked: readonly [string | undefined, string?][]) => {
    const answers = await Promise.all(asked.map(([id, path]) => commit(id, path)));
    return answers.map((answer) => [answer.status, fits("showCommit", answer).body.code]);
  };
  assert.deepEqual(
    await codes([unnamed], [base], ["main"], ["--output=x"], [reported?.slice(0, 10)], [reported, "../x"]),
    [
      [404, "not-found"],
      [404, "not-found"],
      [422, "wrong-format"],
      [422, "wrong-format"],
      [422, "wrong-format"],
      [404, "not-found"],
    ],
  );

  const story = fits("showTask", await ask(hub.url, `${team}/tasks/1-1-T1`, { as: dev })).body;
  assert.deepEqual([story.verdict.state, story.verdict.commits], ["disputed", [reported]]);
  const file = (path: string) => story.files.find((each: { path: string }) => each.path === path);
  assert.deepEqual(file("src/vat.ts"), {
    path: "src/vat.ts",
    changed: true,
    reported: true,
    claimed: true,
    contract: "none",
  });
  assert.deepEqual(file("src/run.sh"), {
    path: "src/run.sh",
    changed: true,
    reported: false,
    claimed: false,
    contract: "none",
  });
  const needs = fits("listNeeds", await ask(hub.url, `${team}/needs`, { as: hub.session })).body;
  assert.deepEqual([needs.needs[0].kind, needs.needs[0].target], ["dispute", "1-1-T1"]);
});

test("without a repository a commit is not shown, and the answer says why", async (t) => {
  const hub = await testHub(t, { text });
  const dev = await hub.token("dev-1");
  const id = "a".repeat(40);
  const asked = async () => (await ask(hub.url, `${team}/commits/${id}`, { as: dev })).body.code;
  assert.equal(await asked(), "not-found");
  const task = { task: "1-1-T1", plan: "1-1", files: ["src/vat.ts"] };
  assert.equal((await ask(hub.url, `${team}/tasks`, { as: await hub.token("lead-1"), body: task })).status, 201);
  assert.equal((await ask(hub.url, `${team}/tasks/1-1-T1/claim`, { as: dev, body: {} })).status, 201);
  const report = { commit: id, files: ["src/vat.ts"] };
  assert.equal((await ask(hub.url, `${team}/tasks/1-1-T1/complete`, { as: dev, body: report })).status, 201);
  assert.equal(await asked(), "repository-missing");
});
