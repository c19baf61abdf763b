/**
 * Roles that an agent of a team may have, as the dialects' documents name them; and the address of a message, as a
 * sender names it: one agent, or everyone of a role (`role:lead`).
 */

import { type AgentName, agentName } from "../base/ids.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import { nearest } from "../base/text.ts";
import { withoutSession } from "./program-hooks.ts";
import { remotePrefix } from "./remote-address.ts";

/**
 * Where a message is to go, as a sender names it: one agent, everyone of a role (`role:lead`), or a remote agent
 * (`remote:shop`), perhaps about what it was asked (`remote:shop/out-1f2e`).
 */
export type Address =
  | { readonly agent: AgentName }
  | { readonly role: Role }
  | { readonly remote: string; readonly ask: string | null };

/** Every role, those of the second revisions first. */
export const roles = [
  "lead",
  "dev",
  "qa",
  "scout",
  "debugger",
  "architect",
  "docs",
  "critic",
  "tester",
  "senior",
  "qa-lead",
  "qa-code",
  "security",
  "owner",
  "orchestrator",
  "user",
  "guest",
] as const;
/** The role of an agent, such as `lead`, `dev` or `qa`. Rights follow from it: docs/protocol/authority.md. */
export type Role = (typeof roles)[number];

/** Whether `text` names a role. */
export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Departments that an agent may belong to. */
export const departments = ["backend", "frontend", "uiux", "shared", "owner"] as const;
/** The part of a company that an agent belongs to, such as `backend`. Rules: docs/protocol/authority.md, section 6. */
export type Department = (typeof departments)[number];

/** Those that build something, and so go through the steps of a phase. */
export const workDepartments = ["backend", "frontend", "uiux"] as const satisfies readonly Department[];
export type WorkDepartment = (typeof workDepartments)[number];

/** Whether a department is one that builds something. */
export function isWorkDepartment(department: string): department is WorkDepartment {
  return (workDepartments as readonly string[]).includes(department);
}

/*
 * The levels of a team's chain of command. The dialects' documents name them where an escalation says whence it comes
 * and where it goes.
 */

/** Levels from the lowest to the highest, in the words of the wire. */
export const levels = ["dev", "senior", "lead", "architect", "owner", "user"] as const;
export type Level = (typeof levels)[number];

/** The level that each role names when it escalates; null: it names none. Advisers name the senior's. */
export const levelOfRole: { readonly [role in Role]: Level | null } = {
  dev: "dev",
  tester: "dev",
  docs: "dev",
  senior: "senior",
  qa: "senior",
  "qa-lead": "senior",
  "qa-code": "senior",
  scout: "senior",
  critic: "senior",
  security: "senior",
  debugger: "senior",
  lead: "lead",
  architect: "architect",
  owner: "owner",
  user: "user",
  // Speaks for the user to leads, and is in no chain itself.
  orchestrator: null,
  // Asks the team, and is no part of it.
  guest: null,
};

/** Roles that advise and verify. They escalate as a senior does, and decide nothing in the chain. */
export const advisingRoles: readonly Role[] = ["qa", "qa-lead", "qa-code", "scout", "critic", "security", "debugger"];

/**
 * Reads `dev-1` or `role:lead`; `dev-1@session-…`, as Claude Code names a member, is `dev-1`. Refuses with
 * `unknown-receiver` what is neither.
 */
export function readAddress(text: string): Result<Address, Problem> {
  if (text.startsWith(remotePrefix)) return readRemoteAddress(text);
  if (text.startsWith("role:")) {
    const role = text.slice("role:".length);
    if (isRole(role)) return ok({ role });
    const near = nearest(role, roles);
    return err(
      makeProblem("unknown-receiver", text, `There is no role "${role}".`, {
        expected: roles.join(" | "),
        received: role,
        hint: near === null ? "Write one of these roles, or an agent's name." : `did you mean "role:${near}"?`,
      }),
    );
  }
  const agent = agentName(withoutSession(text));
  if (agent !== null) return ok({ agent });
  return err(
    makeProblem("unknown-receiver", text, "This is not the name of an agent.", {
      expected: "an agent's name, or role:ROLE",
      received: text,
      hint: "Write the agent's name as `baton agent list` shows it.",
    }),
  );
}

/** The address as a sender would write it. */
export function writeAddress(address: Address): string {
  if ("agent" in address) return address.agent;
  if ("role" in address) return `role:${address.role}`;
  return `${remotePrefix}${address.remote}${address.ask === null ? "" : `/${address.ask}`}`;
}

function readRemoteAddress(text: string): Result<Address, Problem> {
  const [name = "", ask = null, ...more] = text.slice(remotePrefix.length).split("/");
  const remote = agentName(name);
  const isAsk = ask === null || /^out-[0-9a-f]{20}$/.test(ask);
  if (remote !== null && isAsk && more.length === 0) return ok({ remote, ask });
  return err(
    makeProblem("unknown-receiver", text, "This does not name a remote.", {
      expected: "remote:NAME, or remote:NAME/ASK",
      received: text,
      hint: "`baton remote list` shows the remotes and what they were asked.",
    }),
  );
}
