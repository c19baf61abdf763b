/** The problem of an agent's name that the team does not have, in the same words wherever one is given. */
import { type Problem, problem } from "../base/problem.ts";
import { nearest } from "../base/text.ts";

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
