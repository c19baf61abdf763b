/** What agents do about handoffs: hand over what they hold, answer what they were handed, say that it is done. */

import type { KnownHandoff } from "../models/handoff-model.ts";
import { reportedFiles } from "../world/vocabulary.ts";
import type { Asked } from "./act.ts";
import type { Acting, Choice } from "./agent.ts";

/** Most handoffs of a team: enough to go on with. */
const handoffsMax = 24;

/** Choices of every agent of a team that has the dialect. */
export const handoffChoices: readonly Choice[] = [
  [3, handOver],
  [10, acceptWork],
  [2, rejectWork],
  [5, completeWork],
];

/** Answers that no agent may give. */
export const handoffLies: readonly Choice[] = [
  [3, answerForOthers],
  [2, completeForOthers],
  [4, acceptUnseen],
  [1, rejectWithoutReason],
  [2, answerAnew],
];

/** Hands over one of its tasks, or other work, to one or two agents. */
function handOver(acting: Acting): Asked | null {
  const { agent, chance, models, id, nowMs } = acting;
  const others = [...models.roster.agents.values()].filter((other) => other.isActive && other.agent !== agent.name);
  if (!agent.writesHandoffs || others.length === 0 || models.handoffs.all.size >= handoffsMax) return null;
  const to = [...new Set(Array.from({ length: chance.pick([1, 1, 2]) }, () => chance.pick(others).agent))];
  const own = models.work.heldBy(agent.name);
  const tasks = own.length > 0 && chance.happens(0.8) ? own : [...models.work.tasks.values()];
  const task = tasks.length > 0 && chance.happens(0.8) ? { task_id: chance.pick(tasks).task } : {};
  const workflow = chance.happens(0.4) ? { workflow_id: chance.pick(["one", "two"]) } : {};
  const some = (most: number) => reportedFiles.slice(0, chance.below(most + 1));
  const status = chance.happens(0.1) ? "failed" : "in-progress";
  const handoff = {
    metadata: {
      id,
      source_agent: agent.name,
      target_agent: to[0] ?? "",
      timestamp: new Date(nowMs).toISOString(),
      ...workflow,
      ...task,
    },
    context: {},
    instructions: { primary: `Go on, ${chance.below(1_000)}` },
    dependencies: { required_files: some(2), generated_files: some(1) },
    validation: { source_status: { overall_status: status } },
  };
  return { do: "send", text: JSON.stringify({ handoff }), id, to };
}

/** What somebody finds who looks for so many files of a document. */
function look({ digest }: KnownHandoff, files: number) {
  return files === 0 ? {} : { verified: { digest, files, weak: 0, failed: [] } };
}

function accept(handoff: KnownHandoff): Asked {
  return { do: "accept-handoff", handoff: handoff.id, ...look(handoff, handoff.required) };
}

function reject({ id }: KnownHandoff): Asked {
  return { do: "reject-handoff", handoff: id, reasons: ["It is not clear"] };
}

function complete(handoff: KnownHandoff): Asked {
  return { do: "complete-handoff", handoff: handoff.id, ...look(handoff, handoff.generated) };
}

function acceptWork({ agent, chance, models }: Acting): Asked | null {
  const waiting = models.handoffs.waitingFor(agent.name);
  return waiting.length === 0 ? null : accept(chance.pick(waiting));
}

function rejectWork({ agent, chance, models }: Acting): Asked | null {
  const waiting = models.handoffs.waitingFor(agent.name);
  return waiting.length === 0 ? null : reject(chance.pick(waiting));
}

function completeWork({ agent, chance, models }: Acting): Asked | null {
  const own = [...models.handoffs.all.values()].filter(
    ({ status, issuer, answeredBy }) => status === "accepted" && (answeredBy === agent.name || issuer === agent.name),
  );
  return own.length === 0 ? null : complete(chance.pick(own));
}

function answerForOthers({ agent, chance, models }: Acting): Asked | null {
  const others = [...models.handoffs.all.values()].filter(
    ({ status, receivers }) => status === "issued" && !receivers.has(agent.name),
  );
  if (others.length === 0) return null;
  return chance.happens(0.6) ? accept(chance.pick(others)) : reject(chance.pick(others));
}

function completeForOthers({ chance, models }: Acting): Asked | null {
  const all = [...models.handoffs.all.values()].filter(({ status }) => status !== "completed");
  return all.length === 0 ? null : complete(chance.pick(all));
}

/** Accepts without a look, with a look at another document, at some of its files, or in spite of a missing one. */
function acceptUnseen({ agent, chance, models }: Acting): Asked | null {
  const waiting = models.handoffs.waitingFor(agent.name).filter(({ required }) => required > 0);
  if (waiting.length === 0) return null;
  const { id, digest, required: files } = chance.pick(waiting);
  const missing = { path: reportedFiles[0], state: "missing" as const, reason: null };
  const verified = chance.pick([
    undefined,
    { digest: "0".repeat(64), files, weak: 0, failed: [] },
    { digest, files: files - 1, weak: 0, failed: [] },
    { digest, files, weak: 0, failed: [missing] },
  ]);
  return { do: "accept-handoff", handoff: id, ...(verified === undefined ? {} : { verified }) };
}

function rejectWithoutReason({ agent, chance, models }: Acting): Asked | null {
  const waiting = models.handoffs.waitingFor(agent.name);
  return waiting.length === 0 ? null : { do: "reject-handoff", handoff: chance.pick(waiting).id, reasons: [" "] };
}

/** Answers what was answered already. */
function answerAnew({ agent, chance, models }: Acting): Asked | null {
  const answered = [...models.handoffs.all.values()].filter(
    ({ status, receivers }) => status !== "issued" && receivers.has(agent.name),
  );
  if (answered.length === 0) return null;
  return chance.happens(0.5) ? accept(chance.pick(answered)) : reject(chance.pick(answered));
}
