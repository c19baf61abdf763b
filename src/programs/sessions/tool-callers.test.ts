/** Calls of Baton's tools are joined with the hooks before them, however the agents of one session interleave. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type ActingAgent, nobodyActs } from "../hooks/acting-agent.ts";
import { toolCallers } from "./session-teams.ts";

const seed = 17;
const lead: ActingAgent = { ...nobodyActs, agent: "lead-1" };
const teammate: ActingAgent = { ...nobodyActs, agent: "dev-1" };
const helper: ActingAgent = { ...nobodyActs, helps: "lead-1" };
const stranger: ActingAgent = { ...nobodyActs, unknown: "worker" };

const use = (toolUseId: string | null, toolName = "mcp__baton__task") => ({ toolName, toolUseId });

test(`a call acts as the agent of the hook that announced it in 1,000 interleavings, and once (seed ${seed})`, () => {
  const agents = fc.array(fc.constantFrom(lead, teammate, helper), { minLength: 2, maxLength: 12 });
  fc.assert(
    fc.property(agents, fc.array(fc.nat(), { minLength: 24, maxLength: 24 }), (acting, choices) => {
      const callers = toolCallers();
      // Each agent's hook comes before its call; which agent goes on next is a free choice.
      const waiting = acting.map((agent, index) => ({ agent, id: `toolu_${index}`, isTold: false }));
      for (const choice of choices) {
        const [next] = waiting.splice(choice % Math.max(1, waiting.length), 1);
        if (next === undefined) break;
        if (!next.isTold) {
          callers.remember(use(next.id), next.agent);
          waiting.push({ ...next, isTold: true });
          continue;
        }
        const { agent, helps } = next.agent;
        assert.deepEqual(callers.take(next.id), agent === null ? { helps } : { agent });
        assert.ok("nobody" in callers.take(next.id), "a replayed call acts as nobody");
      }
    }),
    { seed, numRuns: 1_000 },
  );
});

test("a call without a hook, of a stranger, or of another tool acts as nobody; a second hook changes nothing", () => {
  const callers = toolCallers();
  callers.remember(use("a", "Write"), lead);
  callers.remember(use(null), lead);
  callers.remember(use("b"), stranger);
  callers.remember(use("c"), teammate);
  callers.remember(use("c"), lead);
  for (const id of ["a", "b", "unheard", null]) assert.ok("nobody" in callers.take(id), String(id));
  assert.deepEqual(callers.take("c"), { agent: "dev-1" });
});

test("a use is forgotten a minute after its hook", () => {
  let nowMs = 0;
  const callers = toolCallers({ monotonic: () => nowMs });
  callers.remember(use("a"), lead);
  nowMs = 60_001;
  callers.remember(use("b"), lead);
  assert.ok("nobody" in callers.take("a"));
  assert.deepEqual(callers.take("b"), { agent: "lead-1" });
});
