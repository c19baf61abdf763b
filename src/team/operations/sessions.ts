/**
 * Who a caller is to a hub, and which teams there are: what is asked before a team is chosen.
 * Rules: docs/protocol/doors.md.
 */
import { z } from "zod";
import type { TeamName } from "../../base/ids.ts";
import type { JournalCondition } from "../../journal/journal.ts";
import { roles } from "../../messages/role.ts";
import { inForm, operation, shapeOf, shown, time, word } from "../../perform/operations/define.ts";
import { headShape, problemShape, texts } from "../../perform/operations/shapes.ts";

const team = inForm("team", z.string());

/** Whether the journal takes entries, and what is missing or broken where it does not. */
const conditionShape = shapeOf<JournalCondition>()(
  z
    .discriminatedUnion("condition", [
      z.object({ condition: z.literal("ready") }),
      z.object({ condition: z.literal("unreachable"), since: z.string(), problem: problemShape }),
      z.object({ condition: z.literal("regressed"), team, head: headShape, anchor: headShape }),
      z.object({ condition: z.literal("failed"), problem: problemShape }),
    ])
    .meta({ id: "JournalCondition" }),
);

/** What a client reads of who it is; a hub that was built before does not say the last three. */
export interface CallerSession {
  readonly agent: string;
  readonly team: TeamName | null;
  readonly teams: readonly TeamName[];
  readonly journal?: JournalCondition;
  readonly version?: string;
  readonly operations?: readonly string[];
}

const sessionForm = z.object({
  agent: z.string(),
  team: team.nullable(),
  teams: z.array(team),
  journal: conditionShape.optional(),
  version: word().optional(),
  operations: z.array(word()).optional(),
});

const callerShape = inForm(
  sessionForm,
  z
    .object({
      agent: z.string(),
      role: z.enum(roles).nullable(),
      via: z.enum(["token", "launcher"]),
      person: z.string().nullable().describe("who was invited to decide, by a link; null: nobody"),
      team: z.string().nullable().describe("the only team of a token; null: every team"),
      readOnlyUntil: time
        .nullable()
        .describe("until when a link lets the caller read, who changes nothing; null: no link"),
      teams: texts,
      version: z.string(),
      journal: conditionShape,
      operations: texts.describe(
        "the operations on a team that this hub knows; a newer client reads what it may ask for",
      ),
    })
    .meta({ id: "Caller" }),
);

export const whoAmI = operation({
  name: "whoAmI",
  on: "hub",
  call: "whoAmI",
  byHand: "The credential alone answers it, before a team is chosen.",
  access: "caller",
  says: "Who the credential proves.",
  input: z.strictObject({}),
  answer: shown<CallerSession>(null, "The caller.", callerShape),
  http: { method: "get", path: "/api/session" },
});

export const endSession = operation({
  name: "endSession",
  on: "hub",
  call: "endSession",
  byHand: "The credential alone answers it.",
  access: "caller",
  says: "Ends the owner's session, at every hub of the journal.",
  input: z.strictObject({}),
  answer: shown<boolean>("ended", "It has ended.", z.boolean()),
  http: { method: "delete", path: "/api/session" },
});

export const listTeams = operation({
  name: "listTeams",
  on: "hub",
  call: "listTeams",
  byHand: "The credential alone answers it, before a team is chosen.",
  access: "caller",
  says: "The teams that the caller may see: the one of its token, or all.",
  input: z.strictObject({}),
  answer: shown<readonly string[]>("teams", "Names, sorted.", texts),
  http: { method: "get", path: "/api/teams" },
});

/** In the order of the document. */
export const sessionOperations = [whoAmI, endSession, listTeams] as const;
