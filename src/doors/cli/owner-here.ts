/**
 * Whether a command that is the owner's alone may be meant by a person. Without `--as` the caller of a command on this
 * machine is the owner, so a program whose environment names its agent must not become the owner by leaving `--as` out.
 */
import { type Problem, problem } from "../../base/problem.ts";
import type { Call } from "./command.ts";

/** Why it is not: the environment belongs to an agent. Null: nothing speaks against it. */
export function ownerHere({ config }: Pick<Call, "config">): Problem | null {
  if (config.agent === null) return null;
  return problem("human-required", "BATON_AGENT", `This shell belongs to the agent ${config.agent}.`, {
    expected: "the owner",
    received: config.agent.slice(0, 64),
    hint: "The person who owns the team runs this in a shell without BATON_AGENT, or decides on the page.",
  });
}
