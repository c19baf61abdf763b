/** Makes the receipt of a task. Rules: docs/protocol/verdicts.md, section 13. */
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, type Result } from "../base/result.ts";
import { isAncestor, look } from "../evidence/git/questions.ts";
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
  const landed = predicate.landed === null ? null : await presentIn(repository, predicate.landed);
  return await signed(repository, payloadType, JSON.stringify({ ...rest, predicate: { ...predicate, landed } }));
}

type Landed = NonNullable<Receipt["landed"]>;

/**
 * Where others find the work: a pull request by squash brought it in another commit than that with which Baton landed it,
 * and nobody ran Baton's checks on that. What git does not answer stays as it is recorded.
 */
async function presentIn({ directory, ...options }: RepositoryPlace, landed: Landed): Promise<Landed> {
  const opened = await openRepository(directory, options);
  if (!opened.ok) return landed;
  await using repository = opened.value;
  const { branch, commit, override } = landed;
  const found = await look(async () => {
    const tip = await tipOf(repository, branch);
    return tip === null || (await isAncestor(repository, commit, tip)) ? null : tip;
  });
  if (!found.ok || found.value === null) return landed;
  return { branch, commit: found.value, ...(override === undefined ? {} : { override }) };
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
