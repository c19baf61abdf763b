/**
 * Cases written as stories: a repository that shell commands make, tasks of a team in front of it, and what the team says of
 * them in the end. The team is a real one; all that is known of git here is the shell.
 *
 * A story is a title, what is right by common sense (`> T1 landed, T2 caught outside-claim`), and its steps. A line is one
 * of these, or else goes to the shell:
 *   `task T FILES [after TASKS]`: a task is recorded. `contract PATHS [not PATHS]`: so is its plan's contract.
 *   `done T [COMMITS] [listed FILES]`: it is claimed with its files, reported, and judged. `report`: it is not judged yet;
 *   `guess`: its files are only what it expects; `again`: it was reported before.
 *   `look`: somebody looks where all work is. `in FOLDER`: the rest is there. `env NAME=VALUE`: Baton runs so.
 *   `main T` and `branch T`: a task with `src/a.ts`, done on main, or on the branch `f`.
 * `missed: REASON` marks what nothing shows. A title may end with the words for `git init`. `# GROUP` begins a group.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { readTips } from "../../../src/evidence/git/tips.ts";
import { typedMessage } from "../../../src/testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../../src/testing/test-team.ts";
import { temporaryFolder } from "../../crash/folder.ts";

export interface Story {
  readonly title: string;
  readonly right: string;
  readonly missed: string | null;
  readonly init: string;
  readonly steps: readonly string[];
}

/** The stories of a text, with blank lines between. */
export function storiesIn(text: string): readonly Story[] {
  let group = "";
  return text
    .trim()
    .split(/\n\n+/)
    .flatMap((story): readonly Story[] => {
      const [head = "", ...lines] = story.split("\n");
      if (head.startsWith("# ")) {
        group = head.slice(2);
        return [];
      }
      const [, title = "", init = ""] = /^(.*?)(?: (--\S+))?$/.exec(head) ?? [];
      const after = (mark: string) => lines.find((line) => line.startsWith(mark))?.slice(mark.length) ?? null;
      const steps = lines.filter((line) => !/^(?:>|missed:) /.test(line)).flatMap((line) => openings(line));
      return [{ title: `${group}: ${title}`, init, right: after("> ") ?? "", missed: after("missed: "), steps }];
    });
}

function openings(line: string): readonly string[] {
  const [, where, task = ""] = /^(main|branch) (\S+)$/.exec(line) ?? [];
  if (where === undefined) return [line];
  const work = [`task ${task} src/a.ts`, "work", `done ${task}`];
  return where === "main" ? work : ["git checkout -qb f", ...work, "git checkout -q main"];
}

const prelude = `set -e; edit(){ for f in "$@"; do echo "work $RANDOM$RANDOM" >> "$f"; done; }
ci(){ git add -A; git commit -qm "$([ $# -gt 0 ] && echo "$1" || echo work)"; }
work(){ edit "$([ $# -gt 0 ] && echo "$1" || echo src/a.ts)"; ci; }
h(){ git rev-parse "$([ $# -gt 0 ] && echo "$1" || echo HEAD)"; }\n`;

const configuration = `[user]\n\tname = dev\n\temail = dev@example.invalid\n[init]\n\tdefaultBranch = main
[advice]\n\tdetachedHead = false\n[protocol "file"]\n\tallow = always\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n`;

const base = `mkdir -p src lib docs; for f in src/a.ts src/b.ts src/c.ts lib/x.ts; do
printf 'line1 %s\\nline2\\nline3\\nline4\\nline5\\n' $f > $f; done; echo '#!/bin/sh' > run.sh; ci base`;

/** Makes a test of each story: what the team says in the end is what is right. */
export function testStories(stories: readonly Story[]): void {
  for (const story of stories)
    test(story.title, async () => {
      using folder = temporaryFolder("memory");
      assert.equal(await play(folder.path, story), story.right);
    });
}

/** Plays the story in a new folder of `root`; answers what the team says of each task that `right` names. */
async function play(root: string, { title, init, right, steps }: Story): Promise<string> {
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? "",
    HOME: root,
    GIT_CONFIG_NOSYSTEM: "1",
    LC_ALL: "C.UTF-8",
    R: root,
  };
  const batons = { ...environment };
  const bash = (cwd: string, text: string): string =>
    execFileSync("bash", ["-c", prelude + text], {
      cwd,
      env: environment,
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["ignore", "pipe", "pipe"],
    }).trim();
  writeFileSync(join(root, ".gitconfig"), configuration);
  const template = join(root, `template${init}`);
  if (!existsSync(template)) {
    mkdirSync(template);
    bash(template, `git init -q ${init}; ${base}`);
  }
  const place = { directory: join(root, title.replace(/[^A-Za-z0-9]+/g, "-")), environment: batons };
  cpSync(template, place.directory, { recursive: true });
  await using team = await testTeam({
    agents: [
      { agent: "lead-1", role: "lead" },
      { agent: "dev-1", role: "dev" },
    ],
    readBranches: () => readTips(place.directory, place),
    ...(steps.some((step) => step.startsWith("guess ")) ? { scope: "advisory" as const } : {}),
  });
  const filesOf = new Map<string, readonly string[]>();
  for (const step of steps) {
    const [word, rest] = split(step, " ");
    if (word === "in") place.directory = resolve(place.directory, rest.replace("$R", root));
    else if (word === "env") batons[split(rest, "=")[0]] = split(rest, "=")[1].replaceAll("$R", root);
    else if (word === "contract") await contract(team, rest);
    else if (word === "look") await verdicts(team, place);
    else if (word === "task") {
      const [, task = "", named = "", needs] = /^(\S+) ?(.*?)(?: after (.*))?$/.exec(rest) ?? [];
      const files = named === "" ? [] : named.split(",");
      filesOf.set(task, files);
      await accepted(
        team.as("lead-1").addTask({
          task,
          ...(files.length === 0 ? {} : { files }),
          ...(needs === undefined ? {} : { dependsOn: needs.split(",") }),
        }),
      );
    } else if (["done", "report", "guess", "again"].includes(word)) {
      const [, task = "", names = "", listed] = /^(\S+) ?(.*?)(?: listed (.*))?$/.exec(rest) ?? [];
      const files = filesOf.get(task) ?? [];
      const claimed = files.length === 0 || word === "guess" ? {} : { files };
      if (word !== "again") await accepted(team.as("dev-1").claim({ task, ...claimed }));
      const commits = bash(place.directory, `git rev-parse ${names === "" ? "HEAD" : names}`).split("\n");
      const told = listed === undefined ? {} : { files: listed.split(",") };
      await accepted(team.as("dev-1").complete({ task, commit: commits, ...told }));
      if (word !== "report") await verdicts(team, place);
    } else bash(place.directory, step);
  }
  const found = await verdicts(team, place);
  assert.deepEqual(await verdicts(team, place), found, "to look again changes nothing");
  return right
    .split(", ")
    .map((each) => split(each, " ")[0])
    .map((task) => `${task} ${found.get(task) ?? "unknown"}`)
    .join(", ");
}

function split(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

async function accepted(asked: Promise<{ readonly outcome: string }>): Promise<void> {
  const reply = await asked;
  assert.equal(reply.outcome, "accepted", JSON.stringify(reply));
}

/** The contract of plan 1-1, of which all tasks are that are named like it. */
async function contract(team: TestTeam, rest: string): Promise<void> {
  const [allowed, forbidden] = split(rest, " not ");
  const paths = { allowed_paths: allowed.split(","), forbidden_paths: forbidden === "" ? [] : forbidden.split(",") };
  await accepted(team.as("lead-1").send(JSON.stringify(typedMessage("plan_contract", paths))));
}

/** Has everything judged and looked for, and says of each task where its work is, or what became of it, and why. */
async function verdicts(
  team: TestTeam,
  place: { readonly directory: string; readonly environment: Readonly<Record<string, string>> },
): Promise<ReadonlyMap<string, string>> {
  const owner = team.as("owner");
  const judged = await owner.verify(place);
  assert.ok(judged.ok, JSON.stringify(judged));
  const tasks = await owner.tasks();
  assert.ok(tasks.ok);
  return new Map(
    tasks.value.map(({ task, state, place: at, problems, notes, unseen }) => {
      const told = judged.value.find((each) => each.task === task);
      const reasons =
        problems.length > 0 || state !== "reported" ? problems : (told?.problems ?? unseen?.problems ?? []);
      const codes = [...reasons, ...notes]
        .map(({ code }) => code)
        .filter((code) => (state !== "gone" && state !== "reverted") || code !== "work-reverted");
      const names: Readonly<Record<string, string>> = {
        disputed: "caught",
        reported: "asked",
        verified: at?.at ?? "verified",
      };
      return [task, [...new Set([names[state] ?? state, ...codes])].join(" ")];
    }),
  );
}
