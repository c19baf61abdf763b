/** Commands and hubs on a journal in a server: the same tests for each engine. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { anchorPath, readAnchors, writeAnchors } from "../../src/journal/anchor-file.ts";
import { serverFileName, shownAddress } from "../../src/journal/engines.ts";
import { openHub } from "../../src/perform/hub.ts";
import { openTeam } from "../../src/perform/open.ts";
import { manualClock } from "../../src/testing/fixtures.ts";
import { called } from "../e2e/called.ts";
import { contract, type Finished, folder, jsonLines, team } from "../e2e/command.ts";
import { startHub } from "../e2e/hub-process.ts";
import { git } from "../evidence/history.ts";
import { ask } from "../http/hub.ts";
import { startUp, teamFolder } from "../http/process.ts";
import { readStream } from "../http/stream-reader.ts";
import { must } from "../journal/journal-subject.ts";
import { isLongRun } from "../run-size.ts";

const secret = "only-for-tests";

/** A server of tests, as every engine has one. */
export interface DoorServer {
  newUrl(): string;
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** What differs between engines. */
export interface DoorBench {
  readonly name: string;
  readonly skip: string | false;
  server(): Promise<DoorServer>;
  /** Facts that `baton journal verify` shows. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** The journal's address, as `baton journal verify` shows it. */
  place(url: string): string;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await systemClock.wait(20);
}

/** Registers the tests for one engine. */
export function doorTests({ name, skip, server: testServer, facts, place: placeOf }: DoorBench): void {
  describe(`doors on a journal on ${name}`, { skip }, () => {
    it("verdicts are recorded about the repository that the owner named, and no other", async () => {
      const url = (await testServer()).newUrl();
      const home = team();
      const file = join(home, "a.js");
      git(home, "init", "--quiet", "--initial-branch=main");
      git(home, "commit", "--quiet", "--allow-empty", "-m", "begin");
      const run = async (place: string, words: readonly string[], code = 0): Promise<Finished> => {
        const done = await called(place, words);
        assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.said}`);
        return done;
      };
      const isForeign = async (place: string) =>
        /not-recorded/.test((await called(place, ["verify", "T1", "--as", "lead-1"])).stderr);
      const stateOf = async () => jsonLines(await run(home, ["task", "list", "T1", "--json"]))[0]?.state;
      await run(home, ["journal", "place", url]);
      await run(home, ["task", "add", "T1", "--files", "a.js"]);
      await run(home, ["task", "claim", "T1", "--as", "dev-1"]);
      writeFileSync(file, "1");
      git(home, "add", "a.js");
      git(home, "commit", "--quiet", "-m", "work");
      const commit = git(home, "rev-parse", "HEAD").trim();
      const done = await run(home, ["task", "complete", "T1", "--commit", commit, "--as", "dev-1"]);
      // Nobody has named it yet.
      assert.match(done.stderr, /baton up --repository DIR.*\(not-recorded\)/s);
      assert.equal(await stateOf(), "reported");
      const named = await startHub(home);
      await until(async () => (await stateOf()) === "verified");
      await named.kill();
      assert.equal(await isForeign(home), false);

      // A fresh clone is another repository, and so is a copy of this one, in which the work is undone.
      const [clone, copy] = [folder(), folder()];
      for (const place of [clone, copy]) rmSync(place, { recursive: true });
      git(home, "clone", "--quiet", home, clone);
      cpSync(join(home, ".baton"), join(clone, ".baton"), { recursive: true });
      cpSync(home, copy, { recursive: true });
      await run(clone, ["journal", "place", url]);
      git(copy, "reset", "--quiet", "--hard", "HEAD~1");
      assert.deepEqual([await isForeign(clone), await isForeign(copy)], [true, true]);
      assert.equal(await stateOf(), "verified");
      // A moved folder is the same; and the owner may name another one.
      const moved = join(folder(), "moved");
      renameSync(home, moved);
      assert.equal(await isForeign(moved), false);
      const other = await startHub(clone, 0, ["--repository", "."]);
      await until(async () => await isForeign(moved));
      await other.kill();
      assert.equal(await isForeign(clone), false);
    });

    it("of two hubs that are shown the owner's code one accepts it, until it is too old", async (t) => {
      const url = (await testServer()).newUrl();
      const text = "version: 1\nteam: web\ndialects: [vbw/2]\nagents:\n  lead-1: { role: lead }\n";
      const clock = manualClock();
      const open = async () => {
        const teamFile = { path: "team.yaml", text };
        const hub = await openHub({ journal: url, create: true, teamFile, stateFolder: folder(), clock });
        assert.ok(hub.ok, JSON.stringify(hub));
        t.after(() => hub.value[Symbol.asyncDispose]());
        return hub.value;
      };
      const [one, other] = [await open(), await open()];
      for (const code of ["a", "b", "c"]) {
        must(await one.keepCode(code, 1_000));
        const taken = await Promise.all([one, other, one, other].map(async (hub) => must(await hub.takeCode(code))));
        assert.equal(taken.filter(Boolean).length, 1, code);
      }
      must(await one.keepCode("late", 1_000));
      clock.advance(1_000);
      assert.equal(must(await other.takeCode("late")), false);
    });

    it("every command uses the server that the owner set once, and none shows its password", async () => {
      const url = (await testServer()).newUrl();
      const place = team();
      assert.equal(spawnSync("git", ["init", "-q"], { cwd: place }).status, 0);
      const said: string[] = [];
      const run = async (words: readonly string[], input = "", code = 0): Promise<Finished> => {
        const done = await called(place, words, input);
        assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.said}`);
        said.push(done.said);
        return done;
      };
      const shown = shownAddress(url);
      assert.equal((await run(["journal", "place", url])).stdout.trim(), placeOf(url));
      const state = join(place, ".git/baton");
      assert.equal(statSync(join(state, "place.json")).mode & 0o777, 0o600);
      assert.equal((await run(["journal", "place"])).stdout.trim(), shown);
      await run(["send", "-", "--as", "lead-1"], contract());
      assert.match((await run(["inbox", "--as", "dev-1"])).stdout, /plan_contract/);
      await run(["ack", "2", "--as", "dev-1"]);
      await run(["log", "--grep", "feature"]);
      await run(["status"]);
      await run(["whoami", "--as", "dev-1"]);
      assert.match((await run(["journal", "verify"])).stdout, /sound|whole/);
      const stats = JSON.parse((await run(["journal", "verify", "--json"])).stdout);
      assert.equal(stats.path, placeOf(url));
      for (const [fact, value] of Object.entries(facts)) assert.equal(stats[fact], value);
      const examined = (await run(["doctor"])).stdout;
      assert.match(examined, /sound, \d+ entries, in /);
      assert.ok(examined.includes(shown.split("?", 1)[0] ?? shown), examined);
      // A server that has lost what this machine saw, as the machine knows from its own file.
      const seen = anchorPath(join(state, serverFileName(url)));
      const [known, bytes] = [must(readAnchors(seen)), readFileSync(seen)];
      must(writeAnchors(seen, new Map([...known].map(([name, head]) => [name, { ...head, seq: head.seq + 9 }]))));
      assert.match((await run(["doctor"], "", 2)).stdout, /journal-regressed/);
      writeFileSync(seen, bytes);
      const exported = await run(["journal", "export"]);
      const copy = join(folder(), "copy.db");
      await run(["journal", "backup", copy]);
      const again = await called(place, ["journal", "export", "--journal", `sqlite:${copy}`]);
      assert.equal(again.stdout, exported.stdout, "the copy in a file has the same entries");
      assert.ok(!existsSync(join(state, "journal.db")), "nothing is kept in a file");
      assert.doesNotMatch(said.join("\n"), new RegExp(secret));
      // The control: what must be hidden is where it must be, and in no other file.
      assert.match(readFileSync(join(state, "place.json"), "utf8"), new RegExp(secret));
      for (const name of readdirSync(state, { recursive: true, encoding: "utf8" })) {
        const path = join(state, name);
        if (name === "place.json" || !statSync(path).isFile()) continue;
        assert.doesNotMatch(readFileSync(path, "utf8"), new RegExp(secret), name);
      }
      // Back into a file: not while it lacks entries of the server, and then with all of them.
      const early = await called(place, ["journal", "place", "--default"]);
      assert.match(early.said, /already-exists/);
      const line = /`baton (journal copy --to [^`]*)`/.exec(early.stderr.replaceAll(/\s+/g, " "))?.[1];
      await run(line?.split(" ") ?? []);
      const left = await run(["journal", "place", "--default"]);
      assert.equal(left.stdout.trim(), join(state, "journal.db"));
      assert.ok(left.stderr.includes(`The journal in ${shown} stays as it is.`), left.stderr);
      assert.ok((await run(["journal", "export"])).stdout.startsWith(exported.stdout), "the same team, in a file");
      await run(["send", "-", "--as", "lead-1"], contract());
    });

    it("a clone in which a command was called before takes the server's journal; one with messages does not", async () => {
      const url = (await testServer()).newUrl();
      const [one, other] = [team(), team()];
      for (const place of [one, other]) assert.equal(spawnSync("git", ["init", "-q"], { cwd: place }).status, 0);
      assert.equal((await called(one, ["journal", "place", url])).code, 0);
      assert.equal((await called(one, ["send", "-", "--as", "lead-1"], contract())).code, 0);
      // Records in a file what the team file says, and nothing else.
      assert.equal((await called(other, ["status"])).code, 0);
      const placed = await called(other, ["journal", "place", url]);
      assert.equal(placed.code, 0, placed.said);
      assert.match(placed.stderr, /The file \S*journal\.db stays as it is/);
      assert.match((await called(other, ["inbox", "--as", "dev-1"])).stdout, /plan_contract/);
      // The control: what was said in the file would be left behind.
      const third = team();
      assert.equal(spawnSync("git", ["init", "-q"], { cwd: third }).status, 0);
      assert.equal((await called(third, ["send", "-", "--as", "lead-1"], contract())).code, 0);
      const kept = await called(third, ["journal", "place", url]);
      assert.match(kept.said, /already-exists/);
    });

    it("several processes that look at once record a deadline once", async (t) => {
      const journal = (await testServer()).newUrl();
      const clock = manualClock();
      const teamFile = {
        path: "team.yaml",
        text: "version: 1\nteam: web\ndialects: [vbw/2]\nagents: {lead-1: {role: lead}, dev-1: {role: dev}}\n",
      };
      const opened = async (agent: string, speaks: { readonly program?: string } = {}) => {
        const found = await openTeam({ journal, teamFile, create: true, clock, agent, ...speaks });
        assert.ok(found.ok, JSON.stringify(found));
        t.after(() => found.value[Symbol.asyncDispose]());
        return found.value;
      };
      const dev = await opened("dev-1", { program: "p" });
      assert.ok((await dev.attend()).ok);
      const others = await Promise.all([1, 2, 3].map(() => opened("lead-1")));
      const timers = async () => {
        const lines: string[] = [];
        for await (const line of dev.log({ kinds: ["timer"] })) if (line.ok) lines.push(line.value.summary);
        return lines;
      };
      clock.advance(99_999);
      await Promise.all(others.map((each) => each.status()));
      assert.deepEqual(await timers(), [], "late, never early");
      clock.advance(1);
      await Promise.all(others.flatMap((each) => [each.status(), each.send("hello", { to: [] }), each.tasks()]));
      assert.match((await timers()).join("\n"), /^[^\n]*dev-1 has disappeared[^\n]*$/);
    });

    // It waits for a quarter of a minute.
    if (isLongRun)
      it("nobody is taken for gone because the server was: no hub could keep a heartbeat meanwhile", async (t) => {
        const server = await testServer();
        const clock = manualClock();
        const teamFile = {
          path: "team.yaml",
          text: "version: 1\nteam: web\ndialects: [vbw/2]\nagents: {lead-1: {role: lead}, dev-1: {role: dev}}\nlimits: {disappear_seconds: 6}\n",
        };
        const opened = await openHub({ journal: server.newUrl(), teamFile, create: true, clock });
        assert.ok(opened.ok, JSON.stringify(opened));
        await using hub = opened.value;
        const handle = await hub.team("web", { agent: "dev-1", via: "token", program: "p" });
        assert.ok(handle.ok);
        const dev = handle.value;
        assert.ok((await dev.attend()).ok);
        const gone = async () => {
          const found: string[] = [];
          for await (const line of dev.log({ kinds: ["timer"] })) if (line.ok) found.push(line.value.summary);
          return found;
        };
        const passSeconds = async (seconds: number) => {
          for (let second = 0; second < seconds; second += 1) {
            clock.advance(1_000);
            await hub.fireDue();
          }
        };
        await server.kill();
        t.after(() => server.start());
        await until(async () => {
          await hub.fireDue();
          return hub.journal.condition().condition === "unreachable";
        });
        // As a hub does all the while, for longer than a heartbeat may be late.
        await passSeconds(15);
        await server.start();
        await until(() => Promise.resolve(hub.journal.condition().condition === "ready"));
        await passSeconds(3);
        assert.deepEqual(await gone(), []);
        // The control: an agent that then stays away is found out.
        await passSeconds(15);
        assert.match((await gone()).join("\n"), /^[^\n]*dev-1 has disappeared[^\n]*$/);
      });

    it("two hubs on two folders are one: tokens, messages, sessions, and both heal when the server comes back", async (t) => {
      const server = await testServer();
      const url = server.newUrl();
      const words = ["--port", "0", "--journal", url];
      const one = await startUp(t, teamFolder(t), words);
      const other = await startUp(t, teamFolder(t), words);
      const [lead, dev] = [await one.token("lead-1"), await other.token("dev-1")];
      const followed = await readStream(one.url, dev);
      const waiting = ask(other.url, "/api/teams/web/agents/dev-1/inbox?wait=20", { as: dev });
      const sent = await ask(one.url, "/api/teams/web/messages", {
        as: lead,
        body: { message: "Which hub is this?", to: ["dev-1"] },
      });
      assert.equal(sent.status, 201);
      const { status, body } = await waiting;
      assert.deepEqual([status, body.messages?.[0]?.seq ?? body.deliveries?.[0]?.seq], [200, sent.body.receipt.seq]);
      assert.equal(
        (await ask(other.url, "/api/teams/web/status", { as: lead })).status,
        200,
        "a token of the first hub",
      );
      assert.equal((await ask(other.url, "/api/journal/stats", { as: one.session })).status, 200, "a session of it");
      // Long work is done in a thread, over connections that need the credentials too.
      const verified = await ask(one.url, "/api/journal/verify", { as: one.session, method: "POST", body: {} });
      assert.deepEqual([verified.status, verified.body.ok], [200, true], JSON.stringify(verified.body));
      const exported = await ask(other.url, "/api/journal/export", { as: other.session });
      assert.ok(exported.status === 200 && String(exported.body).includes("Which hub is this?"));
      for (const hub of [one, other]) assert.equal((await ask(hub.url, "/readyz")).status, 200);
      // Both look every second: each deadline of the round is recorded once, by whichever is first.
      const timers = async () => {
        const record = await ask(other.url, "/api/teams/web/messages?kind=timer", { as: other.session });
        return record.body.entries.map(({ summary }: { readonly summary: string }) => summary);
      };
      const beginRound = async (agent: string, deadlineMs: number, as: string) => {
        const round = { reason: "phase_complete", agents: [agent], deadlineMs, id: `stop-${agent}` };
        const begun = await ask(one.url, "/api/teams/web/shutdowns", { as, body: round });
        assert.equal(begun.status, 201, JSON.stringify(begun.body));
      };
      // A round of the person would not wait for an agent that was never seen.
      await beginRound("qa-1", 200, lead);
      await until(async () => (await timers()).length >= 1);
      assert.match((await timers()).join("\n"), /^Shutdown[^\n]*$/);
      await server.kill();
      t.after(() => server.start());
      await until(async () => (await ask(one.url, "/readyz")).status === 503);
      const ready = await ask(one.url, "/readyz");
      assert.match(JSON.stringify(ready.body), /unreachable/);
      await server.start();
      for (const hub of [one, other]) await until(async () => (await ask(hub.url, "/readyz")).status === 200);
      const again = await ask(other.url, "/api/teams/web/messages", {
        as: dev,
        body: { message: "Both.", to: ["lead-1"] },
      });
      assert.equal(again.status, 201);
      for (const hub of [one, other]) assert.doesNotMatch(hub.words(), new RegExp(secret));
      // A stream resumes at the other hub when its own is killed: every entry once, and none is missing.
      await followed.next(({ id }) => Number(id) === again.body.receipt.seq);
      // The hub at which a deadline was set is killed before it passes: the other one records it.
      await beginRound("lead-1", 2_500, one.session);
      await one.end("SIGKILL");
      await followed.ended.catch(() => undefined);
      const sendTo = async (message: string) => {
        const done = await ask(other.url, "/api/teams/web/messages", { as: lead, body: { message, to: ["dev-1"] } });
        return Number(done.body.receipt.seq);
      };
      await sendTo("Nobody hears this.");
      const resumed = await readStream(other.url, dev, { lastEventId: followed.seqs().at(-1) ?? 0 });
      const last = await sendTo("And this is heard.");
      await resumed.next(({ id }) => Number(id) === last);
      const seqs = [...followed.seqs(), ...resumed.seqs()];
      assert.deepEqual(
        seqs,
        Array.from({ length: seqs.length }, (_, index) => (seqs[0] ?? 0) + index),
      );
      assert.equal(seqs.at(-1), last);
      resumed.close();
      await until(async () => (await timers()).length > 1);
      assert.match((await timers()).slice(1).join("\n"), /^Shutdown[^\n]*$/);
      assert.deepEqual(await other.end("SIGTERM"), { code: 0, signal: null });
    });
  });
}
