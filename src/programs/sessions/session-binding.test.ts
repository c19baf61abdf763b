/** A session is the agent that it was bound to first, and a name belongs to one session while its program runs. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { isRunning, processesAbove, processNow } from "../../perform/workspace/agent-sessions.ts";
import { bindSession, endedAmong, hasLeftTerminal, runningHolder, type SessionClaim } from "./session-binding.ts";

const folder = mkdtempSync(join(tmpdir(), "baton-binding-"));
after(() => rmSync(folder, { recursive: true, force: true }));
// Two processes that run, of which the second is above the first as a program is above its server.
const first = processNow() ?? "";
const [second = ""] = processesAbove() ?? [];
const skip = second === "" ? "this machine does not say which processes run" : false;
const gone = "4194304-1";

const claim = (place: string, more: Partial<SessionClaim>): SessionClaim => ({
  folder: join(folder, place),
  program: "claude-code",
  session: "s1",
  names: ["lead-1"],
  processes: [first],
  takes: "server",
  ...more,
});

function refusalOf(asked: SessionClaim): string {
  const bound = bindSession(asked);
  assert.ok("refused" in bound, JSON.stringify(bound));
  assert.equal(bound.refused.code, "identity-mismatch");
  return bound.refused.message;
}

test("a session that is resumed as another agent is not that agent; unnamed, it is the one that it was", {
  skip,
}, () => {
  const began = claim("resumed", { session: "../odd/s1" });
  assert.deepEqual(bindSession(began), { agent: "lead-1" });
  assert.match(refusalOf({ ...began, names: ["qa-1"] }), /began as lead-1, not as qa-1/);
  assert.deepEqual(bindSession({ ...began, names: [] }), { agent: "lead-1" });
  assert.deepEqual(bindSession({ ...began, names: ["qa-1", "lead-1"] }), { agent: "lead-1" });
  assert.deepEqual(bindSession({ ...began, program: "gemini", names: ["qa-1"] }), { agent: "qa-1" });
});

test("two sessions that claim one name: the second is nobody while the first runs, and is let in after it", {
  skip,
}, () => {
  const other = claim("two", { session: "s2", processes: [second] });
  assert.deepEqual(bindSession(claim("two", { processes: [gone] })), { agent: "lead-1" });
  // What holds the name has ended, so the next one takes it; from then on it is held.
  assert.deepEqual(bindSession(other), { agent: "lead-1" });
  const late = claim("two", { session: "s3" });
  assert.match(refusalOf(late), /Another session is lead-1: claude-code, process \d+/);
  assert.match(refusalOf({ ...late, program: "codex" }), /Another session is lead-1/);
  assert.deepEqual(bindSession({ ...late, names: ["dev-1"] }), { agent: "dev-1" });
  assert.deepEqual(bindSession(other), { agent: "lead-1" });
});

test("a session that the launcher goes on with is known by the program that runs it now, and by that one alone", {
  skip,
}, () => {
  for (const program of ["claude-code", "codex", "gemini"] as const)
    for (const session of ["s1", null]) {
      const place = `again-${program.length}-${session}`;
      const began = claim(place, { program, session, processes: [gone], takes: "launcher" });
      assert.deepEqual(bindSession(began), { agent: "lead-1" });
      assert.deepEqual(endedAmong(began.folder, ["lead-1"]), ["lead-1"]);
      const again = { ...began, processes: [second] };
      for (const _ of ["first", "again"]) assert.deepEqual(bindSession(again), { agent: "lead-1" });
      assert.deepEqual(endedAmong(began.folder, ["lead-1"]), []);
      assert.equal(runningHolder(began.folder, "lead-1")?.process, second);
      // A second start of the same session, while the program runs.
      assert.match(refusalOf({ ...began, processes: [first] }), /Another session is lead-1/);
      // The server of the program that runs below the launcher changes nothing.
      const server = { ...again, session: "s1", takes: "server" } as const;
      assert.deepEqual(bindSession(server), { agent: "lead-1" });
      assert.equal(runningHolder(began.folder, "lead-1")?.isLaunched, true);
    }
});

test("a launched session that its program goes on with by hand is known, too", { skip }, () => {
  const began = claim("by-hand", { processes: [gone], takes: "launcher" });
  bindSession(began);
  assert.deepEqual(bindSession({ ...began, processes: [second], takes: "server" }), { agent: "lead-1" });
  assert.equal(runningHolder(began.folder, "lead-1")?.process, second);
});

test("ids that are no names of files are bound as well, each by itself", { skip }, () => {
  const odd = ["../../x", "a/b", "\0", "\ud800", "x".repeat(10_000), `${"x".repeat(10_000)}y`, "é", "É", "."];
  for (const [at, session] of odd.entries()) {
    const agent = `dev-${at}`;
    assert.deepEqual(bindSession(claim("odd", { session, names: [agent] })), { agent });
    assert.match(refusalOf(claim("odd", { session, names: ["qa-1"] })), new RegExp(`began as ${agent}`));
  }
  for (const name of odd) bindSession(claim("odd", { session: null, names: [name], takes: "server" }));
  assert.deepEqual(
    readdirSync(folder).filter((each) => each !== "odd" && each.includes("x")),
    [],
  );
});

test("a thread that the launcher made is its agent while the terminal runs, whatever its process names", {
  skip,
}, () => {
  const made = claim("thread", { program: "codex", session: "t1", names: ["dev-1"], processes: [first, second] });
  assert.deepEqual(bindSession({ ...made, takes: "launcher" }), { agent: "dev-1" });
  const inDaemon = { ...made, names: ["dev-2", "lead-1"], processes: [second] };
  assert.deepEqual(bindSession(inDaemon), { agent: "dev-1" });
  assert.deepEqual(bindSession({ ...inDaemon, names: [] }), { agent: "dev-1" });
  assert.match(refusalOf({ ...inDaemon, session: "t2", names: ["dev-1"] }), /Another session is dev-1/);
  // What the launcher starts it as again counts, and so does what names it once the terminal has gone.
  bindSession({ ...inDaemon, session: null, names: ["lead-1"], takes: "launcher" });
  assert.match(refusalOf({ ...inDaemon, names: ["lead-1"] }), /began as dev-1, not as lead-1/);
  const left = claim("left", {
    program: "codex",
    session: "t1",
    names: ["dev-1"],
    processes: [gone],
    takes: "launcher",
  });
  assert.deepEqual(bindSession(left), { agent: "dev-1" });
  assert.match(refusalOf({ ...left, names: ["dev-2"], takes: "server" }), /began as dev-1, not as dev-2/);
  assert.deepEqual([hasLeftTerminal("dev-1", left), hasLeftTerminal("dev-1", made)], [true, false]);
});

test("a refusal is new once", { skip }, () => {
  bindSession(claim("once", {}));
  const late = claim("once", { session: "s2", processes: [second] });
  const isNew = () => {
    const bound = bindSession(late);
    return "isNew" in bound && bound.isNew;
  };
  assert.deepEqual([isNew(), isNew(), isNew()], [true, false, false]);
});

test("a new conversation in the same process keeps the name, but for Codex, whose process has several sessions", {
  skip,
}, () => {
  bindSession(claim("cleared", {}));
  assert.deepEqual(bindSession(claim("cleared", { session: "s2" })), { agent: "lead-1" });
  const codex = claim("codex", { program: "codex" });
  assert.deepEqual(bindSession(codex), { agent: "lead-1" });
  assert.match(refusalOf({ ...codex, session: "s2" }), /Another session of the same process \(\d+\) is lead-1/);
});

test("what the launcher took is of every session below it, before the name in the settings", { skip }, () => {
  const launched = claim("launched", { program: "codex", session: null, names: ["dev-1"], takes: "launcher" });
  assert.deepEqual(bindSession(launched), { agent: "dev-1" });
  const below = { ...launched, processes: [second, first], takes: "server", names: ["lead-1", "dev-1"] } as const;
  for (const session of ["s1", "s2"]) assert.deepEqual(bindSession({ ...below, session }), { agent: "dev-1" });
  assert.match(
    refusalOf({ ...below, session: "s3", processes: [second], names: ["dev-1"] }),
    /Another session is dev-1/,
  );
});

test("a hook that is a command only asks, and takes nothing", { skip }, () => {
  const asks = claim("asks", { takes: null, processes: [second] });
  assert.deepEqual(bindSession(asks), { agent: "lead-1" });
  assert.deepEqual(bindSession(claim("asks", { session: "s2" })), { agent: "lead-1" });
  assert.match(refusalOf({ ...asks, session: "s3" }), /Another session is lead-1/);
  assert.deepEqual(bindSession({ ...asks, session: "s4", processes: [gone, first] }), { agent: "lead-1" });
});

test("of many that take a name over at once exactly one gets it, and one file of it is kept", { skip }, async () => {
  const source = join(import.meta.dirname, "session-binding.ts");
  const processes = join(import.meta.dirname, "../../perform/workspace/agent-sessions.ts");
  const place = join(folder, "race");
  bindSession(claim("race", { processes: [gone] }));
  // Each is another session in its own process, which stays until all have asked.
  const script = `
    import { bindSession } from ${JSON.stringify(source)};
    import { processNow } from ${JSON.stringify(processes)};
    process.stdin.once("data", () => {
      const bound = bindSession({ folder: ${JSON.stringify(place)}, program: "gemini", session: "r" + process.pid,
        names: ["lead-1"], processes: [processNow()], takes: "server" });
      process.stdout.write("agent" in bound ? "in" : "out");
    });
    process.stdin.once("end", () => process.exit());
    process.stdout.write("ready ");`;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const answers = children.map((child) => {
    const said = child.stdout.setEncoding("utf8")[Symbol.asyncIterator]();
    return async () => String((await said.next()).value);
  });
  await Promise.all(answers.map((next) => next()));
  for (const child of children) child.stdin.write("go");
  const said = await Promise.all(answers.map((next) => next()));
  for (const child of children) child.stdin.end();
  assert.deepEqual(said.toSorted(), ["in", "out", "out", "out", "out", "out"]);
  assert.equal(readdirSync(place).filter((name) => name.startsWith("agent-")).length, 1);
});

test("a process is known by more than its number", { skip }, () => {
  assert.ok(isRunning(first) && isRunning(second));
  assert.ok(!isRunning(gone) && !isRunning(`${process.pid}-1`));
});
