/**
 * Work checked against git, through a hub: the hub judges what was reported by the repository next to it, and tells
 * what agents may change, so that the gate can judge a commit where its files are.
 */
import { z } from "zod";
import { type Problem, problem } from "../../../base/problem.ts";
import type { AgentStanding } from "../../../evidence/gate.ts";
import { shapeOf } from "../../../operations/define.ts";
import { type CheckRecord, type TaskVerdict, verdictStates } from "../../../operations/reply.ts";
import { noteShape, problemShape } from "../../../operations/shapes.ts";
import type { ArtifactVerdict } from "../../../runtime/evidence/artifact-verdicts.ts";
import type { EditAnswer } from "../../../runtime/evidence/edit-taking.ts";
import { json, refusal } from "../server/answers.ts";
import { type AskedOfTeam, given, type HubRepository, type Operation, teamOperation } from "./operation.ts";
import { artifactFields } from "./shapes.ts";

/* The shapes of verdicts and edit permissions, as `shapes.ts` has the others. */
const texts = z.array(z.string());

const checkShape = shapeOf<CheckRecord>()(
  z.object({
    check: z.string(),
    exitCode: z.int().nullable().describe("null: it could not be started, or was ended"),
    isTimedOut: z.boolean(),
    durationMs: z.int().min(0),
    outputDigest: z.string().describe("SHA-256 of what it printed"),
    outputBytes: z.int().min(0),
  }),
);

const commit = z.string().nullable();

const taskVerdictShape = shapeOf<TaskVerdict>()(
  z
    .object({
      task: z.string(),
      plan: z.string().nullable(),
      state: z.enum(verdictStates).describe("reported: nothing could be seen; complete: and the plan is summed up"),
      commit: commit.describe("the full id, of several the last; null: it was not found"),
      commits: z.array(z.string()),
      problems: z.array(problemShape),
      notes: z.array(noteShape).describe("what disputes nothing"),
      checks: z.array(checkShape).optional().describe("absent: none were run"),
    })
    .meta({ id: "TaskVerdict" }),
);

const artifactVerdictShape = shapeOf<ArtifactVerdict>()(
  z.object({ ...artifactFields, message: z.string().nullable().describe("its id") }).meta({ id: "ArtifactVerdict" }),
);

const standingShape = shapeOf<AgentStanding>()(
  z
    .object({
      agent: z.string(),
      mustClaim: z.boolean().describe("it may only change what it has claimed"),
      tasks: z.array(
        z.object({
          task: z.string(),
          scope: z.object({ allowed: texts, forbidden: texts }).nullable().describe("of the contract; null: none"),
          claimed: texts.nullable().describe("null: the claim names no files yet"),
        }),
      ),
      others: z
        .array(
          z.object({
            holder: z.string(),
            task: z.string().describe("empty: it edits the files and holds no task"),
            files: texts,
            isEdit: z.boolean().optional().describe("it holds them because it edits them; absent: by a claim"),
            since: z.string().optional().describe("RFC 3339"),
          }),
        )
        .describe("what others hold"),
    })
    .meta({ id: "Standing" }),
);

const editShape = shapeOf<EditAnswer>()(
  z
    .object({
      problems: z.array(problemShape).describe("empty: it may write them"),
      notes: z.array(noteShape),
      taken: texts.describe("files that the agent holds from now on"),
    })
    .meta({ id: "EditAnswer" }),
);

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
    answers: {
      200: { says: "The edit permissions of each agent.", shape: z.object({ standings: z.array(standingShape) }) },
    },
  },
  async ({ team, query: { when, agent } }) => {
    const found = await team.standings({ when, ...given({ agent }) });
    return found.ok ? json({ standings: found.value }) : refusal([found.error]);
  },
);

const edits = teamOperation(
  {
    name: "editFiles",
    method: "post",
    path: "/api/teams/{team}/edits",
    says:
      "Asks before files are written: what others hold, and what contract or claim do not allow, are problems. In a team whose " +
      "claims are made by edits the agent then holds the files.",
    access: "caller",
    body: z.strictObject({ files: texts.describe("paths from the repository's root") }),
    answers: { 200: { says: "Whether it may.", shape: editShape } },
  },
  async ({ team, body: { files } }) => {
    const asked = await team.editFiles(files);
    return asked.ok ? json(asked.value) : refusal([asked.error]);
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
    hint: "The person who runs the hub allows them with `baton up --run-checks`.",
  });
}

function signalOf({ desk, request }: AskedOfTeam): AbortSignal {
  return AbortSignal.any([desk.stopping, request.signal]);
}

export const verifyOperations: readonly Operation[] = [tasks, artifacts, standings, edits];
