/**
 * Sequences of what agents do, as a table, with a real repository: in a correct team no edit is denied, in an incorrect
 * one the last edit is. Each is asked as an agent's program asks it, before a tool writes.
 * Rules: docs/protocol/tasks.md, section 15.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { readTips } from "../../src/evidence/git/tips.ts";
import { withoutShared } from "../../src/evidence/handlers/edit-taking.ts";
import type { Via } from "../../src/messages/principal.ts";
import { hookEvent } from "../../src/messages/program-hooks.ts";
import { teamHandle } from "../../src/perform/handle.ts";
import { beforeWriting } from "../../src/programs/hooks/before-writing.ts";
import { nothing } from "../../src/programs/hooks/hook-answer.ts";
import { settleMail } from "../../src/programs/hooks/settled-mail.ts";
import { manualClock } from "../../src/testing/fixtures.ts";
import { type TestTeam, type TestTeamOptions, testTeam } from "../../src/testing/test-team.ts";
import { message } from "../e2e/command.ts";
import { git, testEnvironment } from "../evidence/history.ts";
import { madeRepository, tree } from "../evidence/place.ts";

type Settings = Pick<Partial<TestTeamOptions>, "claims" | "scope" | "shared" | "policy" | "dialects" | "teamMode">;
/** Settings, what is done, and for the last edit of an incorrect team what its denial says. */
type Sequence = readonly [settings: Settings, steps: string, denial?: RegExp];

const agents = [
  { agent: "lead-1", role: "lead" },
  { agent: "dev-1", role: "dev" },
  { agent: "dev-2", role: "dev" },
  { agent: "qa-1", role: "qa" },
] as const;

const usual: Settings = {};
const declared: Settings = { claims: "declared", scope: "strict" };
const strict: Settings = { scope: "strict" };
const observing: Settings = { policy: "observe" };
const yolo: Settings = { dialects: ["yolo/1"] };

const correct: readonly Sequence[] = [
  [usual, "dev-1 edits a"],
  [usual, "dev-1 edits a, dev-1 edits a"],
  [usual, "dev-1 edits a, dev-2 edits b"],
  [usual, "dev-1 edits a, dev-1 commits a, dev-2 edits a"],
  [usual, "dev-1 edits a, dev-1 commits a, dev-2 edits a, dev-2 commits a, dev-1 edits a"],
  [usual, "dev-1 edits a, dev-1 edits b, dev-1 commits b, dev-2 edits b"],
  [usual, "task T1 a, dev-1 claims T1, dev-1 edits a"],
  [usual, "task T1 a, dev-1 claims T1, dev-1 edits b"],
  [
    usual,
    "task T1 a, task T2 a, dev-1 claims T1, dev-1 edits a, dev-1 commits a, dev-1 reports T1, dev-2 claims T2, dev-2 edits a",
  ],
  [usual, "task T1 a, dev-1 edits b, dev-1 claims T1, dev-1 edits a"],
  [usual, "task T1 -, dev-1 claims T1, dev-1 edits a, dev-1 edits b"],
  [usual, "task T1 -, dev-1 claims T1, dev-1 edits a, dev-1 reports T1, dev-2 edits a"],
  [usual, "task T1 -, dev-1 claims T1, dev-1 edits a, dev-1 releases T1, dev-2 edits a"],
  [usual, "task T1 -, task T2 -, dev-1 claims T1, dev-2 claims T2, dev-1 edits a, dev-2 edits b"],
  [usual, "task T1 -, dev-1 claims T1, dev-1 edits a, lead-1 gives T1 to dev-2, dev-2 edits a"],
  [usual, "dev-1 edits a, 301 s pass, dev-2 edits a"],
  [usual, "dev-1 edits a, dev-1 leaves, dev-2 edits a"],
  [usual, "dev-1 edits a, dev-1 begins again, dev-2 edits a"],
  [usual, "dev-1 asks a, dev-1 stops, 10 s pass, dev-2 edits a"],
  [usual, "dev-1 edits a, dev-1 commits a, dev-2 asks a, dev-2 stops, 10 s pass, dev-1 edits a"],
  [usual, "dev-1 edits a, dev-1 commits a, dev-2 edits a, dev-2 restores a, dev-2 stops, 10 s pass, dev-1 edits a"],
  [usual, "task T1 -, dev-1 claims T1, dev-1 asks a, dev-1 stops, 10 s pass, dev-2 edits a"],
  [usual, "dev-1 edits package-lock.json, dev-2 edits package-lock.json"],
  [usual, "dev-1 edits CHANGELOG.md, dev-2 edits CHANGELOG.md"],
  [{ shared: ["**/index.ts"] }, "dev-1 edits index.ts, dev-2 edits index.ts"],
  [usual, "lead-1 edits a, dev-1 edits b"],
  [usual, "lead-1 edits a, lead-1 commits a, dev-1 edits a"],
  [usual, "qa-1 edits a, dev-1 edits b"],
  [usual, "plan - forbids secret/, dev-1 edits a"],
  [usual, "plan - forbids secret/, dev-1 claims 1-1-T1, dev-1 edits a"],
  [usual, "plan src/ forbids secret/, dev-1 edits src/a"],
  [usual, "plan src/ forbids secret/, dev-1 claims 1-1-T1, dev-1 edits src/a, dev-1 edits src/b"],
  [usual, "plan src/ forbids secret/, task T9 -, dev-1 edits a"],
  [strict, "task T1 a, dev-1 claims T1, dev-1 edits a"],
  [strict, "dev-1 edits a, dev-1 commits a, dev-2 edits a"],
  [declared, "task T1 a, dev-1 claims T1, dev-1 edits a"],
  [declared, "task T1 a, dev-1 claims T1 with b, dev-1 edits b"],
  [declared, "lead-1 edits a, qa-1 edits a"],
  [yolo, "task T1 a, dev-1 claims T1, dev-1 edits a"],
  [observing, "dev-1 edits a, dev-2 edits b"],
  [{ teamMode: "task" }, "plan src/ forbids secret/, dev-1 edits src/a"],
];

const byDev1 = /dev-1 edits this path.* since .*`task`.*action "available".*free once dev-1 commits it/s;
const heldByDev1 = /dev-1 holds this path for task T1 since .*free once dev-1 has reported or released T1/s;

const incorrect: readonly Sequence[] = [
  [usual, "dev-1 edits a, dev-2 edits a", byDev1],
  [usual, "dev-1 edits a, dev-2 edits A", byDev1],
  [usual, "dev-1 edits a, 3600 ahead, dev-2 edits a", byDev1],
  [usual, "dev-1 edits a, 301 s pass, time unknown, dev-2 edits a", byDev1],
  [usual, "dev-1 edits a, lead-1 edits a", byDev1],
  [usual, "dev-1 edits a, qa-1 edits a", byDev1],
  [usual, "dev-1 edits a, somebody edits a", byDev1],
  [usual, "dev-1 edits a, 200 s pass, dev-2 edits a", byDev1],
  [usual, "dev-1 edits a, 200 s pass, dev-1 edits b, 200 s pass, dev-2 edits a", byDev1],
  [usual, "dev-1 edits a, dev-1 edits b, dev-1 commits b, dev-2 edits a", byDev1],
  [usual, "dev-1 asks a, dev-1 stops, 9 s pass, dev-2 edits a", byDev1],
  [usual, "dev-1 asks a, 200 s pass, dev-2 edits a", byDev1],
  [usual, "dev-1 asks a, dev-1 stops, dev-1 works, 10 s pass, dev-2 edits a", byDev1],
  [usual, "dev-1 asks a afar, dev-1 stops, 10 s pass, dev-2 edits a", byDev1],
  [usual, "dev-1 edits a, dev-1 stops, 10 s pass, dev-2 edits a", byDev1],
  [usual, "dev-1 edits a.ignored, dev-1 stops, 10 s pass, dev-2 edits a.ignored", byDev1],
  [usual, "dev-1 edits a, dev-1 commits a, dev-2 edits a, dev-1 edits a", /dev-2 edits this path/],
  [usual, "dev-1 edits a, dev-1 commits a, dev-1 writes a, dev-2 edits a", byDev1],
  [
    usual,
    "task T1 -, dev-1 claims T1, dev-1 edits a, dev-2 edits a",
    /dev-1 edits this path for task T1 since .*or reports T1/,
  ],
  [usual, "task T1 a, dev-1 claims T1, dev-2 edits a", heldByDev1],
  [usual, "task T1 src/, dev-1 claims T1, dev-2 edits src/a", heldByDev1],
  [usual, "task T1 a, dev-1 claims T1, dev-1 edits b, dev-2 edits b", /dev-1 edits this path for task T1/],
  [usual, "task T1 a, dev-1 claims T1, lead-1 edits a", heldByDev1],
  [usual, "task T1 package-lock.json, dev-1 claims T1, dev-2 edits package-lock.json", heldByDev1],
  [usual, "task T1 a, dev-1 claims T1 with a, dev-1 edits b", /outside-claim.*claim/s],
  [usual, "task T1 -, dev-1 claims T1 with a, dev-2 edits a", heldByDev1],
  [usual, "plan - forbids secret/, dev-1 edits secret/a", /outside-contract/],
  [usual, "plan - forbids secret/, dev-1 claims 1-1-T1, dev-1 edits secret/a", /outside-contract/],
  [usual, "plan src/ forbids secret/, dev-1 edits b", /outside-contract/],
  [usual, "plan src/ forbids secret/, dev-1 claims 1-1-T1, dev-1 edits b", /outside-contract/],
  [usual, "dev-1 edits .baton/team.yaml", /Baton|\.baton/],
  [
    usual,
    "task T1 -, dev-1 claims T1, dev-1 edits a, lead-1 gives T1 to dev-2, dev-2 edits a, dev-1 edits a",
    /dev-2 edits this path/,
  ],
  [strict, "task T1 a, dev-1 claims T1, dev-1 edits b", /outside-claim/],
  [strict, "dev-1 edits a, dev-2 edits a", byDev1],
  [strict, "plan - forbids secret/, dev-1 edits a", /outside-contract/],
  [declared, "dev-1 edits a", /dev-1 holds no task, so it may change nothing/],
  [declared, "task T1 a, dev-1 claims T1, dev-1 edits b", /outside-claim/],
  [declared, "task T1 a, dev-1 claims T1, lead-1 edits a", heldByDev1],
  [yolo, "dev-1 edits a", /holds no task/],
  [yolo, "task T1 a, dev-1 claims T1, dev-2 edits a", heldByDev1],
  [observing, "dev-1 edits a, dev-2 edits a", byDev1],
  [observing, "plan - forbids secret/, dev-1 edits secret/a", /outside-contract/],
  [observing, "task T1 a, dev-1 claims T1, dev-2 edits a", heldByDev1],
  [{ teamMode: "task" }, "plan src/ forbids secret/, dev-1 edits secret/a", /outside-contract/],
];

const made = await madeRepository({
  commits: [{ tree: tree({ "first.md": "1\n" }), parents: [] }],
  references: { "refs/heads/main": 0 },
});
git(made.directory, "checkout", "-q", "-f", "main");
mkdirSync(join(made.directory, ".git/info"), { recursive: true });
writeFileSync(join(made.directory, ".git/info/exclude"), "*.ignored\n");
after(() => made[Symbol.asyncDispose]());

const place = { directory: made.directory, environment: testEnvironment };
const event = hookEvent("claude-code", "PreToolUse");

/** A team that plays one sequence, in its own folder of the repository. */
class Play {
  readonly clock = manualClock();
  #wallAheadMs = 0;
  #isTimeKnown = true;
  #counter = 0;
  readonly #folder: string;
  readonly #settings: Settings;
  #team: TestTeam | null = null;

  constructor(folder: string, settings: Settings) {
    this.#folder = folder;
    this.#settings = settings;
  }

  async begin(): Promise<void> {
    const readBranches = () => readTips(place.directory, place);
    const dialects = { dialects: ["vbw/2"] as const };
    this.#team = await testTeam({
      agents,
      ...dialects,
      clock: {
        ...this.clock,
        now: () => this.clock.now() + this.#wallAheadMs,
        steady: () => this.clock.now(),
        surely: () => (this.#isTimeKnown ? this.clock.now() : Number.NEGATIVE_INFINITY),
      },
      repository: place,
      readBranches,
      ...this.#settings,
    });
  }

  /** Does one step; answers what an edit that is denied reads, and null for everything else. */
  async step(words: string): Promise<string | null> {
    const [who = "", what = "", name = "", how = "", more = ""] = words.split(" ");
    const team = this.#team;
    assert.ok(team !== null);
    const path = this.#path(name);
    if (what === "edits" || what === "writes" || what === "asks") {
      const answer = await this.#ask(team, who, path, how === "afar" ? "token" : "launcher");
      if (answer.says === "deny") return answer.words;
      // What asks and does not write is a tool that failed, or that a person refused.
      if (what !== "asks" && !name.startsWith(".baton")) this.#write(path);
      return null;
    }
    if (what === "stops" || what === "works") {
      const asks = what === "stops" ? "stop" : "prompt";
      const call = {
        program: "claude-code",
        asks,
        answer: nothing,
        latestAnswer: async () => null,
      } as const;
      await settleMail({ team: handleOf(team, who), agent: who }, "test", call);
    } else if (what === "restores") git(made.directory, "checkout", "-q", "--", path);
    else if (what === "commits") {
      git(made.directory, "add", "--", path);
      git(made.directory, "commit", "-q", "-m", words, "--", path);
    } else if (who === "task")
      await done(team.as("lead-1").addTask({ task: what, ...(name === "-" ? {} : { files: [path] }) }));
    else if (who === "plan") await done(team.as("lead-1").send(this.#contract(what, how)));
    else if (what === "claims") {
      const files = how === "with" ? { files: [this.#path(more)] } : {};
      assert.equal((await team.as(who).claim({ task: name, ...files })).outcome, "accepted", words);
    } else if (what === "reports")
      await done(team.as(who).complete({ task: name, commit: git(made.directory, "rev-parse", "HEAD").trim() }));
    else if (what === "releases") await done(team.as(who).release({ task: name }));
    else if (what === "gives") await done(team.as(who).reassign({ task: name, to: more }));
    else if (what === "leaves") await done(team.as("owner").retire({ agent: who }));
    else if (what === "begins") await done(team.as("owner").register({ agent: who, role: "dev", newSession: true }));
    else if (what === "ahead") this.#wallAheadMs = Number(who) * 1_000;
    else if (what === "unknown") this.#isTimeKnown = false;
    else if (what === "s") this.clock.advance(Number(who) * 1_000);
    else assert.fail(words);
    return null;
  }

  #path(name: string): string {
    return name.startsWith(".baton") ? name : `${this.#folder}/${name}`;
  }

  #contract(allowed: string, forbidden: string): string {
    const paths = allowed === "-" ? [] : [this.#path(allowed)];
    const terms = { plan_id: "1-1", phase_id: "phase-1", objective: "X", tasks: ["1-1-T1"], must_haves: ["X"] };
    return message("plan_contract", "lead", {
      ...terms,
      allowed_paths: paths,
      forbidden_paths: [this.#path(forbidden)],
    });
  }

  #write(path: string): void {
    const file = join(made.directory, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${this.#counter++}\n`);
  }

  #ask(team: TestTeam, who: string, path: string, via: Via) {
    const isMember = agents.some(({ agent }) => agent === who);
    return beforeWriting({
      program: "claude-code",
      event: event as NonNullable<typeof event>, // the program has this event
      context: "test",
      input: { toolInput: { file_path: path } } as never, // what this hook reads of it
      team: handleOf(team, isMember ? who : "", via),
      agent: isMember ? who : null,
      unknown: isMember ? null : who,
      helps: null,
      refused: null,
      line: (said) => `baton ${said.join(" ")}`,
      pathsOf: (file) => [file],
      head: async () => undefined,
      unchanged: async () => [],
      isThere: () => true,
      changedAs: async () => [],
    });
  }
}

function handleOf({ context }: TestTeam, agent: string, via: Via = "launcher") {
  return teamHandle(context, { agent, via }, () => Promise.resolve());
}

async function done(reply: Promise<{ readonly outcome: string }>): Promise<void> {
  const answer = await reply;
  assert.equal(answer.outcome, "accepted", JSON.stringify(answer));
}

async function play([settings, steps]: Sequence, folder: string): Promise<readonly (string | null)[]> {
  const team = new Play(folder, settings);
  await team.begin();
  const denials: (string | null)[] = [];
  for (const step of steps.split(", ")) denials.push(await team.step(step));
  return denials;
}

test(`a correct team is never denied an edit: ${correct.length} sequences`, async () => {
  for (const [index, sequence] of correct.entries()) {
    const denials = await play(sequence, `right${index}`);
    assert.deepEqual(
      denials.filter((each) => each !== null),
      [],
      JSON.stringify(sequence),
    );
  }
});

test(`an incorrect team always is, and reads who holds what and what to do: ${incorrect.length} sequences`, async () => {
  for (const [index, sequence] of incorrect.entries()) {
    const denials = await play(sequence, `wrong${index}`);
    const last = denials.at(-1);
    assert.deepEqual(
      denials.slice(0, -1).filter((each) => each !== null),
      [],
      `before the end: ${JSON.stringify(sequence)}`,
    );
    assert.match(last ?? "nothing was denied", sequence[2] ?? /never/, JSON.stringify(sequence));
  }
});

test("files that several agents edit are recognised by their names, in any folder and case", () => {
  const shared = ["package-lock.json", "web/yarn.lock", "docs/changelog.md", ".vbw-planning/STATE.md"];
  const own = ["src/lock.json", "a.ts", "changes/a.ts", "CHANGELOG-old/a.ts"];
  assert.deepEqual(withoutShared([...shared, ...own]), own);
  assert.deepEqual(withoutShared([...shared, "src/index.ts", "a.ts"], ["**/index.ts"]), ["a.ts"]);
});
