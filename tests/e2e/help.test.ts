/**
 * Help teaches: every command has a page with usage, examples and what comes next, and wrong words lead there. The many
 * pages and lines are asked for in this process; that a process prints the same is tried on some of them.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { globalsOf } from "../../src/doors/cli/kernel/command.ts";
import { foldPage } from "../../src/doors/cli/terminal/terminal-text.ts";
import { pageFiles } from "../../src/doors/http/server/pages.ts";
import { catalogue } from "../../src/main/catalogue.ts";
import { readConfig } from "../../src/perform/workspace/config.ts";
import { called, calledWithCode } from "./called.ts";
import { baton, expectCode, folder, team } from "./command.ts";

const place = folder();
const nowhere = folder();

test("no words at all print the ten commands of a person's day, and where all of them are", async () => {
  const { stdout } = expectCode(0, place, []);
  for (const word of ["--help", "help"]) assert.equal(stdout, (await calledWithCode(0, place, [word])).stdout);
  const shown = catalogue.filter(({ name, summary }) =>
    stdout.split("\n").some((line) => line.startsWith(`  ${name} `) && line.endsWith(`  ${summary}`)),
  );
  assert.equal(shown.length, 10, stdout);
  assert.match(stdout, new RegExp(`^  baton help --all +all ${catalogue.length} commands$`, "m"));
  const all = (await calledWithCode(0, place, ["help", "--all"])).stdout;
  for (const { name, summary } of catalogue) assert.ok(all.includes(name) && all.includes(summary), name);
});

test("an option without its command names the command of the group that takes it", async () => {
  for (const words of [
    ["shutdown", "--refuse"],
    ["shutdown", "--left=x"],
  ]) {
    const { stderr } = await calledWithCode(64, place, words);
    assert.match(
      stderr,
      /"baton shutdown" needs a command\.\n +hint +--(refuse|left) is an option of "baton shutdown answer"/,
    );
  }
  assert.match(
    (await calledWithCode(64, place, ["shutdown", "--json"])).stderr,
    /one of: answer, status/,
    "both take it",
  );
});

test("every command has its page, asked for in any way", async () => {
  for (const { name, summary, load } of catalogue) {
    const words = name.split(" ");
    const { stdout } = await calledWithCode(0, place, [...words, "--help"]);
    assert.ok(stdout.startsWith(`baton ${name}: ${summary}`), name);
    for (const title of ["Usage", "Everywhere", "Examples", "Next"])
      assert.match(stdout, new RegExp(`^${title}$`, "m"), name);
    const { command } = await load();
    assert.ok(command.examples.length >= 2, `${name} has examples`);
    for (const { line } of command.examples) assert.ok(stdout.includes(line), line);
    for (const option of command.options ?? [])
      assert.ok(stdout.includes(`--${option.name}`), `${name} --${option.name}`);
    for (const line of stdout.split("\n")) assert.ok(line.length <= 130, `${name}: ${line}`);
    assert.equal((await calledWithCode(0, place, ["help", ...words])).stdout, stdout, `help ${name}`);
    // `phase` is a command, and so is `phase skip`.
    for (const below of catalogue.filter((each) => each.name.startsWith(`${name} `)))
      assert.match(stdout, new RegExp(`^ *baton ${below.name} +${below.summary.slice(0, 20)}`, "m"), name);
  }
});

test("a process prints the page that is called for here, whichever door the command is of", async () => {
  for (const words of [["send"], ["agent", "list"], ["handoff", "new"], ["up"], ["mcp"], ["validate-message"]]) {
    const { stdout } = await calledWithCode(0, place, [...words, "--help"]);
    assert.equal(expectCode(0, place, [...words, "--help"]).stdout, stdout);
  }
  for (const words of [
    ["help", "agent", "list"],
    ["-h", "agent", "list"],
  ])
    assert.match(expectCode(0, place, words).stdout, /^baton agent list: /);
});

test("every page fits a terminal of 80 columns, with all its words in their order and what is copied whole", async () => {
  const words = (page: string) => page.split(/\s+/);
  for (const name of ["", ...catalogue.map((entry) => entry.name)]) {
    const page = (await calledWithCode(0, place, [...(name === "" ? [] : name.split(" ")), "--help"])).stdout;
    const lines = foldPage(page, 80).split("\n");
    assert.deepEqual(words(lines.join("\n")), words(page));
    const wide = lines.filter((line) => line.length > 80);
    for (const line of wide) assert.match(line, /^ {2}(\S.* )?baton /, `only what is copied may be wider: ${line}`);
  }
});

test("the examples on the pages are lines the command understands", async () => {
  for (const { name, load } of catalogue) {
    const { command } = await load();
    // What serves until it is interrupted is tried where it is ended, and the demo, which takes its time, in tests/demo.
    if (command.endsByInterrupt === true || name === "demo") continue;
    for (const { line } of command.examples) {
      // No server of a journal runs here, and no remote; tests/engines and tests/a2a have them.
      if (line.includes("USER@HOST") || line.includes("--allow-private")) continue;
      const own = line.split("|").find((part) => part.includes(`baton ${name}`)) ?? "";
      const words = own
        .slice(own.indexOf("baton ") + "baton ".length)
        .replace(/[<>].*$/, "")
        .match(/'[^']*'|\S+/g)
        ?.map((word) => word.replaceAll("'", ""));
      // Without a team a good line fails for what is not there, never for how it is written.
      const ask = name === "validate-message" ? baton : called;
      const done = await ask(
        // Where a team is, and `init` has an example too, it would watch, wait and keep a copy up.
        name === "watch" || / --wa(it|tch)\b/.test(line) ? nowhere : place,
        (words ?? []).filter((word) => word !== "--follow"),
      );
      assert.notEqual(done.code, 1, `${line}\n${done.stderr}`);
      if (own !== "" && !line.includes("xargs")) assert.notEqual(done.code, 64, `${line}\n${done.stderr}`);
    }
  }
});

test("a page offers only the global options that mean something to its command", async () => {
  for (const words of [["doctor"], ["up"], ["init"]])
    assert.ok(!(await calledWithCode(0, place, [...words, "-h"])).stdout.includes("--hub"));
  assert.ok((await calledWithCode(0, place, ["inbox", "-h"])).stdout.includes("--hub URL"));
  assert.match((await calledWithCode(0, place, ["token", "-h"])).stdout, /^baton token: credentials/);
});

test("a global option that means nothing to a command is refused, not passed over", async () => {
  let refused = 0;
  for (const { name, load } of catalogue) {
    const { command } = await load();
    if ([...globalsOf(command), ...(command.options ?? [])].some((option) => option.name === "as")) continue;
    const words = [
      ...(command.options ?? []).flatMap(({ name, required }) => (required === true ? [`--${name}`, "x"] : [])),
      ...(command.positionals ?? []).flatMap(({ required, choices }) =>
        required === true ? [choices?.[0] ?? "x"] : [],
      ),
    ];
    const done = await calledWithCode(64, nowhere, [...name.split(" "), ...words, "--as", "dev-1"]);
    assert.match(done.stderr, /--as means nothing to this command/, name);
    refused++;
  }
  assert.ok(refused >= 10, `${refused} commands`);
  const { stderr } = await calledWithCode(64, nowhere, ["demo", "--team", "web"]);
  assert.match(stderr, /--team means nothing to this command/);
});

test("a typo gets what was meant", async () => {
  const slips: readonly (readonly [string[], RegExp])[] = [
    [["vaildate"], /did you mean "baton validate"\?/],
    [["agent", "regster", "x"], /did you mean "baton agent register"\?/],
    [["open"], /did you mean "baton start --link"\?/],
    [["hub"], /did you mean "baton up"\?/],
    [["journl", "verify"], /did you mean "baton journal"\?/],
    [["tasks"], /did you mean "baton task list"\?/],
    [["register", "dev-3"], /did you mean "baton agent register"\?/],
    [["approval", "list"], /did you mean "baton approve"\?/],
    [["available"], /did you mean "baton task list --available"\?/],
    [["share", "create"], /did you mean "baton token create --link"\?/],
    [["task", "show", "1-1-T1"], /did you mean "baton task list"\?/],
    [["team", "set", "lease_seconds=600"], /There is no command "team set"/],
    [["accept", "h-1"], /did you mean "baton handoff accept"\?/],
    [["end"], /did you mean "baton task end" or "baton phase end"\?/],
    [["complete"], /did you mean "baton task complete" or "baton handoff complete"\?/],
    [["install", "claude"], /did you mean "claude-code"\?/],
    [["install", "gemini", "--as", "dev-1"], /--as is of git-hooks alone/],
    [["run", "dev-1", "--program", "claude"], /did you mean "claude-code"\?/],
    [["run", "dev-1", "--program", "codex", "--model", "x"], /words for the program itself go after --: -- --model/],
    [["log", "--lsat", "3"], /did you mean --last\?/],
    [["constructor"], /see baton help --all/],
    [["inbox", "--limt", "3"], /did you mean --limit\?/],
    [["agent", "register", "x", "--role", "devv"], /did you mean "dev"\?/],
    [["task", "shwo", "1-1-T1"], /^usage: baton task COMMAND \[options\]$/m],
    [["reference", "vbw/2", "plan_contract"], /write it as one: vbw\/2\/plan_contract$/m],
    [["phase", "skip", "research"], /--reason is missing/],
    [["phase", "lift"], /--reason is missing/],
  ];
  for (const [words, hint] of slips) assert.match((await calledWithCode(64, place, words)).stderr, hint);
  const { stderr } = await calledWithCode(3, place, ["reference", "debugger_report"]);
  assert.match(stderr, /did you mean "yolo\/2\/debugger_report" or "vbw\/2\.1\/debugger_report" or/);
});

test("where npx ran the command, the lines that people should run begin with npx baton", async () => {
  const here = team();
  const byNpx = { npm_lifecycle_event: "npx" };
  const cases: readonly (readonly [words: string[], said: RegExp])[] = [
    [["vaildate"], /did you mean "npx baton validate"\?/],
    [["init", "--yes"], /^Next: npx baton up +the hub/m],
    [["send", "--as", "nobody"], /`npx baton agent list`/],
    [["inbox", "--as", "lead-1"], /^No message waits for lead-1\.$/m],
    [["doctor"], /let those that you start yourself ask Baton: npx baton install/],
    [["task", "list"], /`npx baton task add 'What is to be done'` brings one, by the owner/],
  ];
  for (const [words, said] of cases)
    assert.match((await called(here, words, "hello", byNpx)).said, said, words.join(" "));
  assert.match((await called(here, ["vaildate", "--json"], "", byNpx)).stdout, /did you mean \\"baton validate\\"\?/);
});

test("hints begin with the words that start Baton where it was started", () => {
  const ends = { stdin: {}, stdout: {}, stderr: {}, cwd: () => "/" };
  const fetched = ["node", "/home/ann/.npm/_npx/1a2b/node_modules/.bin/baton"];
  const withBaton = folder();
  const ofNpx = (from: string) => {
    const kept = join(folder(), "_npx", "1a2b");
    mkdirSync(kept, { recursive: true });
    writeFileSync(join(kept, "package.json"), JSON.stringify({ dependencies: { batonhq: from } }));
    return [["node", join(kept, "node_modules/.bin/baton")], kept] as const;
  };
  const [[ofFile, beside], [ofRegistry], [ofOdd]] = [
    ofNpx("file:../../b.tgz"),
    ofNpx("^0.1.0"),
    ofNpx("file:../a b.tgz"),
  ];
  writeFileSync(join(withBaton, process.platform === "win32" ? "baton.cmd" : "baton"), "", { mode: 0o755 });
  // A shell runs no folder, and no file that is no program.
  const [withFolder, withText] = [folder(), folder()];
  mkdirSync(join(withFolder, "baton"));
  writeFileSync(join(withText, "baton"), "", { mode: 0o644 });
  const others = [withFolder, withText].join(delimiter);
  for (const [env, argv, program] of [
    [{}, fetched, "baton"],
    [{ npm_lifecycle_event: "npx" }, ["node", "/shop/node_modules/.bin/baton"], "npx baton"],
    [{ npm_lifecycle_event: "start" }, ["node", "/baton/bin/baton.js"], "npx baton"],
    [{ npm_lifecycle_event: "npx" }, fetched, "npx batonhq"],
    [{ npm_lifecycle_event: "npx" }, ofRegistry, "npx batonhq"],
    [{ npm_lifecycle_event: "npx" }, ofFile, `npx file:${join(beside, "../../b.tgz")}`],
    [{ npm_lifecycle_event: "npx" }, ofOdd, "npx batonhq"],
    // As an installed line starts it: by its name only where a shell finds that.
    [{ PATH: place }, ["/node", "/baton/bin/baton.js"], "/node /baton/bin/baton.js"],
    [{ PATH: others }, ["/node", "/baton/bin/baton.js"], "/node /baton/bin/baton.js"],
    [{ PATH: `${place}${delimiter}${withBaton}` }, ["/node", "/baton/bin/baton.js"], "baton"],
    [{ PATH: place }, ["/node", "/a b/bin/baton.js"], "baton"],
    [{ PATH: place }, ["/node", "/usr/bin/baton"], "baton"],
  ] as const)
    assert.equal(readConfig({ ...ends, env, argv }).program, program);
});

test("the page that the hub serves calls the command as the person did who started it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-page-files-"));
  try {
    const source = readFileSync(join(import.meta.dirname, "../../src/doors/page/index.html"), "utf8");
    writeFileSync(join(folder, "index.html"), source);
    const page = await pageFiles(folder, "npx batonhq").read("/");
    assert.match(new TextDecoder().decode(page?.body), /<meta name="baton-program" content="npx batonhq" \/>/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the version is one line", () => {
  assert.match(expectCode(0, place, ["-V"]).stdout, /^\d+\.\d+\.\d+\n$/);
  assert.match(expectCode(0, place, ["status", "--version"]).stdout, /^\d+\.\d+\.\d+\n$/);
});
