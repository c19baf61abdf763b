/** Looking at a commit that the record names. Rules: docs/protocol/verdicts.md, section 8. */
import { z } from "zod";
import { count, operation, shapeOf, shown, time } from "../../perform/operations/define.ts";
import { texts } from "../../perform/operations/shapes.ts";
import type { FileDiff } from "../git/changes.ts";

const statuses = ["added", "deleted", "modified", "type-changed", "renamed", "mode"] as const;
const kinds = ["file", "link", "submodule"] as const;

/** A file of a commit. Names are those of the repository, and nobody checked them. */
export interface CommitFile {
  readonly path: string;
  /** Its name before; null: the same. */
  readonly from: string | null;
  readonly status: (typeof statuses)[number];
  readonly kind: (typeof kinds)[number];
  /** Null: it was not looked at. */
  readonly binary: boolean | null;
  /** Lines; null: they were not counted. */
  readonly added: number | null;
  readonly removed: number | null;
  /** As git writes them; `000000`: not there. */
  readonly mode: { readonly before: string; readonly after: string };
}

/** A commit with the files that it changes, and of one file the lines. */
export interface CommitView {
  /** Full ids; `base`: what it was compared with, null for the first commit. */
  readonly commit: string;
  readonly parents: readonly string[];
  readonly base: string | null;
  /** As the commit has them; anybody may write anything there. */
  readonly author: string;
  readonly subject: string;
  readonly at: string;
  /** The first of them. */
  readonly files: readonly CommitFile[];
  readonly filesTotal: number;
  /** Of the path that was asked for; null: none was. */
  readonly diff: (FileDiff & { readonly path: string }) | null;
}

const lineShape = z.object({
  op: z.enum([" ", "+", "-"]),
  old: count().nullable().describe("its number on the old side"),
  new: count().nullable(),
  text: z.string(),
  noNewline: z.literal(true).optional().describe("the side ends here without a line feed"),
});

const commitViewShape = shapeOf<CommitView>()(
  z
    .object({
      commit: z.string().describe("the full id"),
      parents: texts,
      base: z.string().nullable().describe("what it was compared with"),
      author: z.string(),
      subject: z.string(),
      at: time,
      files: z
        .array(
          z.object({
            path: z.string(),
            from: z.string().nullable().describe("its name before, of a renamed one"),
            status: z.enum(statuses),
            kind: z.enum(kinds),
            binary: z.boolean().nullable().describe("null: it was not looked at"),
            added: count().nullable().describe("lines; null: they were not counted"),
            removed: count().nullable(),
            mode: z.object({ before: z.string(), after: z.string() }),
          }),
        )
        .describe("the first 300 of them"),
      filesTotal: count(),
      diff: z
        .object({
          path: z.string(),
          binary: z.boolean(),
          added: count(),
          removed: count(),
          isCut: z.boolean().describe("there is more than is shown; git shows the rest"),
          hunks: z.array(
            z.object({
              oldStart: count(),
              oldLines: count(),
              newStart: count(),
              newLines: count(),
              heading: z.string(),
              lines: z.array(lineShape),
            }),
          ),
        })
        .nullable()
        .describe("of the path that was asked for"),
    })
    .meta({ id: "CommitView" }),
);

export const showCommit = operation({
  name: "showCommit",
  call: "commit",
  access: "caller",
  says: "A commit that the record names: the files that it changes, and of one file the lines.",
  input: z.strictObject({
    commit: z.string().describe("its full id"),
    path: z.string().max(4_096).optional().describe("the file whose lines are shown"),
  }),
  answer: shown<CommitView>(null, "The commit.", commitViewShape),
  http: { method: "get", path: "/commits/{commit}", isLarge: true },
});

export const commitOperations = [showCommit] as const;
