/** `baton shutdown start`: a round that ends with everybody stopped. */
import { visible } from "../../../base/text.ts";
import { type ShutdownReason, shutdownReasons } from "../../../coordination/shutdown/shutdown-rounds.ts";
import type { Call, Command } from "../kernel/command.ts";
import type { ExitCode } from "../kernel/exit-codes.ts";
import { chosen } from "../kernel/time-argument.ts";
import { answer, withTeam } from "../place/session.ts";
import { showRound } from "./shutdown-progress.ts";

export const command: Command = {
  description:
    "Asks agents to stop, each in its own dialect: those named, or everybody whose role is asked to. Who refuses or is\n" +
    "silent is asked again when the deadline passes, three times in all, and is then forced: it may send nothing more and\n" +
    "its tokens are revoked. So the round always ends. A lead may start one, and the owner. With --wait it prints the\n" +
    "certificate: who stopped how, and what is left. Its outcome is complete where nothing is left behind, else incomplete\n" +
    "(exit code 2).",
  positionals: [
    { name: "AGENT", argument: "agents", repeatable: true, summary: "an agent, or role:ROLE (default: everybody)" },
  ],
  options: [
    { name: "reason", kind: "text", value: "WORD", required: true, choices: shutdownReasons, summary: "why" },
    {
      name: "deadline",
      argument: "deadlineMs",
      kind: "seconds",
      value: "SECONDS",
      summary: "how long each asking waits (default: 30)",
    },
    { name: "wait", kind: "flag", summary: "wait for the end and print the certificate" },
    {
      name: "team-name",
      argument: "teamName",
      kind: "text",
      value: "NAME",
      summary: "what the request calls the team (default: its name)",
    },
    { name: "phase", kind: "position", value: "N", summary: "the phase of the request" },
    { name: "id", kind: "text", value: "ID", summary: "the id of the round and of this operation, for retries" },
  ],
  examples: [
    {
      line: "baton shutdown start --reason phase_complete --wait",
      meaning: "the owner ends the phase and waits for all",
    },
    {
      line: "baton shutdown start dev-1 dev-2 --as lead-1 --reason plan_complete --deadline 10",
      meaning: "lead-1 asks two agents and goes on",
    },
  ],
  next: "baton shutdown status shows the round; baton agent register brings an agent back in a new session.",
  run: (call) =>
    withTeam(call, async (team) => {
      const waits = call.given.flag("wait");
      const id = call.given.text("id");
      const reply = await team.startShutdown(startOf(call), id === undefined ? {} : { id });
      if (!waits || reply.outcome !== "accepted" || reply.receipt.id === null) return startedAs(call, reply);
      call.output.notes(reply.notes);
      return await showRound(call, team, reply.receipt.id, true);
    }),
};

function startOf({ given }: Call) {
  const reason: ShutdownReason = chosen(given.text("reason"), shutdownReasons);
  const deadline = given.number("deadline");
  const agents = given.words("AGENT");
  const teamName = given.text("team-name");
  const phase = given.number("phase");
  return {
    reason,
    ...(deadline === undefined ? {} : { deadlineMs: deadline * 1000 }),
    ...(agents.length === 0 ? {} : { agents }),
    ...(teamName === undefined ? {} : { teamName }),
    ...(phase === undefined ? {} : { phase }),
  };
}

function startedAs(call: Call, reply: Parameters<typeof answer>[1]): ExitCode {
  return answer(call, reply, ({ id, seq }, receivers) => {
    const asked = receivers.length === 0 ? "nobody is left to ask" : `${receivers.length} asked`;
    return `Shutdown ${visible(id ?? "")} started: ${asked} (entry ${seq}).`;
  });
}
