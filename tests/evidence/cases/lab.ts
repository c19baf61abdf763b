/**
 * A case: a repository that shell commands make, tasks that are reported in it, and what Baton says of them: at the report,
 * and at each later look.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { follow } from "../../../src/evidence/decide/following.ts";
import { lookingAt } from "../../../src/evidence/decide/looking.ts";
import { type OtherWork, type Verdict, verifyCompletion } from "../../../src/evidence/decide/verdict.ts";
import { look } from "../../../src/evidence/git/questions.ts";
import { openRepository } from "../../../src/evidence/git/repository.ts";
import { mainTipsOf, tipsOf } from "../../../src/evidence/git/tips.ts";
import type { TakenWork, Whereabouts } from "../../../src/evidence/state.ts";

/**
 * What is right by common sense: done; gone; part gone, and told; caught; a person is asked; or done with a note.
 * `believed`: a lie that nothing shows, see what a verdict does not prove.
 */
export type Right = "done" | "gone" | "part-gone" | "caught" | "asked" | "believed" | `noted ${string}`;
export type Case = readonly [
  name: string,
  right: Readonly<Record<string, Right>>,
  run: (lab: Lab) => Promise<void>,
  init?: string,
];

const prelude =
  'set -e; edit(){ for f in "$@"; do echo "work $RANDOM$RANDOM" >> "$f"; done; }; ' +
  'ci(){ git add -A; git commit -qm "$([ $# -gt 0 ] && echo "$1" || echo work)"; }; ' +
  'h(){ git rev-parse "$([ $# -gt 0 ] && echo "$1" || echo HEAD)"; };\n';

interface Known {
  readonly files: readonly string[] | null;
  readonly recorded: readonly string[];
  readonly needs: readonly string[];
  commits: readonly string[];
  verdict: Verdict | null;
  grown: TakenWork | null;
  place: Whereabouts | null;
}

interface Reporting {
  readonly listed?: readonly string[];
  readonly trailer?: string;
}

/** One repository with its tasks. */
export class Lab {
  readonly root: string;
  directory: string;
  readonly #tasks = new Map<string, Known>();

  /** Makes the repository in a folder of `root`. */
  constructor(root: string, name: string, init = "") {
    this.root = root;
    this.directory = join(root, name.replace(/[^A-Za-z0-9]+/g, "-"));
    writeFileSync(
      join(root, ".gitconfig"),
      '[user]\n\tname = dev\n\temail = dev@example.invalid\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n[protocol "file"]\n\tallow = always\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n',
    );
    const template = join(root, `template${init}`);
    if (!existsSync(template)) {
      mkdirSync(template);
      this.#bash(
        template,
        `git init -q ${init}; mkdir -p src lib docs; for f in src/a.ts src/b.ts src/c.ts lib/x.ts; do printf 'line1 %s\\nline2\\nline3\\nline4\\nline5\\n' $f > $f; done; echo '#!/bin/sh' > run.sh; ci base`,
      );
    }
    cpSync(template, this.directory, { recursive: true });
  }

  get environment(): Record<string, string> {
    return { PATH: process.env.PATH ?? "", HOME: this.root, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C.UTF-8", R: this.root };
  }

  #bash(directory: string, text: string): string {
    const options = { cwd: directory, env: this.environment, encoding: "utf8", maxBuffer: 1 << 28 } as const;
    return execFileSync("bash", ["-c", prelude + text], { ...options, stdio: ["ignore", "pipe", "pipe"] }).trim();
  }

  /** Runs shell commands in the repository. */
  sh(text: string): string {
    return this.#bash(this.directory, text);
  }

  /** A task is recorded. */
  async add(task: string, files: readonly string[] | null, needs: readonly string[] = []): Promise<void> {
    const recorded = this.sh("git for-each-ref --format='%(objectname)' refs/heads/ refs/remotes/").split("\n");
    this.#tasks.set(task, { files, recorded, needs, commits: [], verdict: null, grown: null, place: null });
    await Promise.resolve();
  }

  #task(task: string): Known {
    const known = this.#tasks.get(task);
    assert.ok(known !== undefined, task);
    return known;
  }

  /** The task is reported at these commits, and nobody has judged it yet. */
  reported(task: string, commits: string | readonly string[]): Known {
    const known = this.#task(task);
    const names = typeof commits === "string" ? [commits] : commits;
    known.commits = names.map((name) => (/^[0-9a-f]{40,64}$/.test(name) ? name : this.sh(`git rev-parse ${name}`)));
    return known;
  }

  /** The same, judged, and looked at. */
  async done(task: string, commits: string | readonly string[], reporting: Reporting = {}): Promise<void> {
    const known = this.reported(task, commits);
    const opened = await openRepository(this.directory, { environment: this.environment });
    assert.ok(opened.ok);
    await using repository = opened.value;
    const others = [...this.#tasks].flatMap(([name, other]): readonly OtherWork[] => {
      if (name === task || other.commits.length === 0 || other.verdict?.state === "disputed") return [];
      const isThere = other.verdict?.state === "verified" && other.place?.at !== "gone";
      return [
        {
          task: name,
          commits: other.commits,
          claimed: other.files,
          work: isThere ? (other.verdict?.evidence?.work ?? null) : null,
        },
      ];
    });
    const verdict = await verifyCompletion(repository, {
      ...(reporting.trailer === undefined ? {} : { task: reporting.trailer }),
      commits: known.commits,
      filesModified: reporting.listed ?? null,
      scope: null,
      claimed: known.files,
      branches: { recorded: { ids: known.recorded, isCut: false }, isFinishedBefore: false },
      others,
      needs: known.needs,
    });
    // A further report never makes worse what is verified and there.
    const isKept = known.verdict?.state === "verified" && known.place?.at !== "gone" && verdict.state !== "verified";
    if (!isKept) Object.assign(known, { verdict, place: null, grown: null });
    await this.look();
  }

  /** Somebody looks where all verified work is. */
  async look(): Promise<void> {
    const opened = await openRepository(this.directory, { environment: this.environment });
    assert.ok(opened.ok);
    await using repository = opened.value;
    const found = await look(async () => {
      const tips = await tipsOf(repository);
      const places = { tips, main: await mainTipsOf(repository, tips, null) };
      const looking = lookingAt(repository);
      const works = [...this.#tasks].flatMap(([task, { verdict }]) =>
        verdict?.state === "verified" && verdict.evidence !== null ? [{ task, work: verdict.evidence.work }] : [],
      );
      for (const { task, work } of works) {
        const known = this.#task(task);
        const others = works.filter((each) => each.task !== task);
        const how = { others, ...(known.place === null ? {} : { before: known.place }) };
        const first = await follow(looking, { work, ...how }, places);
        const isLost = first.place?.at === "gone" && known.grown !== null && known.place?.at === "branch";
        const seen =
          isLost && known.grown !== null ? await follow(looking, { work: known.grown, ...how }, places) : first;
        if (seen.place !== null) known.place = { ...seen.place, notes: seen.notes };
        known.grown = seen.grown ?? known.grown;
      }
    });
    assert.ok(found.ok, JSON.stringify(found));
  }

  /** What Baton says of the task in the end. */
  said(task: string, right: Right): string {
    const { verdict, place } = this.#task(task);
    const codes = [...(verdict?.problems ?? []), ...(verdict?.notes ?? []), ...(place?.notes ?? [])].map(
      ({ code }) => code,
    );
    if (verdict?.state === "disputed") return "caught";
    if (verdict?.state === "undecided") return "asked";
    if (place?.at === "gone") return "gone";
    if (codes.includes("part-gone")) return "part-gone";
    if (right.startsWith("noted ") && codes.includes(right.slice("noted ".length))) return right;
    return right === "believed" ? "believed" : "done";
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
