/** What those do who lead: hand out work, give leave, decide what is held up, stop and bring back. */

import { type KnownEscalation, levelOfRole } from "../models/escalation-model.ts";
import {
  numbersOf,
  pathPatterns,
  planOutlines,
  planSpelling,
  somePatterns,
  taskSpelling,
} from "../world/vocabulary.ts";
import type { Asked } from "./act.ts";
import { type Acting, type Choice, say } from "./agent.ts";
import { askForLeave } from "./developer-acts.ts";
import { phaseLeadChoices, phasePersonChoices } from "./phase-acts.ts";
import { reviewChoices } from "./review-acts.ts";

/** Most tasks of a team: enough to go on with. */
const tasksMax = 18;

/** Choices of a lead. */
export const leadChoices: readonly Choice[] = [
  [24, issueContract],
  [9, addTask],
  [16, giveLeave],
  [3, askForLeave],
  [10, decideHere],
  [7, raiseFurther],
  [2, startShutdown],
  [8, bringBack],
  [2, takeTask],
  [3, moveTask],
  [1, retireSomeone],
  ...phaseLeadChoices,
];

/** Choices of an architect. */
export const architectChoices: readonly Choice[] = [
  [8, issueContract],
  [12, giveLeave],
  [10, decideHere],
];

/** Choices of a senior developer. */
export const seniorChoices: readonly Choice[] = [[10, decideHere], ...reviewChoices, [8, raiseFurther]];

/** Choices of the person who owns the team. */
export const ownerChoices: readonly Choice[] = [
  [12, giveLeave],
  [12, decideAsUser],
  [14, bringBack],
  [2, startShutdown],
  [2, retireSomeone],
  [5, addTask],
  [3, takeTask],
  [3, moveTask],
  [4, () => ({ do: "inbox", limit: 100 })],
  ...phasePersonChoices,
];

/** A plan's first contract, or a revision that narrows or widens it. */
function issueContract(acting: Acting): Asked | null {
  const { chance, models } = acting;
  const issued = models.contracts.plans;
  const isDone = (key: string) => {
    const ofPlan = [...models.work.tasks.values()].filter((task) => task.plan === key);
    return ofPlan.length > 0 && ofPlan.every(({ doneBy }) => doneBy !== null);
  };
  const next = planOutlines.find((plan) => !issued.has(numbersOf(planSpelling(chance, plan))));
  const busy = [...issued.keys()].filter((key) => !isDone(key)).length;
  const isNew = next !== undefined && (busy < 2 || chance.happens(0.05));
  const plan = isNew ? next : planOutlines.find(({ phase, number }) => issued.has(`${phase}-${number}`));
  if (plan === undefined || (!isNew && chance.happens(0.6))) return null;
  const known = models.contracts.scopeOf(`${plan.phase}-${plan.number}`);
  const allowed = known === undefined ? [...somePatterns(chance, 5), "src/a/"] : revised(acting, known.allowed);
  const tasks = Array.from({ length: plan.tasks }, (_, index) => taskSpelling(chance, plan, index + 1));
  const before = planOutlines.filter(({ number }) => number < plan.number);
  const dependsOn = before.length > 0 && chance.happens(0.3) ? [planSpelling(chance, chance.pick(before))] : [];
  const forbidden = chance.happens(0.2) ? [chance.pick(pathPatterns)] : [];
  return say(acting, "contract", {
    plan: planSpelling(chance, plan),
    tasks,
    allowed: [...new Set(allowed)],
    forbidden,
    dependsOn,
  });
}

function revised({ chance }: Acting, allowed: readonly string[]): readonly string[] {
  const fewer = allowed.filter(() => chance.happens(0.8));
  const more = chance.happens(0.4) ? [chance.pick<string>(pathPatterns)] : [];
  const both = [...fewer, ...more];
  return both.length > 0 ? both : allowed;
}

/** Adds a task by hand: with files, and sometimes behind another one. */
function addTask(acting: Acting): Asked | null {
  const { chance, models } = acting;
  const known = [...models.work.tasks.values()];
  if (known.filter(({ doneBy }) => doneBy === null).length > 5 || known.length >= tasksMax) return null;
  const dependsOn = known.length > 0 && chance.happens(0.25) ? { dependsOn: [chance.pick(known).task] } : {};
  const files = chance.happens(0.7) ? { files: somePatterns(chance, 2) } : {};
  const outline = chance.pick(planOutlines);
  const isOfPlan = models.contracts.plans.size === 0 && chance.happens(0.5);
  const place = isOfPlan
    ? { task: taskSpelling(chance, outline, chance.between(1, 3)), plan: planSpelling(chance, outline) }
    : { task: `chore-${known.length + 1}` };
  return { do: "add-task", task: { ...place, ...files, ...dependsOn } };
}

/** Answers a request that waits: by message or at a door, sometimes by a wrong id. */
function giveLeave(acting: Acting): Asked | null {
  const { agent, chance, models } = acting;
  const waiting = models.approvals.open().filter(({ requester }) => requester !== agent.name);
  if (waiting.length === 0) return null;
  const request = chance.pick(waiting);
  const approved = chance.happens(0.6);
  const limited = chance.happens(0.4) ? { modifications: somePatterns(chance, 2) } : {};
  const isByDoor = agent.name === "owner" || chance.happens(0.4);
  if (isByDoor) {
    return { do: "answer", request: request.id, answer: { approved, reason: approved ? "yes" : "no", ...limited } };
  }
  const id = chance.happens(0.9) ? request.id : "a-wrong-id";
  return say(acting, "answer", { request: id, approved, ...limited });
}

/** Decides something that waits at the agent's level or below. */
function decideHere(acting: Acting): Asked | null {
  const { agent, chance, models } = acting;
  const levels = ["dev", "senior", "lead", "architect", "owner", "user"];
  const own = levels.indexOf(levelOfRole(agent.role) ?? "dev");
  const waiting = models.escalations.open().filter(({ level }) => levels.indexOf(level) <= own);
  if (waiting.length === 0) return null;
  const { id } = chance.pick(waiting);
  const decision = `Do it so, ${chance.below(5)}`;
  const said =
    agent.role === "lead" || agent.role === "architect"
      ? say(acting, "resolution", { escalation: id, decision, by: agent.role })
      : null;
  return said !== null && chance.happens(0.6) ? said : { do: "resolve", escalation: id, decision };
}

/** Hands on what waits at its own level. */
function raiseFurther(acting: Acting): Asked | null {
  const { agent, chance, models } = acting;
  const own = levelOfRole(agent.role) ?? "dev";
  const waiting = models.escalations.open().filter(({ level }) => level === own);
  if (waiting.length === 0) return null;
  const { id, chain, task }: KnownEscalation = chance.pick(waiting);
  if (chance.happens(0.3)) return { do: "raise", escalation: id };
  const to = chain[chain.indexOf(own) + 1];
  if (to === undefined) return null;
  const original = chance.happens(0.6) ? id : null;
  return say(acting, "escalation", { from: own, to, word: `Too big, ${chance.below(4)}`, original, task });
}

/** Decides, as the person, what came to the user, and now and then what waits further down. */
export function decideAsUser(acting: Acting): Asked | null {
  const { chance, models } = acting;
  const open = models.escalations.open();
  const waiting = chance.happens(0.1) ? open : open.filter(({ level }) => level === "user" || level === "owner");
  if (waiting.length === 0) return null;
  return { do: "resolve", escalation: chance.pick(waiting).id, decision: `As I say, ${chance.below(5)}` };
}

/** Asks some agents to stop, seldom all of them. */
function startShutdown(acting: Acting): Asked | null {
  const { agent, chance, models } = acting;
  const others = [...models.roster.agents.values()].filter((other) => other.isActive && other.agent !== agent.name);
  if (others.length < 3) return null;
  const deadlineSeconds = chance.pick([null, 10, 20, 60]);
  const all = chance.happens(0.15);
  if (all && agent.name !== "owner" && chance.happens(0.6)) return say(acting, "stop", { deadlineSeconds });
  const chosen = others.filter(() => chance.happens(0.3)).map((other) => other.agent);
  const agents = all ? {} : { agents: chosen.length > 0 ? chosen : [chance.pick(others).agent] };
  const deadline = deadlineSeconds === null ? {} : { deadlineMs: deadlineSeconds * 1_000 };
  return { do: "shutdown", start: { reason: "phase_complete", ...agents, ...deadline } };
}

/** Registers an agent that stopped, was forced or was taken out: it comes back in a new session. */
function bringBack({ agent: by, chance, models }: Acting): Asked | null {
  const { roster, health } = models;
  const gone = [...roster.agents.values()].filter(({ agent, isActive }) => !isActive || health.isLost(agent));
  const isFresh = gone.length === 0 && roster.agents.size > 0 && chance.happens(by.name === "owner" ? 0.3 : 0.1);
  if (gone.length === 0 && !isFresh) return null;
  const { agent, role: former, department, dialect } = chance.pick(isFresh ? [...roster.agents.values()] : gone);
  // The person may give it another role.
  const other = former === "dev" ? "docs" : former === "docs" ? "dev" : former;
  const role = by.name === "owner" && chance.happens(0.6) ? other : former;
  const way = chance.happens(0.1) ? { mode: "task" as const } : {};
  const session = isFresh ? { newSession: true } : {};
  const place = department === undefined ? {} : { department };
  return { do: "register", agent: { agent, role, dialect, ...place, ...way, ...session } };
}

function takeTask({ chance, models }: Acting): Asked | null {
  const held = [...models.work.tasks.values()].filter(({ claim }) => claim !== null);
  return held.length === 0 ? null : { do: "release", task: chance.pick(held).task };
}

/** Reassigns a held task, sometimes to an agent that may not have it. */
export function moveTask({ chance, models }: Acting): Asked | null {
  const held = [...models.work.tasks.values()].filter(({ claim }) => claim !== null);
  if (held.length === 0) return null;
  const { task, claim } = chance.pick(held);
  const others = [...models.roster.agents.values()].filter(({ agent }) => agent !== claim?.holder);
  const able = others.filter(({ agent, isActive }) => isActive && !models.health.isLost(agent));
  const from = able.length > 0 && chance.happens(0.8) ? able : others;
  return from.length === 0 ? null : { do: "reassign", task, to: chance.pick(from).agent };
}

function retireSomeone({ agent, chance, models }: Acting): Asked | null {
  const others = [...models.roster.agents.values()].filter(
    (other) => other.isActive && other.agent !== agent.name && other.role !== "lead",
  );
  return others.length < 4 ? null : { do: "retire", agent: chance.pick(others).agent };
}
