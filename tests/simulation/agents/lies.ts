/** What no agent may do, tried by some: each must come to nothing. */

import { pathPatterns } from "../world/vocabulary.ts";
import type { Asked } from "./act.ts";
import { type Acting, type Choice, say, writerOf } from "./agent.ts";
import { anyTask, completionOf, someCommit } from "./developer-acts.ts";
import { handoffLies } from "./handoff-acts.ts";
import { phaseLies } from "./phase-acts.ts";
import { write } from "./wire.ts";

/** Choices of a lying agent. */
export const lies: readonly Choice[] = [
  [6, completeOthers],
  [5, useOldToken],
  [7, claimOthersFiles],
  [5, answerOwn],
  [5, decideAbove],
  [3, releaseOthers],
  [3, pretendToLead],
  [2, changeTeam],
  [3, answerTwice],
  [2, decideAgain],
  [2, stopTeam],
  [2, skipLevels],
  ...handoffLies,
  ...phaseLies,
];

/** Completes what another holds. */
function completeOthers(acting: Acting): Asked | null {
  const { agent, chance, models } = acting;
  const others = [...models.work.tasks.values()].filter(({ claim }) => claim !== null && claim.holder !== agent.name);
  return others.length === 0 ? null : completionOf(acting, chance.pick(others), false);
}

/** Completes or renews by a token that was its own once. */
function useOldToken(acting: Acting): Asked | null {
  const { agent, chance } = acting;
  if (agent.tokens.length === 0) return null;
  const { task, token } = chance.pick(agent.tokens);
  if (chance.happens(0.3)) return { do: "renew", task, token };
  if (chance.happens(0.3)) return { do: "release", task, token };
  return { do: "complete", work: { task, token, commit: someCommit(acting) } };
}

/** Claims a free task with files that another holds. */
function claimOthersFiles(acting: Acting): Asked | null {
  const { agent, chance, models } = acting;
  const tasks = [...models.work.tasks.values()];
  const held = tasks.flatMap(({ claim }) => (claim !== null && claim.holder !== agent.name ? claim.files : []));
  const free = tasks.filter(({ claim, doneBy }) => claim === null && doneBy === null);
  if (free.length === 0) return null;
  const files = held.length > 0 && chance.happens(0.7) ? [chance.pick(held)] : [chance.pick(pathPatterns)];
  return { do: "claim", task: { task: chance.pick(free).task, files } };
}

/** Answers its own request, or one that it may not answer. */
function answerOwn(acting: Acting): Asked | null {
  const { agent, chance, models } = acting;
  const open = models.approvals.open();
  const own = open.filter(({ requester }) => requester === agent.name);
  const waiting = own.length > 0 && chance.happens(0.7) ? own : open;
  if (waiting.length === 0) return null;
  return say(acting, "answer", { request: chance.pick(waiting).id, approved: true });
}

/** Decides what waits above its level. */
function decideAbove({ chance, models }: Acting): Asked | null {
  const open = models.escalations.open();
  return open.length === 0 ? null : { do: "resolve", escalation: chance.pick(open).id, decision: "As I like it" };
}

function releaseOthers(acting: Acting): Asked | null {
  const task = anyTask(acting);
  return task === null ? null : { do: "release", task: task.task };
}

/** Writes as the lead does, and says that it is one. */
function pretendToLead(acting: Acting): Asked | null {
  const { chance, models } = acting;
  const writer = { ...writerOf(acting), role: "lead" as const };
  const [request] = models.approvals.open();
  const written =
    request !== undefined && chance.happens(0.5)
      ? write("answer", { request: request.id, approved: true }, writer)
      : write("stop", { deadlineSeconds: 10 }, writer);
  return written === null ? null : { do: "send", ...written };
}

function changeTeam({ agent, chance, models }: Acting): Asked | null {
  const { agent: other, role, dialect } = chance.pick([...models.roster.agents.values()]);
  if (chance.happens(0.5)) return { do: "retire", agent: other };
  return { do: "register", agent: { agent: chance.happens(0.5) ? agent.name : other, role, dialect } };
}

/** Answers what is decided already. */
function answerTwice(acting: Acting): Asked | null {
  const { agent, chance, models } = acting;
  const decided = [...models.approvals.requests.values()].filter(({ status }) => status !== "open");
  if (decided.length === 0) return null;
  const { id } = chance.pick(decided);
  const approved = chance.happens(0.5);
  if (agent.name === "owner") return { do: "answer", request: id, answer: { approved, reason: "again" } };
  return say(acting, "answer", { request: id, approved });
}

/** Decides what was decided, otherwise. */
function decideAgain({ chance, models }: Acting): Asked | null {
  const decided = [...models.escalations.all.values()].filter(({ status }) => status !== "open");
  return decided.length === 0 ? null : { do: "resolve", escalation: chance.pick(decided).id, decision: "Otherwise" };
}

function stopTeam(acting: Acting): Asked | null {
  return acting.chance.happens(0.5)
    ? { do: "shutdown", start: { reason: "user_abort" } }
    : say(acting, "stop", { deadlineSeconds: 10 });
}

/** Hands an issue to a level that is not the next. */
function skipLevels(acting: Acting): Asked | null {
  return say(acting, "escalation", { from: "dev", to: "architect", word: "At once", original: null, task: null });
}
