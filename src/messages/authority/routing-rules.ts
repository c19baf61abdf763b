/**
 * Routing rules of a message in addition to the matrix of roles: when its type is used at all, its direction, and
 * between which levels and departments it may go. Source: docs/protocol/authority.md; docs/protocol/asking.md,
 * sections 5 to 10; tests/requirements/yolo-1.tsv.
 */

import { argument } from "../../base/argument.ts";
import { isJsonObject, type Json } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import type { Member, Roster } from "../../team/state/roster.ts";
import type { Definition, Dialect } from "../dialects/dialect.ts";
import type { Fact } from "../facts.ts";
import { ownerName, type Principal } from "../principal.ts";
import type { Role } from "../role.ts";
import { isBelow, levelOf } from "./chain-of-command.ts";
import { areSeveralActive, type Colleague, departmentOf, mayCross, workingDepartments } from "./departments.ts";

/** What decides which way a message may go. */
export interface Route {
  readonly sent: Definition;
  readonly sender: Principal;
  readonly fact: Fact | null;
  readonly roster: Roster;
  readonly definition: TeamDefinition | null;
  /** Whether the dialect keeps departments apart. */
  readonly isolates: boolean;
  /** Whom an escalation of the sender goes to; null: the level that it names. */
  readonly above: readonly string[] | null;
}

/** Why its sender may not send it now, or claims something false about itself; null: it may. */
export function senderRouteProblem(route: Route): Problem | null {
  const { sent, sender, definition } = route;
  const { mode, across } = sent.routing;
  if (mode !== undefined && (definition?.teamMode ?? "teammate") !== mode) {
    return notAuthorised(`${sent.type} is used only where the team's mode is ${mode}.`, {
      expected: mode,
      received: definition?.teamMode ?? "",
      hint: "In task mode the lead hands out tasks (`baton task reassign TASK --to AGENT`), and developers report with dev_progress.",
    });
  }
  if (across !== undefined) {
    // What a department has begun it may finish, also when the agents of the others have left.
    if (workingDepartments(route.roster).size < 2) {
      return notAuthorised(`${sent.type} is used only where several departments work.`, {
        expected: "agents of two departments",
        received: "one",
        hint: "Say it in your own words, as prose; or have agents of another department registered.",
      });
    }
    const own = sender.role === null ? null : departmentOf(asColleague(sender, sender.role));
    if (own === null || !across.senders.includes(own)) {
      return notAuthorised(`${sent.type} comes from ${across.senders.join(" or ")}.`, {
        expected: across.senders.join(" | "),
        received: own ?? "no department",
        hint: "Ask the lead of that department to send it.",
      });
    }
  }
  return claimProblem(route);
}

/** What the message says of its sender's level, department or direction, where that is another's. */
function claimProblem({ sent, sender, fact }: Route): Problem | null {
  const body: { readonly [field: string]: Json } = fact?.body ?? {};
  const { role, department } = sender;
  if (sent.routing.direction === "up" && role !== null && typeof body.from === "string") {
    const level = levelOf(role);
    if (level !== null && body.from !== level)
      return claim("$.from", `${role} escalates as ${level}`, level, body.from);
  }
  if (department === undefined) return null;
  if (typeof body.department === "string" && body.department !== department) {
    return claim("$.department", `${sender.agent} is of ${department}`, department, body.department);
  }
  if (sent.routing.direction === "both" && typeof body.direction === "string") {
    const [says = "", other = ""] = body.direction.split("_to_");
    if (says !== department)
      return claim("$.direction", `${sender.agent} is of ${department}`, `${other}_to_${says}`, body.direction);
  }
  return null;
}

/**
 * Whether a message goes to this colleague: up to the level it names, or the next that has somebody; down to those below;
 * inside its department.
 */
function goesTo(route: Route, receiver: Member): boolean {
  const { sent, sender, fact } = route;
  const { direction } = sent.routing;
  if (sender.role === null) return true;
  const { to }: { readonly [field: string]: Json } = fact?.body ?? {};
  const isAbove = route.above?.includes(receiver.agent) === true;
  if (direction === "up" && typeof to === "string" && levelOf(receiver.role) !== to && !isAbove) return false;
  if (direction === "down" && !isBelow(receiver.role, sender.role)) return false;
  if (sent.kind === "shutdown-request" && !leads(sender, receiver, route.roster)) return false;
  if (!route.isolates || !areSeveralActive(route.roster)) return true;
  return mayCross(sent, asColleague(sender, sender.role), receiver);
}

function asColleague({ department }: Principal, role: Colleague["role"]): Colleague {
  return department === undefined ? { role } : { role, department };
}

/** Whom the message itself names, in the field that its definition addresses it by; null: nobody. */
export function addressee(sent: Definition, fact: Fact | null): string | null {
  const { addressedBy } = sent.routing;
  if (addressedBy === undefined || fact === null) return null;
  let here: Json | undefined = fact.body;
  for (const step of addressedBy.split(".")) here = isJsonObject(here) ? here[step] : undefined;
  return typeof here === "string" ? here : null;
}

function claim(path: string, truth: string, expected: string, received: string): Problem {
  return makeProblem("identity-mismatch", path, `${truth}, but the message says ${received.slice(0, 80)}.`, {
    expected,
    received: received.slice(0, 160),
    hint: `Write "${expected}".`,
  });
}

function notAuthorised(
  message: string,
  more: { readonly expected: string; readonly received: string; readonly hint: string },
): Problem {
  return makeProblem("sender-not-authorised", "$.type", message, more);
}

/*
 * Who may ask whom to stop. A request that names nobody goes to every agent that its sender leads, whatever dialect the
 * agent speaks; a named agent is judged by the matrix too.
 * Source: docs/protocol/asking.md, section 14.
 */

/** Roles that a lead does not lead: only the person who owns the team asks these to stop. */
const aboveLeads: readonly Role[] = ["owner", "user", "orchestrator"];

/**
 * Whether the sender leads the colleague. While several departments are at work, a lead of one leads its members and
 * nobody else; a lead of none, and the person who owns the team, lead everybody.
 */
function leads({ agent, department }: Principal, receiver: Colleague, roster: Roster): boolean {
  if (agent === ownerName || department === undefined || !areSeveralActive(roster)) return true;
  return departmentOf(receiver) === department;
}

/** The agents that a request without named receivers asks, in roster order. */
export function askedToStop(
  sent: Definition,
  sender: Principal,
  roster: Roster,
  dialectOf: (member: Member) => Dialect | null,
): readonly string[] {
  return [...roster.values()]
    .filter((member) => member.status === "active" && member.agent !== sender.agent)
    .filter((member) => leads(sender, member, roster) && isAsked(sent, sender, member, dialectOf(member)))
    .map(({ agent }) => agent);
}

/** Whether the documents, or Baton in their place, ask an agent of this role and dialect. */
function isAsked(sent: Definition, sender: Principal, { role }: Member, dialect: Dialect | null): boolean {
  // Of one family, what one revision has no message for the other says.
  const isOfFamily = dialect?.id.split("/")[0] === sent.dialect.split("/")[0];
  const own = dialect?.definitionOf(sent.kind) ?? (isOfFamily ? sent : null);
  if ((own ?? sent).receivers.includes(role)) return true;
  // The second revisions leave the architect out of a shutdown.
  if (role === "architect" && own !== null) return false;
  return sender.agent === ownerName || !aboveLeads.includes(role);
}

/** Whether a message may go this agent's route; the owner, who is no member, may read everything. */
export function isOnRoute(route: Route, agent: string): boolean {
  const member = route.roster.get(agent);
  return member === undefined || goesTo(route, member);
}

/** `isNamed`: the sender named receivers, and could leave them out. */
export function routeProblem(sent: Definition, agent: string, { roster }: Route, isNamed: boolean): Problem {
  const member = roster.get(agent);
  const { direction } = sent.routing;
  const message =
    direction === "up"
      ? `${sent.type} goes one level up, and ${agent} is not on the next level above its sender.`
      : direction === "down"
        ? `${sent.type} goes down the chain only, and ${agent} is not below its sender.`
        : sent.kind === "shutdown-request"
          ? `${agent} is not of the department that the sender leads, so the sender may not stop it.`
          : `${sent.type} does not go to the department of ${agent}.`;
  return makeProblem("receiver-not-authorised", agent, message, {
    received:
      member === undefined ? "" : `${member.role}${member.department === undefined ? "" : ` of ${member.department}`}`,
    hint:
      sent.kind === "shutdown-request"
        ? "A lead of all departments, or the person who owns the team, asks it to stop."
        : direction === undefined || direction === "both"
          ? "Send it inside your own department; across departments only leads speak, with the types meant for it."
          : isNamed
            ? `Leave \`${argument("to")}\` out to reach those it is meant for.`
            : routeHint(direction),
  });
}

/** What to do where nobody is in the direction that the message goes. */
function routeHint(direction: "up" | "down"): string {
  return direction === "up"
    ? "Name in the message the level above your own, or register an agent of the level that it names."
    : "Only an agent below you in the chain receives it: register one, or let an agent above the receiver send it.";
}
