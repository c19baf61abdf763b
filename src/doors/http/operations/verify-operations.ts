/**
 * Work held against git, through a hub: the hub judges what was reported by the repository beside it, and tells what agents
 * may change, so that the gate can judge a commit where its files are.
 */
import { z } from "zod";
import { type Problem, problem } from "../../../base/problem.ts";
import { json, refusal } from "../server/answers.ts";
import { given } from "./given.ts";
import { type AskedOfTeam, type HubRepository, type Operation, teamOperation } from "./operation.ts";
import { artifactVerdictShape, standingShape, taskVerdictShape } from "./verify-shapes.ts";

const tasks = teamOperation(
  {
    name: "verifyTasks",
    method: "post",
    path: "/api/teams/{team}/verify",
    says:
      "Judges reported completions now, by the hub's repository. What is new is recorded where the caller may judge: " +
      "the owner, leads, architects and qa. Asking again changes nothing more.",
    access: "caller",
    body: z.strictObject({
      tasks: z.array(z.string()).optional().describe("absent: all that are reported as complete"),
      runChecks: z.boolean().optional().describe("also the plans' checks, where the hub's operator allows it"),
      checkSeconds: z.number().positive().max(3_600).optional().describe("the longest time of one check"),
    }),
    answers: { 200: { says: "A verdict a task.", shape: z.object({ tasks: z.array(taskVerdictShape) }) } },
  },
  async (asked) => {
    const { tasks: named, runChecks = false, checkSeconds } = asked.body;
    const place = repositoryOf(asked);
    if ("code" in place) return refusal([place]);
    if (runChecks && !place.runsChecks) return refusal([runsNoChecks()]);
    const msMax = checkSeconds === undefined ? {} : { msMax: checkSeconds * 1000 };
    const judged = await asked.team.verify(place, {
      ...given({ tasks: named }),
      ...(runChecks ? { runChecks: msMax } : {}),
      signal: signalOf(asked),
    });
    return judged.ok ? json({ tasks: judged.value }) : refusal([judged.error]);
  },
);

const artifacts = teamOperation(
  {
    name: "verifyArtifacts",
    method: "post",
    path: "/api/teams/{team}/verify/artifacts",
    says: "Judges the artifacts that messages name in the same way.",
    access: "caller",
    body: z.strictObject({}),
    answers: { 200: { says: "A verdict a message.", shape: z.object({ messages: z.array(artifactVerdictShape) }) } },
  },
  async (asked) => {
    const place = repositoryOf(asked);
    if ("code" in place) return refusal([place]);
    const judged = await asked.team.verifyArtifacts(place, { signal: signalOf(asked) });
    return judged.ok ? json({ messages: judged.value }) : refusal([judged.error]);
  },
);

const standings = teamOperation(
  {
    name: "listStandings",
    method: "get",
    path: "/api/teams/{team}/standings",
    says: "What agents may change in the repository, by contracts and claims: what the gate for git asks.",
    access: "caller",
    query: z.strictObject({
      when: z.enum(["now", "ever"]).describe("what is held now, or what was held or reported ever"),
      agent: z.string().optional().describe("absent: the owner and every agent"),
    }),
    answers: { 200: { says: "A standing an agent.", shape: z.object({ standings: z.array(standingShape) }) } },
  },
  async ({ team, query: { when, agent } }) => {
    const found = await team.standings({ when, ...given({ agent }) });
    return found.ok ? json({ standings: found.value }) : refusal([found.error]);
  },
);

/** The hub's repository, where it is that of the team. */
function repositoryOf({ desk, team }: AskedOfTeam): HubRepository | Problem {
  if (desk.repository !== null && desk.hub.home === team.name) return desk.repository;
  return problem("repository-missing", team.name, "This hub looks into no repository for the team.", {
    hint: "Verify where its files are, or start the hub with `baton up --repository DIR` and without --no-verify.",
  });
}

function runsNoChecks(): Problem {
  return problem("sender-not-authorised", "runChecks", "This hub runs no checks: they are shell that agents wrote.", {
    hint: "Whoever runs the hub allows them with `baton up --run-checks`.",
  });
}

function signalOf({ desk, request }: AskedOfTeam): AbortSignal {
  return AbortSignal.any([desk.stopping, request.signal]);
}

export const verifyOperations: readonly Operation[] = [tasks, artifacts, standings];
