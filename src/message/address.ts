/** Where a message is to go, as a sender names it: one agent, or everyone of a role (`role:lead`). */
import { type AgentName, agentName } from "../base/ids.ts";
import { type Problem, problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text.ts";
import { withoutSession } from "./program-hooks.ts";
import { isRole, type Role, roles } from "./role.ts";

export type Address = { readonly agent: AgentName } | { readonly role: Role };

/**
 * Reads `dev-1` or `role:lead`; `dev-1@session-…`, as Claude Code names a member, is `dev-1`. Refuses with
 * `unknown-receiver` what is neither.
 */
export function readAddress(text: string): Result<Address, Problem> {
  if (text.startsWith("role:")) {
    const role = text.slice("role:".length);
    if (isRole(role)) return ok({ role });
    const near = nearest(role, roles);
    return err(
      problem("unknown-receiver", text, `There is no role "${role}".`, {
        expected: roles.join(" | "),
        received: role,
        hint: near === null ? "Write one of these roles, or an agent's name." : `did you mean "role:${near}"?`,
      }),
    );
  }
  const agent = agentName(withoutSession(text));
  if (agent !== null) return ok({ agent });
  return err(
    problem("unknown-receiver", text, "This is not the name of an agent.", {
      expected: "an agent's name, or role:ROLE",
      received: text,
      hint: "Write the agent's name as `baton agent list` shows it.",
    }),
  );
}

/** The address as a sender would write it. */
export function writeAddress(address: Address): string {
  return "agent" in address ? address.agent : `role:${address.role}`;
}
