/**
 * What the demo promises, looked for when everybody has ended: nothing here comes from what the agents said while they
 * worked, it is read from the journal's file and from git.
 */
import type { Problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import { openTeam, openTeamJournal } from "../../src/perform/open.ts";
import type { Stage } from "./stage.ts";
import { question, teamName, wantedFile, works } from "./story.ts";

/** What journal and git hold. */
export interface Evidence {
  readonly entries: number;
  readonly messages: number;
  /** The hash of the last entry, which stands for all before it, and what is wrong with the chain. */
  readonly head: string;
  readonly broken: readonly string[];
  /** Agents with mail that they never acknowledged. */
  readonly unread: readonly string[];
  /** The tasks with their last reports, and what git shows of the commit. */
  readonly tasks: readonly {
    readonly task: string;
    readonly state: string;
    readonly reporter: string | null;
    readonly files: readonly string[];
    readonly inGit: { readonly author: string; readonly files: readonly string[] };
  }[];
  /** Who reported what git did not confirm. */
  readonly liars: readonly string[];
  readonly decidedBy: string | null;
  /** Who ever changed the file that two agents wanted. */
  readonly authors: readonly string[];
}

/** Reads what a stage that has ended left. Refuses what the journal refuses. */
export async function readEvidence({ journal, git }: Stage): Promise<Result<Evidence, readonly Problem[]>> {
  const file = await openTeamJournal(journal, { readOnly: true });
  if (!file.ok) return err([file.error]);
  await using chain = file.value;
  const verified = await chain.verify();
  const opened = await openTeam({ journal, team: teamName, readOnly: true });
  if (!opened.ok) return opened;
  await using team = opened.value;
  const [status, asked] = [await team.status(), await team.escalations({ all: true, escalation: question.id })];
  if (!status.ok) return err([status.error]);
  const linesOf = async (...words: string[]) => (await git(...words)).stdout.split("\n").filter((each) => each !== "");
  const tasks: Evidence["tasks"][number][] = [];
  const liars: string[] = [];
  for (const { task } of works) {
    const found = await team.task({ task });
    if (!found.ok) return err([found.error]);
    const { state, reporter, commit, files } = found.value.task;
    const [author = "nobody", ...changed] = await linesOf("show", "--name-only", "--format=%an", commit ?? "none");
    tasks.push({ task, state, reporter, files, inGit: { author, files: changed } });
    liars.push(...found.value.disputes.map((each) => each.reporter));
  }
  const [chained] = verified.teams;
  return ok({
    entries: chained?.entries ?? 0,
    head: chained?.head.hash ?? "none",
    broken: verified.problems.map(({ message }) => message),
    messages: status.value.counts.message,
    unread: status.value.agents.filter(({ unread }) => unread > 0).map(({ agent }) => agent),
    tasks,
    liars,
    decidedBy: asked.ok ? (asked.value[0]?.decision?.decidedBy ?? null) : null,
    authors: [...new Set(await linesOf("log", "--all", "--format=%an", "--", wantedFile))],
  });
}

/** What does not hold, a sentence each; none: the demo shows what it promises. */
export function problemsIn({ broken, unread, tasks, liars, decidedBy, authors }: Evidence): readonly string[] {
  const wanted: readonly (readonly [boolean, string])[] = [
    [isSame(liars, ["dev-2"]), `the reports of ${liars.join(" and ") || "nobody"} were disputed, not the one of dev-2`],
    ...tasks.flatMap(({ task, state, reporter, files, inGit }): [boolean, string][] => [
      [state === "complete", `${task} is ${state}, not complete`],
      [inGit.author === reporter && isSame(inGit.files, files), `git does not bear out the report of ${task}`],
    ]),
    [decidedBy === "owner", "the question was not decided by the person"],
    [isSame(authors, ["owner", "dev-1"]), `${wantedFile} was changed by ${authors.join(" and ")}`],
    [unread.length === 0, `mail was not acknowledged by ${unread.join(" and ")}`],
  ];
  return [...broken, ...wanted.filter(([holds]) => !holds).map(([, words]) => words)];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join("\n") === other.toSorted().join("\n");
}
