/** Everybody there can be: each role in each department and in none, twice, so that each can write to its like. */
import type { DialectId } from "../../src/messages/message.ts";
import { departments, roles } from "../../src/messages/role.ts";
import type { Member, Roster } from "../../src/team/state/roster.ts";
import type { Person, Place } from "./table.ts";

const places: readonly Place[] = [...departments, "none"];

/** Each role in each department and in none. A guest sends nothing at all, so it is in no table of messages. */
export const people: readonly Person[] = roles
  .filter((role) => role !== "guest")
  .flatMap((role) => places.map((place) => ({ role, place })));

/** Each role, in no department. */
export const withoutDepartments: readonly Person[] = people.filter(({ place }) => place === "none");

/** The agent that sends for somebody. */
export function senderName({ role, place }: Person): string {
  return `${role}-${place}-1`;
}

/** The agent that receives for somebody. */
export function receiverName({ role, place }: Person): string {
  return `${role}-${place}-2`;
}

/** The roster of a team of these, all of whom speak one dialect. */
export function rosterOf(some: readonly Person[], dialect: DialectId): Roster {
  return new Map(
    some.flatMap((person) =>
      [senderName(person), receiverName(person)].map((agent): [string, Member] => {
        const { role, place } = person;
        const department = place === "none" ? {} : { department: place };
        return [agent, { agent, role, dialect, source: "file", status: "active", session: 1, ...department }];
      }),
    ),
  );
}

/** The same as a team file. */
export function teamFileOf(some: readonly Person[], dialect: DialectId): string {
  const agents = [...rosterOf(some, dialect).values()].map(({ agent, role, department }) => {
    return `  ${agent}: { role: ${role}${department === undefined ? "" : `, department: ${department}`} }\n`;
  });
  return `version: 1\nteam: web\ndialects: [${dialect}]\npolicy: enforce\nagents:\n${agents.join("")}`;
}
