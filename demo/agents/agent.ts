/**
 * One agent of the demo: a separate process. It reads its order from standard input, comes through its door, and plays
 * its role until the team stops: read the inbox, act, send, acknowledge. When its input ends, the demo is gone, and so
 * is the agent.
 */
import { systemClock } from "../../src/base/clock.ts";
import { linesOf } from "../../src/mail/text/json-lines.ts";
import type { Environment } from "../story/programs.ts";
import type { CastMember } from "../story/story.ts";
import type { AgentDoor, Letter } from "./agent-door.ts";
import { type AgentOrder, type Holds, makeHolds, readOrder, type Step, writeStep } from "./agent-process.ts";
import { type AgentTools, type MakeRole, type Role, toolsFor } from "./agent-tools.ts";
import { devRole } from "./dev.ts";
import { openHttpDoor } from "./http-door.ts";
import { architectRole, leadRole, scoutRole } from "./planners.ts";
import { qaRole } from "./qa.ts";

const roles: Readonly<Record<string, MakeRole>> = {
  lead: leadRole,
  architect: architectRole,
  scout: scoutRole,
  dev: devRole,
  qa: qaRole,
};

const orderBytesMax = 256 * 1024;

/** Plays the agent that standard input orders; the exit code is 0 when the part was played to its end. */
export async function runAgent(environment: Environment): Promise<void> {
  const input = linesOf(process.stdin, orderBytesMax);
  const first = await input.next();
  const line = first.done === true ? "" : new TextDecoder().decode(first.value);
  const read = readOrder(line);
  if (read === null) {
    process.stderr.write("This is an agent of `baton demo`, which starts it and tells it what to do.\n");
    process.exitCode = 64;
    return;
  }
  const gone = new AbortController();
  const holds = makeHolds();
  void listen(input, holds).then(() => gone.abort());
  gone.signal.addEventListener("abort", () => process.exit(1));
  const report = (step: Step) => process.stdout.write(`${writeStep(step)}\n`);
  const { member, order } = read;
  let code = 0;
  try {
    await play(member, order, { environment, report, holds, signal: gone.signal });
  } catch (problem) {
    report({ step: "failed", agent: member.agent, said: problem instanceof Error ? problem.message : String(problem) });
    code = 1;
  }
  // The open input would hold the process; everything it had to say is written.
  process.stdout.write("", () => process.exit(code));
}

/** Lets the agent go on where a line says so; resolves when no more will come. */
async function listen(input: AsyncIterable<Uint8Array>, holds: Holds): Promise<void> {
  for await (const line of input) holds.lift(new TextDecoder().decode(line));
}

interface Surroundings {
  readonly environment: Environment;
  readonly holds: Holds;
  readonly signal: AbortSignal;
  report(step: Step): void;
}

async function play(member: CastMember, order: AgentOrder, surroundings: Surroundings): Promise<void> {
  await using door = await openDoor(member, order, surroundings.environment);
  const tools = toolsFor(member, order, door, surroundings);
  const make = roles[member.role];
  if (make === undefined) throw new Error(`nobody plays ${member.role}`);
  const role = make(tools);
  tools.report({ step: "arrived", door: door.kind, livesBefore: order.livesBefore });
  await role.begin?.();
  await readOn(tools, role, surroundings.signal);
  tools.report({ step: "left" });
}

async function openDoor(member: CastMember, order: AgentOrder, environment: Environment): Promise<AgentDoor> {
  if (member.door === "http") return openHttpDoor(order);
  const { openMcpDoor } = await import("./mcp-door.ts");
  return await openMcpDoor(order, environment);
}

/** Readings in a row that may fail before the agent gives up. */
const failuresMax = 10;
const betweenReadingsMs = 300;

async function readOn(tools: AgentTools, role: Role, signal: AbortSignal): Promise<void> {
  for (;;) {
    for (const letter of await lettersFor(tools, signal)) {
      tools.report({ step: "read", seq: letter.seq, type: letter.type, sender: letter.sender });
      const then = await role.react(letter);
      const answer = await tools.acknowledge(letter.seq);
      tools.report({ step: "acknowledged", seq: letter.seq, answer });
      if (then === "leave") return;
    }
  }
}

async function lettersFor(tools: AgentTools, signal: AbortSignal): Promise<readonly Letter[]> {
  for (let failures = 1; ; failures++) {
    try {
      return await tools.door.read(signal);
    } catch (problem) {
      if (failures >= failuresMax) throw problem;
      // Nothing was lost: what waits stays in the inbox.
      await systemClock.wait(betweenReadingsMs);
    }
  }
}
