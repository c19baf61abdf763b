/**
 * What the stories share: a scratch git repository with a team and its journal, agents that speak, commits, and checks of
 * which the first that differs ends the story. Everything is real: the package, SQLite, git.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type JournalTeam, openJournalTeam } from "../src/doors/mcp/index.ts";
import type { Reply } from "../src/index.ts";
import { readAddress } from "../src/messages/role.ts";
import { problemsOf } from "../src/perform/operations/reply.ts";
import type { PhasePartView } from "../src/phases/view/phase-part-view.ts";
import type { PhaseView } from "../src/phases/view/phase-view.ts";

/** A message as an agent writes it. */
export type Wire = { readonly type?: string; readonly [field: string]: unknown };

/** Where a story is printed. */
export interface Stage {
  /** The repository, with the team file in `.baton/` and the journal in `.git/baton/`. */
  readonly directory: string;
  /** Types of the messages that were accepted so far. */
  readonly sent: ReadonlySet<string>;
  /** The team as an agent has it; `owner`: the person. */
  as(agent: string): Promise<JournalTeam>;
  /** The team as a program of the agent has it that stays, and whose silence is therefore noticed. */
  program(agent: string): Promise<JournalTeam>;
  /** Says what comes next. */
  step(title: string): void;
  /** Says more of it. */
  tell(line: string): void;
  /** The agent sends this, and it is accepted. The codes of what was noted. */
  say(agent: string, message: Wire, to?: readonly string[]): Promise<readonly string[]>;
  /** The agent sends this, and it is refused for this reason. The reasons in words. */
  refused(agent: string, message: Wire, code: string, to?: readonly string[]): Promise<readonly string[]>;
  /** An operation through a door is accepted. */
  done(act: Promise<Reply>): Promise<void>;
  /** An operation through a door is refused for this reason. */
  denied(act: Promise<Reply>, code: string): Promise<readonly string[]>;
  /** Writes files and commits them as this agent; the commit's id. */
  commit(agent: string, files: Readonly<Record<string, string>>, subject: string): string;
  /** The state of the phase. */
  phase(name: string): Promise<PhaseView>;
  /** A department's part of it; null: the whole team's. */
  part(name: string, department: PhasePartView["department"]): Promise<PhasePartView>;
}

/** A story: its name, the text of its team file, what happens. */
export interface Story {
  readonly name: string;
  readonly team: string;
  tell(stage: Stage): Promise<void>;
}

/** Compares, and ends the story where they differ. */
export function same(what: string, got: unknown, wanted: unknown): void {
  assert.deepEqual(got, wanted, `DIFFERS: ${what}`);
}

/** Tells the story whole in a new directory. Throws at the first difference; `keep`: where it is left, else nothing is. */
export async function tellStory(
  story: Story,
  options: { readonly keep?: string; say(line: string): void },
): Promise<void> {
  const directory = options.keep === undefined ? mkdtempSync(join(tmpdir(), "baton-story-")) : resolve(options.keep);
  const { stage, close } = openStage(directory, story.team, options.say);
  try {
    stage.commit("owner", { "README.md": `# ${story.name}\n` }, "Begin");
    await story.tell(stage);
    options.say("\nThe story went as told.");
  } finally {
    await close();
    if (options.keep === undefined) rmSync(directory, { recursive: true, force: true });
  }
}

/** A new stage in that directory: a git repository and the team file; the journal begins with what is done first. */
export function openStage(
  directory: string,
  team: string,
  say: (line: string) => void,
): { readonly stage: Stage; close(): Promise<void> } {
  mkdirSync(join(directory, ".baton"), { recursive: true });
  writeFileSync(join(directory, ".baton", "team.yaml"), team);
  writeFileSync(join(directory, ".baton", ".gitignore"), "*\n!team.yaml\n!.gitignore\n");
  git(directory, ["init", "-q", "-b", "main"]);
  // Where the command keeps it too: no commit can put a file there.
  mkdirSync(join(directory, ".git", "baton"));
  return stageAt(directory, team, say);
}

/** Tells the story for the command line: `--keep DIR` leaves its repository and journal; exit 1 where it differs. */
export async function runStory(story: Story): Promise<void> {
  const { keep } = parseArgs({ options: { keep: { type: "string" } } }).values;
  try {
    await tellStory(story, { ...(keep === undefined ? {} : { keep }), say: (line) => console.log(line) });
  } catch (problem) {
    console.error(problem instanceof Error ? problem.message : problem);
    process.exitCode = 1;
  }
}

function stageAt(directory: string, team: string, print: (line: string) => void) {
  const teams = new Map<string, Promise<JournalTeam>>();
  const sent = new Set<string>();
  const seat = (key: string, acting: ActingAs) => {
    const known = teams.get(key);
    if (known !== undefined) return known;
    const opened = openAs(directory, team, acting);
    teams.set(key, opened);
    return opened;
  };
  const as = (agent: string) => seat(agent, agent === "owner" ? {} : { agent });
  const send = async (agent: string, message: Wire, to: readonly string[] | undefined) => {
    const addressed = to === undefined ? {} : { to: to.map(address) };
    return (await as(agent)).send(JSON.stringify(message), addressed);
  };
  const phase = async (name: string) => {
    const found = await (await as("owner")).phases({ phase: name });
    assert.ok(found.ok, `DIFFERS: phase ${name} is not known`);
    const [view] = found.value;
    assert.ok(view !== undefined);
    return view;
  };
  const stage: Stage = {
    directory,
    sent,
    as,
    program: (agent) => seat(`${agent} stays`, { agent, program: `${agent}-program` }),
    step: (title) => print(`\n== ${title}`),
    tell: (line) => print(`   ${line}`),
    async say(agent, message, to) {
      const reply = await send(agent, message, to);
      const type = message.type ?? "a document";
      assert.equal(reply.outcome, "accepted", `DIFFERS: ${agent} sends ${type}: ${wordsOf(reply).join("; ")}`);
      if (reply.outcome !== "accepted") return [];
      sent.add(type);
      print(`   ${agent} -> ${reply.receivers.join(", ")}: ${type}`);
      for (const note of reply.notes) print(`      note: ${note.message}`);
      return reply.notes.map(({ code }) => code);
    },
    async refused(agent, message, code, to) {
      const reply = await send(agent, message, to);
      same(`${agent} sends ${message.type ?? "a document"}`, codeOf(reply), code);
      for (const reason of wordsOf(reply)) print(`   ${agent}: refused: ${reason}`);
      return wordsOf(reply);
    },
    async done(act) {
      const reply = await act;
      assert.equal(reply.outcome, "accepted", `DIFFERS: ${wordsOf(reply).join("; ")}`);
    },
    async denied(act, code) {
      const reply = await act;
      same("an act that must be refused", codeOf(reply), code);
      for (const reason of wordsOf(reply)) print(`   refused: ${reason}`);
      return wordsOf(reply);
    },
    commit: (agent, files, subject) => commitAs(directory, agent, files, subject),
    phase,
    async part(name, department) {
      const found = (await phase(name)).departments.find((each) => each.department === department);
      assert.ok(found !== undefined, `DIFFERS: ${department ?? "the team"} has no part of phase ${name}`);
      return found;
    },
  };
  const close = async () => {
    for (const opened of teams.values()) await (await opened)[Symbol.asyncDispose]();
  };
  return { stage, close };
}

/** Who acts through an opened team; nobody named: the owner. */
interface ActingAs {
  readonly agent?: string;
  readonly program?: string;
}

async function openAs(directory: string, text: string, acting: ActingAs): Promise<JournalTeam> {
  const opened = await openJournalTeam({
    journal: join(directory, ".git", "baton", "journal.db"),
    teamFile: { path: join(directory, ".baton", "team.yaml"), text },
    create: true,
    ...acting,
  });
  assert.ok(opened.ok, opened.ok ? "" : opened.error.map(({ message }) => message).join("; "));
  return opened.value;
}

function address(written: string) {
  const read = readAddress(written);
  assert.ok(read.ok, `a receiver: ${written}`);
  return read.value;
}

function codeOf(reply: Reply): string {
  return reply.outcome === "refused" ? (reply.problems[0]?.code ?? "") : reply.outcome;
}

function wordsOf(reply: Reply): readonly string[] {
  return problemsOf(reply).map(({ message }) => message);
}

function commitAs(directory: string, agent: string, files: Readonly<Record<string, string>>, subject: string): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  git(directory, ["add", "-A"]);
  const author = ["-c", `user.name=${agent}`, "-c", `user.email=${agent}@example.invalid`];
  git(directory, [...author, "commit", "-q", "--allow-empty", "-m", subject]);
  return git(directory, ["rev-parse", "HEAD"]).trim();
}

function git(directory: string, words: readonly string[]): string {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  return execFileSync("git", words, { cwd: directory, encoding: "utf8", env });
}

/** The text of a team file with these agents, each `[name, role, department, dialect]`. */
export function teamFile(
  name: string,
  dialects: readonly string[],
  agents: readonly (readonly [agent: string, role: string, department?: string, dialect?: string])[],
): string {
  const lines = agents.map(([agent, role, department, dialect]) => {
    const more = [
      ...(department === undefined || department === "" ? [] : [`department: ${department}`]),
      ...(dialect === undefined ? [] : [`dialect: ${dialect}`]),
    ];
    return `  ${agent}: {${[`role: ${role}`, ...more].join(", ")}}`;
  });
  return `version: 1\nteam: ${name}\ndialects: [${dialects.join(", ")}]\npolicy: enforce\nagents:\n${lines.join("\n")}\n`;
}
