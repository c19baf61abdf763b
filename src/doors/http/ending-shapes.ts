/** The shapes of what the hub answers about shutdown rounds. */
import { z } from "zod";
import { shapeOf } from "../../operations/shape-of.ts";
import type { ShutdownView } from "../../runtime/shutdown-certificate.ts";

const count = z.int().min(0);
const time = z.string().describe("RFC 3339, UTC");
const uncommitted = z.object({ count, files: z.array(z.string()) }).nullable();
const workLeft = ["clean", "in_progress", "error"] as const;

export const shutdownShape = shapeOf<ShutdownView>()(
  z
    .object({
      round: z.string().describe("the request's id"),
      seq: count.describe("the entry that asked first"),
      outcome: z.enum(["open", "complete", "incomplete"]),
      requester: z.string(),
      reason: z.string(),
      teamName: z.string().nullable(),
      asked: count.describe("which asking it is, of askingsMax"),
      askingsMax: count,
      deadlineSeconds: z.number(),
      startedAt: time,
      dueAt: time.nullable().describe("when this asking's deadline is; null: the round is over"),
      endedAt: time.nullable(),
      uncommitted: uncommitted.describe("files that none of the agents had in hand"),
      agents: z.array(
        z.object({
          agent: z.string(),
          outcome: z
            .enum([...workLeft, "refused-then-clean", "late", "forced", "not_addressed", "left-work"])
            .nullable()
            .describe("null: the round waits for it; left-work: it said clean, and left something behind"),
          status: z.enum(workLeft).nullable(),
          pendingWork: z.array(z.string()),
          openClaims: z.array(z.string()).describe("tasks it held when its part ended; they are free again"),
          disputed: z
            .array(z.string())
            .describe("tasks it reported and the repository contradicts; they are free again"),
          unverified: z.array(z.string()).describe("tasks it reported whose verdict is still to come"),
          unread: count,
          artifactsCommitted: z.boolean().nullable(),
          uncommitted: uncommitted.describe("files it had in hand and did not commit; null: nobody looked"),
          refusals: count,
          silences: count,
          joined: z.boolean().describe("it joined the team during the round, and was not asked"),
          seq: count.nullable().describe("the entry that ended its part"),
        }),
      ),
    })
    .meta({ id: "Shutdown" }),
);
