/**
 * The shapes of what the hub answers, for its OpenAPI document and for those who read it. Each is compared by the
 * compiler with the type of the runtime that it describes, and by tests with what is really sent.
 */
import { z } from "zod";
import type { ArtifactView } from "../../../coordination/artifacts/artifacts.ts";
import { healthStates } from "../../../coordination/health/health.ts";
import { outcomes } from "../../../coordination/line-outcome.ts";
import { taskStates } from "../../../coordination/tasks/board.ts";
import { denialReasons } from "../../../coordination/tasks/claim-denials.ts";
import { reportStandings } from "../../../coordination/tasks/report-status.ts";
import { type Entry, entryKinds } from "../../../journal/entry.ts";
import type { VerifyReport } from "../../../journal/journal.ts";
import { factKinds } from "../../../message/facts.ts";
import { departments, roles } from "../../../message/role.ts";
import { breakerShape } from "../../../operations/breakers.ts";
import { inForm, shapeOf, time } from "../../../operations/define.ts";
import { phaseGlanceShape } from "../../../operations/phase-shapes.ts";
import { noteShape, problemShape, receiptShape, seq, texts } from "../../../operations/shapes.ts";
import { editShape } from "../../../operations/task-shapes.ts";
import type { LogLine, Shown } from "../../../runtime/record/log-line.ts";
import type { InboxPage } from "../../../runtime/team/team.ts";
import type { AgentStatus, ProposalView, TeamStatus } from "../../../runtime/team/team-status.ts";
import { teamModes } from "../../../team/definition.ts";

/** What the document of a denied claim has in addition to its problems. */
const denialFields = {
  granted: z.literal(false).optional().describe("a claim was denied"),
  reason: z.enum(denialReasons).nullable().optional().describe("why; null: it was no question of the task"),
  holder: z.string().nullable().optional().describe("who is in the way"),
  paths: texts.optional().describe("the files in the way"),
};

export const problemDocumentShape = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    problems: z.array(problemShape),
    receipt: receiptShape.nullable().optional(),
    notes: z.array(noteShape).optional(),
    ...denialFields,
  })
  .meta({ id: "ProblemDocument" });

const lineFields = {
  seq,
  epoch: z.int(),
  kind: z.enum(entryKinds),
  id: z.string().nullable(),
  dialect: z.string().nullable(),
  type: z.string().nullable(),
  sender: z.string(),
  receivers: texts,
  recordedAt: time,
  task: z.string().nullable(),
  fact: z.union([z.enum(factKinds), z.templateLiteral(["own:", z.string()])]).nullable(),
  report: z
    .enum(reportStandings)
    .nullable()
    .describe("the state of the report that it makes; in a stream, what it says; null: it makes none"),
  outcome: z
    .enum(outcomes)
    .nullable()
    .describe("what became of what the entry began or decided, now; null: nothing becomes of such an entry"),
  thread: seq.nullable().describe("the entry that began the thread, such as the request; null: it is in none"),
  supersededBy: seq.nullable().describe("the entry that counts now in its place"),
  problem: z
    .object({ code: inForm("code", z.string()), message: z.string() })
    .nullable()
    .describe("of a refusal its first problem"),
  summary: z.string(),
};
export const logLineShape = shapeOf<LogLine>()(z.object(lineFields).meta({ id: "LogLine" }));

export const logPageShape = z.object({
  entries: z.array(logLineShape),
  next: seq
    .nullable()
    .describe(
      "go on with after=next (asc) or before=next (desc), also where `entries` is empty; null: there is no more",
    ),
  head: seq,
});

const principalShape = z.object({
  agent: z.string(),
  role: z.enum(roles).nullable(),
  department: z.enum(departments).optional(),
  via: z.enum(["token", "launcher", "hook"]),
});

export const entryShape = shapeOf<Entry>()(
  z
    .object({
      team: z.string(),
      seq,
      epoch: z.int(),
      kind: z.enum(entryKinds),
      principal: principalShape,
      id: z.string().nullable(),
      digest: z.string().nullable(),
      receivers: texts,
      content: z.unknown(),
      text: z.string().optional().describe("the message's text, verbatim"),
      recordedAt: time,
      aheadMs: z
        .int()
        .optional()
        .describe("how far that clock was ahead of the one by which deadlines count; absent: they agreed"),
      prevHash: z.string(),
      hash: z.string(),
    })
    .meta({ id: "Entry" }),
);

export const shownShape = shapeOf<Shown>()(
  z
    .object({
      ...lineFields,
      entry: entryShape,
      message: z
        .object({
          dialect: z.string().nullable(),
          type: z.string().nullable(),
          rung: z.enum(["typed", "structured", "document", "markdown"]),
          wireId: z.string().nullable(),
          text: z.string().describe("verbatim"),
          fact: z.unknown(),
          wire: z.unknown().optional().describe("the message's object, where the text is not that alone"),
        })
        .nullable(),
      problems: z.array(problemShape),
      notes: z.array(noteShape),
      durability: z.enum(["fsync", "os", "memory"]),
      delivery: z.array(z.object({ agent: z.string(), state: z.enum(["waiting", "offered", "seen", "acknowledged"]) })),
    })
    .meta({ id: "Shown" }),
);

export const inboxShape = shapeOf<InboxPage>()(
  z
    .object({
      deliveries: z.array(
        z.object({
          seq,
          id: z.string().nullable(),
          dialect: z.string().nullable(),
          type: z.string().nullable(),
          sender: z.string(),
          recordedAt: time,
          message: z.unknown().describe("the wire object in the reader's dialect, or a string for prose"),
          effect: z.boolean(),
          notes: z.array(noteShape),
        }),
      ),
      unread: seq,
      acknowledged: seq,
    })
    .meta({ id: "InboxPage" }),
);

const lagShape = z.object({ messages: z.int(), p50Ms: z.number(), p95Ms: z.number() });

export const agentShape = shapeOf<AgentStatus>()(
  z
    .object({
      agent: z.string(),
      role: z.enum(roles),
      department: z.enum(departments).optional(),
      dialect: z.string(),
      source: z.enum(["file", "command"]),
      status: z.enum(["active", "retired"]),
      session: z.int(),
      unread: seq,
      marks: z.object({ offered: seq, seen: seq }),
      delivery: z
        .object({
          context: z.string().nullable().describe("the context of its model; null: no hook has named one"),
          shown: seq.describe("shown in that context up to here"),
          injected: seq.describe("in a hook's answer there, and not yet confirmed by a later call"),
          told: seq.describe("the newest claim that it was reminded of"),
          lags: z
            .object({ offered: lagShape, injected: lagShape, seen: lagShape, acknowledged: lagShape })
            .partial()
            .describe("from a message's entry to each stage"),
        })
        .describe("what its model was shown"),
      acknowledged: seq,
      mode: z.enum(teamModes).optional().describe("how it works, where that is not the team's team_mode"),
      health: z.enum(healthStates),
      lastSeenAt: time.nullable(),
      registrars: z.array(z.string()).optional().describe("agents that ever registered this name"),
      retiredBy: z
        .string()
        .optional()
        .describe("of a retired agent: the agent that retired it; absent: the owner or the team file did"),
    })
    .meta({ id: "AgentStatus" }),
);

const headShape = z.object({ seq, hash: z.string(), epoch: z.int() });

export const artifactFields = {
  seq,
  type: z.string(),
  sender: z.string(),
  plan: z.string().nullable(),
  artifacts: texts.describe("paths as written"),
  state: z.enum(["reported", "verified", "disputed"]),
  problems: z.array(problemShape),
};

const artifactShape = shapeOf<ArtifactView>()(z.object(artifactFields).meta({ id: "Artifacts" }));

const proposalShape = shapeOf<ProposalView>()(
  z
    .object({
      id: z.string().describe("what confirming and declining name"),
      status: z.enum(["waiting", "declined"]),
      reason: z.string().nullable().describe("why it was declined"),
      changes: z
        .array(
          z.object({
            place: z.string().describe("where, in the words of the team file"),
            before: z.string().nullable(),
            after: z.string().nullable(),
            waits: z.boolean().describe("whether it takes effect only when it is confirmed"),
          }),
        )
        .describe("what waits first"),
    })
    .meta({ id: "Proposal" }),
);

/** A number for each of these words. */
function countsOf<const Word extends string>(words: readonly Word[]) {
  const fields = Object.fromEntries(words.map((each) => [each, z.int()]));
  return z.object(fields as { [Each in Word]: z.ZodInt }); // one field a word, as just made
}

export const statusShape = shapeOf<TeamStatus>()(
  z
    .object({
      team: z.string(),
      definition: z.unknown().describe("the team's definition in force, null before the first"),
      revision: z.int(),
      proposal: proposalShape
        .nullable()
        .describe("what the team file wants and the owner has not confirmed; null: nothing"),
      head: headShape,
      journal: z.enum(["ready", "regressed", "failed"]),
      counts: countsOf(entryKinds),
      agents: z.array(agentShape),
      openApprovals: z.int(),
      phases: z.array(phaseGlanceShape).describe("what is not over, a department's part each"),
      overBudget: texts.describe("plans that used more tokens than their budget"),
      contracts: z.int(),
      tasks: countsOf(taskStates).describe("how many are in each state"),
      unverified: z
        .object({
          awaited: z.int().describe("a verdict is to come, and they count as done only then"),
          unavailable: z.int().describe("there is no repository to ask, and the report alone counts"),
        })
        .describe("tasks that are reported as complete and not verified"),
      edits: z.array(editShape).describe("files that agents hold because they edit them"),
      disputedArtifacts: z.array(artifactShape).describe("messages whose artifacts the repository does not confirm"),
      breakers: z.array(breakerShape),
    })
    .meta({ id: "TeamStatus" }),
);

/* The shapes of what a hub says of its journal and of who asks. */
export const verifyShape = shapeOf<VerifyReport>()(
  z
    .object({
      ok: z.boolean(),
      teams: z.array(z.object({ team: z.string(), entries: z.int(), head: headShape })),
      problems: z.array(problemShape),
    })
    .meta({ id: "VerifyReport" }),
);

/** Whether the journal takes entries, and what is missing or broken where it does not. */
const conditionShape = z
  .discriminatedUnion("condition", [
    z.object({ condition: z.literal("ready") }),
    z.object({ condition: z.literal("regressed"), team: z.string(), head: headShape, anchor: headShape }),
    z.object({ condition: z.literal("failed"), problem: problemShape }),
  ])
  .meta({ id: "JournalCondition" });

export const callerShape = z
  .object({
    agent: z.string(),
    role: z.enum(roles).nullable(),
    via: z.enum(["token", "launcher"]),
    team: z.string().nullable().describe("the only team of a token; null: every team"),
    teams: texts,
    version: z.string(),
    journal: conditionShape,
    operations: texts.describe(
      "the operations on a team that this hub knows; a newer client reads what it may ask for",
    ),
  })
  .meta({ id: "Caller" });
