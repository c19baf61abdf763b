/**
 * Operations on shutdown rounds, and what they show. Their commands wait for the end of a round, so they are written by
 * hand. Rules: docs/protocol/asking.md, sections 14 to 16.
 */
import { z } from "zod";
import { operation, shapeOf, shown, time } from "../perform/operations/define.ts";
import { type Ending, shutdownReasons, type UncommittedFiles, type WorkLeft } from "./decide/shutdown-rounds.ts";

/**
 * How an agent's part ended: as it was recorded, and `left-work` where the agent said that all is clean and what Baton knows
 * says otherwise. Rule: docs/protocol/asking.md, sections 14 to 16.
 */
type PartOutcome = Ending | "left-work";

/** One agent's part. */
export interface StoppingView {
  readonly agent: string;
  /** Null: the round waits for it. */
  readonly outcome: PartOutcome | null;
  /** What it said of its work; null: it never said. */
  readonly status: WorkLeft | null;
  readonly pendingWork: readonly string[];
  /** Tasks that it held when its part ended; they are free again, but for those of who is gone. */
  readonly openClaims: readonly string[];
  /** Tasks that it reported and that the repository contradicts; they are free again. */
  readonly disputed: readonly string[];
  /** Tasks that were verified, and whose work is not there any more; they are free again. */
  readonly gone: readonly string[];
  /** Tasks that it reported and whose verdict is still to come. */
  readonly unverified: readonly string[];
  /** Handoffs that it had in hand; a hub from before they were listed says nothing. */
  readonly handoffs?: readonly string[];
  /** Messages that it had not acknowledged when its part ended, the requests to stop aside. */
  readonly unread: number;
  /** Whether everything it wrote is committed, by its own word; null: it did not say. */
  readonly artifactsCommitted: boolean | null;
  /** Files it had in hand and did not commit, found once the round was over; null: nobody looked. */
  readonly uncommitted: UncommittedFiles | null;
  /** How often it refused, and was asked again because it was silent. */
  readonly refusals: number;
  readonly silences: number;
  /** It joined the team during the round, and was not asked. */
  readonly joined: boolean;
  /** The entry that ended its part; null: it goes on, or it was not addressed. */
  readonly seq: number | null;
}

/** A round; once `outcome` is not `open`, its certificate. */
export interface ShutdownView {
  /** The request's id. */
  readonly round: string;
  /** The entry that asked first. */
  readonly seq: number;
  /** `complete`: everybody stopped and left nothing behind. */
  readonly outcome: "open" | "complete" | "incomplete";
  readonly requester: string;
  readonly reason: string;
  readonly teamName: string | null;
  /** The most times that an agent was asked, and may be. */
  readonly asked: number;
  readonly askingsMax: number;
  readonly deadlineSeconds: number;
  readonly startedAt: string;
  /** When the deadline is; null: the round is over. */
  readonly dueAt: string | null;
  readonly endedAt: string | null;
  /** Uncommitted files that none of the agents had in hand; null: nobody looked. */
  readonly uncommitted: UncommittedFiles | null;
  readonly agents: readonly StoppingView[];
}

const count = z.int().min(0);
const kept = z
  .string()
  .optional()
  .describe("the commit that keeps those of the agent's own work tree, at refs/baton/left/AGENT");
const uncommitted = z.object({ count, files: z.array(z.string()), kept }).nullable();
const workLeft = ["clean", "in_progress", "error"] as const;

const shutdownShape = shapeOf<ShutdownView>()(
  z
    .object({
      round: z.string().describe("the request's id"),
      seq: count.describe("the entry that asked first"),
      outcome: z.enum(["open", "complete", "incomplete"]),
      requester: z.string(),
      reason: z.string(),
      teamName: z.string().nullable(),
      asked: count.describe("the most times that an agent was asked, which is askingsMax at most"),
      askingsMax: count,
      deadlineSeconds: z.number(),
      startedAt: time,
      dueAt: time.nullable().describe("when the deadline is; null: the round is over"),
      endedAt: time.nullable(),
      uncommitted: uncommitted.describe("files that none of the agents had in hand"),
      agents: z.array(
        z.object({
          agent: z.string(),
          outcome: z
            .enum([...workLeft, "refused-then-clean", "late", "forced", "gone", "idle", "not_addressed", "left-work"])
            .nullable()
            .describe(
              "null: the round waits for it; gone: its program had ended; idle: it held nothing; left-work: it said clean, and left something",
            ),
          status: z.enum(workLeft).nullable(),
          pendingWork: z.array(z.string()),
          openClaims: z
            .array(z.string())
            .describe("tasks it held when its part ended; they are free again, but for those of who is gone"),
          disputed: z
            .array(z.string())
            .describe("tasks it reported and the repository contradicts; they are free again"),
          gone: z
            .array(z.string())
            .describe(
              "tasks it reported that were verified, and whose work is not there any more; they are free again",
            ),
          unverified: z.array(z.string()).describe("tasks it reported whose verdict is still to come"),
          handoffs: z.array(z.string()).optional().describe("those it accepted, and neither completed nor handed on"),
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

export const startShutdown = operation({
  name: "startShutdown",
  call: "startShutdown",
  access: "caller",
  says: "Asks agents to stop and waits for their answers: a shutdown round, named by the id of its entry.",
  input: z.strictObject({
    reason: z.enum(shutdownReasons),
    deadlineMs: z.number().optional().describe("milliseconds that the round waits for answers; 30,000 unless given"),
    agents: z
      .array(z.string())
      .min(1)
      .optional()
      .describe("agents or role:ROLE; absent: everybody who is asked to stop"),
    teamName: z.string().optional().describe("what the request calls the team; absent: the team's name"),
    phase: z.int().min(0).optional().describe("the phase of the request"),
  }),
  answer: { kind: "reply", repeated: "The same round had been started before." },
  http: { method: "post", path: "/shutdowns" },
  handWritten: ["stop"],
  record: { act: "shutdown-start", line: "asked the team to stop[: {reason}]" },
});

export const answerShutdown = operation({
  name: "answerShutdown",
  call: "answerShutdown",
  access: "caller",
  says: "Answers a request to stop: the calling agent stops, or refuses and works on.",
  input: z.strictObject({
    round: z.string().optional().describe("the request's id; absent: the one that waits for the agent"),
    refuse: z.boolean().optional().describe("work on; the round asks again"),
    left: z.string().optional().describe("what is not done; absent: nothing is left"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/shutdowns/answer" },
  cli: [
    {
      words: "shutdown answer",
      group: "People and agents",
      summary: "stop, as you are asked to",
      description:
        "Answers a request to stop, as an agent of any dialect. The agent may then send nothing more, and what it holds is free.\n" +
        "With --refuse it works on and is asked again, three more times.",
      arguments: {
        round: { as: "ROUND" },
        refuse: { as: "--refuse" },
        left: { as: "--left TEXT" },
      },
      examples: [
        { line: "baton shutdown answer --as dev-1", meaning: "dev-1 stops, and everything is done" },
        { line: "baton shutdown answer --as dev-1 --left 'T3: the tests fail'", meaning: "it stops with work left" },
        { line: "baton shutdown answer --as dev-1 --refuse --left 'a migration runs'", meaning: "not yet" },
      ],
      next: "baton shutdown status shows the round.",
      said: "Answered (entry {seq}).",
    },
  ],
  mcp: {
    tool: "task",
    action: "stop",
    arguments: { refuse: {}, left: { as: "reason", says: "stop: what is not done" } },
  },
  record: { act: "shutdown-answer", line: "answered a request to stop[: {left}]" },
});

export const listShutdowns = operation({
  name: "listShutdowns",
  call: "shutdowns",
  access: "caller",
  says: "Shutdown rounds with each agent's part; of a round that is over, its certificate.",
  input: z.strictObject({
    round: z.string().optional().describe("that round alone"),
    latest: z.boolean().optional().describe("those that go on, else the last one"),
  }),
  answer: shown<readonly ShutdownView[]>("shutdowns", "In the order they came.", z.array(shutdownShape)),
  http: { method: "get", path: "/shutdowns" },
  handWritten: ["shutdown status"],
});

/** In the order of the document. */
export const shutdownOperations = [startShutdown, answerShutdown, listShutdowns] as const;
