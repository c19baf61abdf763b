/** Landing verified work, and what became of it. Rules: docs/protocol/verdicts.md, section 12. */
import { z } from "zod";
import { operation, shapeOf, shown } from "../perform/operations/define.ts";
import { texts } from "../perform/operations/shapes.ts";

const outcomes = ["landed", "conflict", "failed", "waits", "undone"] as const;

/** What became of one task's work. */
export interface Landing {
  readonly task: string;
  /** `conflict`: git cannot merge it; `failed`: a check does not pass with it; `waits`: not tried; `undone`: taken back. */
  readonly outcome: (typeof outcomes)[number];
  /** The reported commit; null: it was not looked at. */
  readonly commit: string | null;
  /** Why it did not land; null: it did. */
  readonly why: string | null;
}

export interface Landed {
  readonly branch: string;
  /** Where the branch was, and is now; the same where nothing landed. With `isDry` where it would be. */
  readonly from: string;
  readonly to: string;
  readonly tasks: readonly Landing[];
  /** The remote's branch, where it and the main branch went apart; absent: they did not. */
  readonly apart?: string;
}

const landedShape = shapeOf<Landed>()(
  z
    .object({
      branch: z.string().describe("the main branch"),
      from: z.string().describe("the commit where it was"),
      to: z.string().describe("where it is; the same: it stays"),
      tasks: z.array(
        z.object({
          task: z.string(),
          outcome: z.enum(outcomes),
          commit: z.string().nullable(),
          why: z.string().nullable().describe("why it did not land"),
        }),
      ),
      apart: z.string().optional().describe("the remote's branch, where it and the main branch went apart"),
    })
    .meta({ id: "Landed" }),
);

export const landWork = operation({
  name: "landWork",
  call: "land",
  byHand: "It moves a branch of a repository, which is on the hub's machine or on the caller's.",
  access: "owner",
  says:
    "Puts verified work on the main branch of the hub's repository, or moves that on to what has landed. What conflicts or " +
    "does not pass the checks is named, and the branch is not moved over a file that the person has changed.",
  input: z.strictObject({
    tasks: texts.optional().describe("only these; absent: all that are verified"),
    undo: z.string().optional().describe("takes the landed work of this task back, and lands nothing"),
  }),
  answer: shown<Landed>(null, "What became of each task, and where the branch is.", landedShape),
  http: { method: "post", path: "/landings" },
  handWritten: ["land"],
});

export const landingOperations = [landWork] as const;
