/**
 * Operations on shutdown rounds. Their commands wait for the end of a round, so they are written by hand.
 * Rules: docs/protocol/shutdown.md.
 */
import { z } from "zod";
import { shutdownReasons } from "../coordination/shutdown/shutdown-rounds.ts";
import { operation, shown } from "./define.ts";
import { type ShutdownView, shutdownShape } from "./shutdown-shapes.ts";

export const startShutdown = operation({
  name: "startShutdown",
  call: "startShutdown",
  access: "caller",
  says: "Starts a shutdown round; the receipt's id names it.",
  input: z.strictObject({
    reason: z.enum(shutdownReasons),
    deadlineMs: z.number().optional().describe("how long each asking waits; 30,000 unless given"),
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
  handWritten: ["shutdown start"],
  record: { act: "shutdown-start", line: "asked the team to stop[: {reason}]" },
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
export const shutdownOperations = [startShutdown, listShutdowns] as const;
