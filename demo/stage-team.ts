/** The team on the stage: its files in a repository, a token for each agent, and how an agent reaches it through the hub. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Problem } from "../src/base/problem.ts";
import { err, ok, type Result } from "../src/base/result.ts";
import { openTeam } from "../src/perform/open.ts";
import { problemsOf } from "../src/perform/operations/reply.ts";
import type { Team } from "../src/perform/team.ts";
import type { AgentOrder } from "./agents/agent-process.ts";
import type { Environment } from "./story/programs.ts";
import { makeRepository, type Repository } from "./story/repository.ts";
import { castMembers, demoTeam, demoTeamFile, projectFiles } from "./story/story.ts";

/** The repository with the project, and the team's definition in it. */
export async function prepare(
  directory: string,
  environment: Environment,
  disappearSeconds: number | null,
): Promise<Result<Repository, readonly Problem[]>> {
  mkdirSync(join(directory, ".baton"), { recursive: true });
  const files = {
    ...projectFiles,
    ".baton/team.yaml": demoTeamFile(disappearSeconds),
    ".baton/.gitignore": "*\n!.gitignore\n!team.yaml\n",
  };
  for (const name of [".baton/team.yaml", ".baton/.gitignore"] as const) {
    writeFileSync(join(directory, name), files[name]);
  }
  const first = { author: "owner", subject: "The shop as it is", files, occasion: "start" };
  const made = await makeRepository(directory, environment, first);
  return made.ok ? made : err([made.error]);
}

/** A token for each agent, made by the owner, who has the journal's file; the hub reads their hashes from it. */
export async function issueTokens(journal: string): Promise<Result<ReadonlyMap<string, string>, readonly Problem[]>> {
  const opened = await openTeam({ journal, team: demoTeam });
  if (!opened.ok) return opened;
  await using team = opened.value;
  const tokens = new Map<string, string>();
  for (const { agent } of castMembers) {
    const issued = await team.issueToken({ agent });
    if (issued.outcome !== "accepted") return err(problemsOf(issued));
    if (issued.token !== null) tokens.set(agent, issued.token);
  }
  return ok(tokens);
}

/** The team as the order's agent has it through the hub. */
export async function teamFor(
  { hub: url, team, agent, token }: AgentOrder,
  stays: boolean,
  signal: AbortSignal,
): Promise<Team> {
  const { connectHub } = await import("../src/doors/http/client/client.ts");
  const program = stays ? { program: `${agent}-next-phase` } : {};
  const found = await connectHub({ url, team, agent, token, ...program, signal, say: () => undefined });
  const opened = found.ok ? found.value.team() : found;
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** Registers every agent of the cast again, as the owner does, so that each may work after a shutdown. */
export async function callBack(journal: string): Promise<void> {
  const opened = await openTeam({ journal, team: demoTeam });
  if (!opened.ok) throw new Error(opened.error[0]?.message);
  await using team = opened.value;
  for (const { agent, role, dialect } of castMembers) {
    const reply = await team.register({ agent, role, dialect });
    if (reply.outcome !== "accepted") throw new Error(JSON.stringify(reply));
  }
}
