/** What every agent does: read and acknowledge mail, answer requests to stop, talk. */

import { weighted } from "../world/chance.ts";
import type { Asked } from "./act.ts";
import type { Acting, Choice } from "./agent.ts";
import { say } from "./agent.ts";
import { handoffChoices } from "./handoff-acts.ts";

/** Choices of every agent. */
export const commonChoices: readonly Choice[] = [
  [10, readMail],
  [6, acknowledgeMail],
  [3, () => ({ do: "sign" })],
  [2, talk],
  [4, attend],
  [0.5, leave],
  [14, answerStop],
  ...handoffChoices,
];

function readMail({ chance }: Acting): Asked {
  return { do: "inbox", limit: chance.pick([1, 3, 100]) };
}

function acknowledgeMail({ agent, models }: Acting): Asked | null {
  return agent.shown > models.mail.acknowledged(agent.name) ? { do: "acknowledge", seq: agent.shown } : null;
}

/** Begins a program that stays, seldom; shows that it is there, often. */
function attend({ agent, chance }: Acting): Asked | null {
  return agent.program !== null || chance.happens(0.6) ? { do: "attend" } : null;
}

function leave({ agent }: Acting): Asked | null {
  return agent.program === null ? null : { do: "leave" };
}

function talk({ agent, chance, models, id }: Acting): Asked | null {
  const others = [...models.roster.agents.values()].filter((other) => other.isActive && other.agent !== agent.name);
  if (others.length === 0) return null;
  return { do: "send", text: "All is well here.", id, to: [chance.pick(others).agent] };
}

/** Most agents stop when they are asked; some finish something first, some refuse. */
function answerStop(acting: Acting): Asked | null {
  const { agent, chance, models } = acting;
  const [round] = models.shutdowns.waitingFor(agent.name);
  if (round === undefined) return null;
  const [approved, status] = weighted<readonly [boolean, string]>(chance, [
    [6, [true, "clean"]],
    [2, [true, "in_progress"]],
    [1, [true, "error"]],
    [3, [false, "in_progress"]],
  ]);
  const request = chance.happens(0.9) ? round.id : "a-wrong-id";
  return say(acting, "stopped", { request, approved, status });
}
