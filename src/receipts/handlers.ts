/** Makes the receipt of a task. Rules: docs/protocol/verdicts.md, section 13. */
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, type Result } from "../base/result.ts";
import { entriesAt, isAncestor, linesOf, look } from "../evidence/git/questions.ts";
import { openRepository } from "../evidence/git/repository.ts";
import { tipOf } from "../evidence/git/tips.ts";
import type { RepositoryPlace } from "../evidence/services/gate.ts";
import type { Actor, TeamContext } from "../perform/context.ts";
import type { ShowReceipt } from "../perform/operations/generated/calls.ts";
import { packageFacts } from "../perform/workspace/package-root.ts";
import { type SignedReceipt, signed } from "../perform/workspace/receipt-key.ts";
import { findTask } from "../tasks/state/task-state.ts";
import { payloadType, type Receipt, statementOf } from "./view.ts";

/**
 * The task's receipt, signed with the key of the user who runs this, which is made where there is none. Refuses
 * `unknown-task`, `not-ready` (not verified), `repository-missing` and `settings-file` (the key).
 */
export async function receipt(
  { journal, team, repository }: TeamContext,
  _: Actor,
  { task: id, plan }: ShowReceipt,
): Promise<Result<SignedReceipt, Problem>> {
  const folded = await journal.state(team);
  if (!folded.ok) return folded;
  const { state, head } = folded.value;
  const task = findTask(state.coordination.work, id, plan ?? null);
  if (task === null) return err(unknownTask(id));
  const { version } = packageFacts();
  const statement = statementOf(state, task, { seq: head.seq, hash: head.hash, version });
  if (!statement.ok) return statement;
  if (repository === undefined) return err(noRepository);
  const { predicate, ...rest } = statement.value;
  const found = { ...rest, predicate: await presentIn(repository, predicate) };
  return await signed(repository, payloadType, JSON.stringify(found));
}

/** Most commits of the branch's own line that are looked at for the one that brought the work. */
const lineMax = 100;

/**
 * Where others find the work: a pull request by squash brought it in another commit than that with which Baton landed it,
 * and Baton's checks ran on its own. What git does not answer stays as it is recorded.
 */
async function presentIn({ directory, ...options }: RepositoryPlace, told: Receipt): Promise<Receipt> {
  const { landed, files } = told;
  if (landed === null) return told;
  const opened = await openRepository(directory, options);
  if (!opened.ok) return told;
  await using repository = opened.value;
  const found = await look(async () => {
    const tip = await tipOf(repository, landed.branch);
    if (tip === null || (await isAncestor(repository, landed.commit, tip))) return null;
    const words = ["rev-list", "--first-parent", `--max-count=${lineMax}`, tip, `^${landed.commit}`];
    const line = await linesOf(repository, words);
    const kept = (files ?? []).flatMap(({ path, content }) => (content === undefined ? [] : [{ path, content }]));
    for (const commit of kept.length === 0 ? [] : line.toReversed()) {
      const there = await entriesAt(
        repository,
        commit,
        kept.map(({ path }) => path),
      );
      if (kept.every(({ path, content }) => (there.get(path)?.id ?? null) === content)) return commit;
    }
    return tip;
  });
  if (!found.ok || found.value === null) return told;
  const { branch, override, checks = [] } = landed;
  const all = [...(told.checks ?? []), ...checks];
  const where = { branch, commit: found.value, ...(override === undefined ? {} : { override }) };
  return { ...told, checks: all.length === 0 ? null : all, landed: where };
}

function unknownTask(id: string): Problem {
  return makeProblem("unknown-task", "$.body.taskId", "There is no such task, or several are called so.", {
    received: id.slice(0, 64).toWellFormed(),
    hint: "`baton task list` shows the tasks. Name the plan too where several have a task of that name.",
  });
}

const noRepository = makeProblem(
  "repository-missing",
  "repository",
  "No repository is known here, so nothing is signed.",
  {
    hint: "Ask where the team's repository is, or start the hub in it.",
  },
);
