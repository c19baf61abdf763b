/** Problems of agents' names, in the same words wherever one is given: unknown, reserved, malformed, taken. */

import { agentName } from "../base/ids.ts";
import { type Problem, problem } from "../base/problem.ts";
import { nearest } from "../base/text.ts";
import {
  isReservedName,
  nameHint,
  nameInOtherCase,
  otherCaseMessage,
  reservedNameMessage,
} from "../message/principal.ts";
import type { Member, Roster } from "./roster.ts";

/** A name that is longer than this is none, and is not repeated whole. */
const shownCharactersMax = 64;

/** Names more than these are no help. */
const namesMax = 12;

/**
 * `unknown-agent` for `agent`, where the team has `known`. `path`: the argument that gave the name; absent: the name itself.
 * `hint`: what the caller does about it; absent: where agents are listed and added.
 */
export function unknownAgent(
  agent: string,
  known: Iterable<string>,
  { path, hint }: { readonly path?: string; readonly hint?: string } = {},
): Problem {
  const shown = agent.slice(0, shownCharactersMax).toWellFormed();
  const names = [...known];
  const near = nearest(agent, names);
  const next = hint ?? `\`baton agent list\` shows the agents; \`baton agent register ${shown} --role ROLE\` adds one.`;
  return problem("unknown-agent", path ?? agent, `There is no agent "${shown}" in the team.`, {
    ...(names.length === 0 ? {} : { expected: names.slice(0, namesMax).join(" | ") }),
    received: shown,
    hint: near === null ? next : `did you mean "${near}"? ${next}`,
  });
}

export function nameProblems(agent: string): readonly Problem[] {
  if (isReservedName(agent)) {
    return [problem("wrong-value", agent, reservedNameMessage(agent), { hint: nameHint })];
  }
  if (agentName(agent) !== null) return [];
  const expected = "a letter or digit, then at most 63 of A-Z a-z 0-9 . _ -";
  return [problem("wrong-value", agent, "This cannot be the name of an agent.", { expected, received: agent })];
}

/** New names that differ from one that ever was only in the case of their letters. */
export function twinProblems(names: readonly string[], roster: Roster): readonly Problem[] {
  return names
    .filter((name) => !roster.has(name))
    .flatMap((name) => {
      const twin = nameInOtherCase(name, roster.keys());
      return twin === null ? [] : [problem("already-exists", name, otherCaseMessage(name, twin), { hint: nameHint })];
    });
}

export function nameTaken(member: Member): Problem {
  const place = member.department === undefined ? "" : ` in ${member.department}`;
  return problem(
    "already-exists",
    member.agent,
    `${member.agent} is already registered as ${member.role}${place} with ${member.dialect}.`,
    {
      hint: `Choose another name, or retire that agent first: \`baton agent retire ${member.agent}\`.`,
    },
  );
}

export function unknownWord(
  code: Problem["code"],
  agent: string,
  what: string,
  word: string,
  known: readonly string[],
): Problem {
  const meant = nearest(word, known);
  return problem(code, agent, `There is no ${what} "${word}".`, {
    expected: known.join(" | "),
    received: word,
    hint: meant === null ? undefined : `did you mean "${meant}"?`,
  });
}
