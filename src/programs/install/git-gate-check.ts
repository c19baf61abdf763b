/** What `baton doctor` says of git: whether it trusts each worktree, and comes to the gate there. */
import type { Problem } from "../../base/problem.ts";
import { gateTree, isGateInstalled } from "../../evidence/decide/git-hooks.ts";
import { openRepository, workTreesOf } from "../../evidence/git/repository.ts";
import type { Config } from "../../perform/workspace/config.ts";
import type { Check } from "./examined-programs.ts";
import { good } from "./journal-check.ts";

const name = "git gate";

/** A check a worktree of the repository around the folder; none where there is no repository. */
export async function gitGateChecks({ directory, environment }: Config): Promise<readonly Check[]> {
  const options = { environment: environment() };
  const opened = await openRepository(directory, options);
  if (!opened.ok) return opened.error.code === "repository-missing" ? [] : [refused(directory, opened.error)];
  await using repository = opened.value;
  const listed = await workTreesOf(repository);
  if (!listed.ok) return [refused(directory, listed.error)];
  const isInstalled = isGateInstalled(repository);
  const checks: Check[] = [];
  for (const { directory: place } of listed.value) {
    const tree = await gateTree(place, options);
    if (!tree.ok) checks.push(refused(place, tree.error));
    else if (isInstalled) checks.push(tree.value.isGated ? good(name, place) : passedBy(place, tree.value.hooks));
  }
  const advice = "`baton install git-hooks` lets git ask before each commit and push";
  return isInstalled || checks.length > 0 ? checks : [{ ...good(name, "not installed"), advice }];
}

function passedBy(place: string, hooks: string): Check {
  const finding = `${place}: git does not come to the gate: its hooks here are those of ${hooks}`;
  return {
    check: name,
    state: "warn",
    finding,
    advice: "run any command of Baton's there, or baton install git-hooks",
  };
}

/** Git reads no folder that belongs to somebody else, unless its user says so. */
function refused(place: string, { message, hint }: Problem): Check {
  const isForeign = message.includes("dubious ownership");
  const advice = isForeign ? `if you trust it: git config --global --add safe.directory ${place}` : (hint ?? null);
  return { check: name, state: "fail", finding: `${place}: ${message}`, advice };
}
