/**
 * What the demo promises, looked for when everybody has ended: nothing here comes from what the agents said while they
 * worked, it is read from the journal's file and from git.
 */
import type { Problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import { openTeam, openTeamJournal } from "../../src/perform/open.ts";
import type { Stage } from "./stage.ts";
import { taskCount, teamName, wantedFile } from "./story.ts";

/** More lines than the record of a demo has. */
const linesMax = 1_000;

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
  /** The tasks, and whether git shows their work on the main branch. */
  readonly tasks: readonly { readonly task: string; readonly title: string; readonly isOnMain: boolean }[];
  /** Who reported what git did not confirm. */
  readonly liars: readonly string[];
  /** Why verified work went back to its author: `conflict` or `check`, each time. */
  readonly returned: readonly string[];
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
  const [status, listed] = [await team.status(), await team.tasks()];
  if (!status.ok) return err([status.error]);
  if (!listed.ok) return err([listed.error]);
  const linesOf = async (...words: string[]) => (await git(...words)).stdout.split("\n").filter((each) => each !== "");
  const tasks: Evidence["tasks"][number][] = [];
  const liars: string[] = [];
  for (const { task, title, commit } of listed.value) {
    const found = await team.task({ task });
    if (!found.ok) return err([found.error]);
    const { code } = await git("merge-base", "--is-ancestor", commit ?? "none", "main");
    tasks.push({ task, title: title ?? task, isOnMain: code === 0 });
    liars.push(...found.value.disputes.map((each) => each.reporter));
  }
  const returned: string[] = [];
  for await (const line of team.log({ limit: linesMax })) {
    const [, why] = (line.ok && /^did not land .*?(conflict|check)/.exec(line.value.summary)) || [];
    if (why !== undefined) returned.push(why);
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
    returned: returned.toSorted(),
    authors: [...new Set(await linesOf("log", "--all", "--format=%an", "--no-merges", "--", wantedFile))],
  });
}

/** What does not hold, a sentence each; none: the demo shows what it promises. */
export function problemsIn({ broken, unread, tasks, liars, returned, authors }: Evidence): readonly string[] {
  const wanted: readonly (readonly [boolean, string])[] = [
    [isSame(liars, ["dev-3"]), `the reports of ${liars.join(" and ") || "nobody"} were disputed, not the one of dev-3`],
    [tasks.length === taskCount, `there are ${tasks.length} tasks, not ${taskCount}`],
    ...tasks.map(({ task, isOnMain }): [boolean, string] => [isOnMain, `the work of ${task} is not on main`]),
    [isSame(returned, ["check", "conflict"]), `work went back for ${returned.join(" and ") || "nothing"}`],
    [isSame(authors, ["owner", "dev-1", "dev-2"]), `${wantedFile} was changed by ${authors.join(" and ")}`],
    [unread.length === 0, `mail was not acknowledged by ${unread.join(" and ")}`],
  ];
  return [...broken, ...wanted.filter(([holds]) => !holds).map(([, words]) => words)];
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.toSorted().join("\n") === other.toSorted().join("\n");
}
