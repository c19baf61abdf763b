/** The state of a team as a whole: its definition, its journal, its agents, and what waits for somebody. */
import { z } from "zod";
import type { ArtifactView } from "../../evidence/decide/artifact-disputes.ts";
import type { CollisionView } from "../../evidence/state.ts";
import { type BreakerView, breakerShape } from "../../health/operations.ts";
import { type Entry, entryKinds } from "../../journal/entry.ts";
import { levels, roles } from "../../messages/role.ts";
import { count, inForm, operation, shapeOf, shown, time, word } from "../../perform/operations/define.ts";
import { changeShape, headShape, problemShape, seq, texts } from "../../perform/operations/shapes.ts";
import { phaseGlanceShape } from "../../phases/operations/phase-shapes.ts";
import type { PhaseGlance } from "../../phases/view/phase-view.ts";
import { type RemoteView, remoteShape } from "../../remotes/operations.ts";
import type { EditView } from "../../tasks/decide/edit-claims.ts";
import { collisionShape, editShape } from "../../tasks/operations/task-shapes.ts";
import { type TaskState, taskStates } from "../../tasks/view/task-view.ts";
import {
  brokenJsonRules,
  claimsRules,
  planningFolders,
  scopeRules,
  type TeamDefinition,
  teamModes,
} from "../state/definition.ts";
import type { RevisionChange } from "../state/revision-changes.ts";
import { type AgentStatus, agentShape } from "./agents.ts";

/** What the team file wants and the owner has not confirmed, as it is shown. Strings come from the file. */
export interface ProposalView {
  /** What `confirmRevision` and `declineRevision` name. */
  readonly id: string;
  /** `declined`: the file still differs from what is in force. */
  readonly status: "waiting" | "declined";
  readonly reason: string | null;
  /** What would change, what waits first. */
  readonly changes: readonly RevisionChange[];
}

/** A handoff that waits only for agents that have left, and who can issue it again. Strings are the agents'. */
export interface OrphanView {
  readonly id: string;
  readonly issuer: string;
  readonly receivers: readonly string[];
  readonly task: string | null;
  /** The main instruction, shortened. */
  readonly summary: string;
  /** RFC 3339. */
  readonly issuedAt: string;
  readonly waitsFor: readonly string[];
}

/** What `status` answers. */
export interface TeamStatus {
  readonly team: string;
  readonly definition: TeamDefinition | null;
  /** How many revisions of the definition are recorded; the last is active. */
  readonly revision: number;
  /** What the team file wants beyond that: it waits for the owner, or was declined. Null: the file says the same. */
  readonly proposal: ProposalView | null;
  readonly head: { readonly seq: number; readonly hash: string; readonly epoch: number };
  readonly journal: "ready" | "unreachable" | "regressed" | "failed";
  readonly counts: Readonly<Record<Entry["kind"], number>>;
  readonly agents: readonly AgentStatus[];
  readonly openApprovals: number;
  readonly unreadOfOwner?: number;
  /** Plans whose reports say that they used more tokens than their contract's budget. */
  readonly overBudget: readonly string[];
  readonly contracts: number;
  /** How many tasks are in each state. */
  readonly tasks: Readonly<Record<TaskState, number>>;
  /** Tasks that are reported as complete and not verified: how many wait for a verdict, and how many can have none. */
  readonly unverified: { readonly awaited: number; readonly unavailable: number };
  /** Files that agents hold because they edit them. */
  readonly edits: readonly EditView[];
  /** Files that two agents change at once, each in its own tree. */
  readonly collisions: readonly CollisionView[];
  /** Messages whose artifacts the repository does not confirm. */
  readonly disputedArtifacts: readonly ArtifactView[];
  readonly breakers: readonly BreakerView[];
  /** Remote agents, with what is open there; a hub from before there were any says nothing. */
  readonly remotes?: readonly RemoteView[];
  /** Handoffs that nobody can answer, oldest first; a hub from before they were listed says nothing. */
  readonly orphanedHandoffs?: readonly OrphanView[];
  /** Each department's part of each phase that is not over, in a line. */
  readonly phases: readonly PhaseGlance[];
}

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
      id: word("what confirming and declining name"),
      status: z.enum(["waiting", "declined"]),
      reason: z.string().nullable().describe("why it was declined"),
      changes: z.array(changeShape).describe("what waits first"),
    })
    .meta({ id: "Proposal" }),
);

const orphanShape = shapeOf<OrphanView>()(
  z
    .object({
      id: z.string(),
      issuer: z.string(),
      receivers: texts,
      task: z.string().nullable(),
      summary: z.string().describe("the main instruction, shortened"),
      issuedAt: time,
      waitsFor: texts.describe("who can issue it again, or bring its receiver back"),
    })
    .meta({ id: "OrphanedHandoff" }),
);

const anyObject = z.looseObject({});

/** What a client checks of a definition; a message type whose schema it cannot check by makes the answer none of ours. */
const definitionForm = z.object({
  name: z.string(),
  dialects: z.array(inForm("dialect", z.string())),
  policy: word(),
  brokenJson: z.enum(brokenJsonRules).optional(),
  teamMode: z.enum(teamModes).optional(),
  claims: z.enum(claimsRules).optional(),
  scope: z.enum(scopeRules).optional(),
  planning: z.enum(planningFolders).optional(),
  main: z.string().optional(),
  land: anyObject.optional(),
  shared: texts.optional(),
  checks: anyObject.optional(),
  chain: z.array(z.enum(levels)).optional(),
  agents: z.array(anyObject),
  routing: z.array(anyObject),
  limits: anyObject,
  messages: z
    .array(
      z.object({
        type: z.string(),
        summary: z.string(),
        senders: z.array(z.enum(roles)),
        receivers: z.array(z.enum(roles)),
        schema: inForm("typeSchema", z.unknown()),
        example: anyObject,
      }),
    )
    .optional(),
  names: z.array(anyObject).optional(),
  speakers: texts.optional(),
} satisfies { readonly [Field in keyof Required<TeamDefinition>]: z.ZodType });

/** A number for each of these words; an older hub may know fewer of them. */
function countsOf<const Word extends string>(words: readonly Word[]) {
  const fields = Object.fromEntries(words.map((each) => [each, z.int()]));
  return inForm(
    z.record(z.string(), count()),
    z.object(fields as { [Each in Word]: z.ZodInt }), // one field a word, as just made
  );
}

const statusShape = shapeOf<TeamStatus>()(
  z
    .object({
      team: z.string(),
      definition: inForm(
        definitionForm.nullable(),
        z.unknown().describe("the team's definition in force, null before the first"),
      ),
      revision: count(),
      proposal: proposalShape
        .nullable()
        .describe("what the team file wants and the owner has not confirmed; null: nothing"),
      head: headShape,
      journal: z.enum(["ready", "unreachable", "regressed", "failed"]),
      counts: countsOf(entryKinds),
      agents: z.array(agentShape),
      openApprovals: count(),
      unreadOfOwner: count("messages for the person that nobody has acknowledged").optional(),
      phases: z.array(phaseGlanceShape).describe("what is not over, a department's part each"),
      overBudget: texts.describe("plans that used more tokens than their budget"),
      contracts: count(),
      tasks: inForm(z.record(z.string(), count()), countsOf(taskStates).describe("how many are in each state")),
      unverified: z
        .object({
          awaited: count("a verdict is to come, and they count as done only then"),
          unavailable: count("there is no repository to ask, and the report alone counts"),
        })
        .describe("tasks that are reported as complete and not verified"),
      edits: z.array(editShape).describe("files that agents hold because they edit them"),
      collisions: z.array(collisionShape).describe("files that two agents change at once, each in its own tree"),
      disputedArtifacts: z.array(artifactShape).describe("messages whose artifacts the repository does not confirm"),
      breakers: z.array(breakerShape),
      remotes: z.array(remoteShape).optional().describe("remote agents, with what is open there"),
      orphanedHandoffs: z
        .array(orphanShape)
        .optional()
        .describe("handoffs that wait only for agents that have left, oldest first"),
    })
    .meta({ id: "TeamStatus" }),
);

export const teamStatus = operation({
  name: "teamStatus",
  call: "status",
  access: "caller",
  says: "The team at a glance.",
  input: z.strictObject({}),
  answer: shown<TeamStatus>(null, "The status at the head.", statusShape),
  http: { method: "get", path: "/status", isInEveryHub: true },
  handWritten: ["status"],
});

/** A message that the caller may send. */
export interface MessageForm {
  readonly dialect: string;
  readonly type: string;
  /** What it says, in a sentence. */
  readonly summary: string;
  /** Roles that get it where nobody is named. */
  readonly receivers: readonly string[];
}

const formShape = shapeOf<MessageForm>()(
  z
    .object({
      dialect: z.string(),
      type: z.string(),
      summary: z.string(),
      receivers: texts.describe("roles that get it where nobody is named"),
    })
    .meta({ id: "MessageForm" }),
);

export const listForms = operation({
  name: "listForms",
  call: "forms",
  access: "caller",
  says: "The messages that the caller may send, of the team's dialects and its own types; `baton reference` has their fields.",
  input: z.strictObject({}),
  answer: shown<readonly MessageForm[]>("forms", "In the order of the dialects.", z.array(formShape)),
  http: { method: "get", path: "/forms" },
});

/** In the order of the document. */
export const statusOperations = [teamStatus, listForms] as const;
