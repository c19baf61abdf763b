/** Operations on the roster: who joins the team, and who leaves it. Rules: docs/protocol/rights.md. */
import { z } from "zod";
import { dialectIds } from "../dialects/registry.ts";
import { departments, roles } from "../message/role.ts";
import { teamModes } from "../team/definition.ts";
import { inForm, operation } from "./define.ts";

const group = "People and agents";

export const registerAgent = operation({
  name: "registerAgent",
  call: "register",
  access: "caller",
  says: "Adds an agent, or brings back a retired one. The owner's and the leads'.",
  input: z.strictObject({
    agent: z.string().describe("the agent's name, such as dev-1"),
    role: z.enum(roles).describe("its role"),
    department: z.enum(departments).optional().describe("its department"),
    dialect: inForm("dialect", z.enum(dialectIds)).optional().describe("absent: the team's first"),
    mode: z.enum(teamModes).optional().describe("task: it has no circuit breaker; absent: the team's"),
    newSession: z.boolean().optional().describe("an agent that is there begins again; its old session is fenced off"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/agents" },
  cli: [
    {
      words: "agent register",
      group,
      summary: "add an agent",
      description:
        "Adds an agent by an entry in the journal; the team file stays as it is. Registering the same agent again changes\n" +
        "nothing; after retirement, or once it has disappeared, it starts a new session: what it held is free, its old tokens and\n" +
        "programs are refused. While its department's circuit breaker is open, only agents in task mode are let in.",
      arguments: {
        agent: { as: "AGENT" },
        role: { as: "--role ROLE" },
        department: { as: "--department DEPARTMENT" },
        dialect: {
          as: "--dialect DIALECT",
          anyWord: true,
          says: "the dialect it reads and writes (default: the team's first)",
        },
        mode: { as: "--mode MODE", says: "task: no circuit breaker keeps it out (default: the team's team_mode)" },
        newSession: { as: "--new-session" },
      },
      examples: [
        { line: "baton agent register dev-1 --role dev", meaning: "a developer" },
        {
          line: "baton agent register ui-1 --role dev --department frontend --dialect yolo/2",
          meaning: "with department and dialect",
        },
        {
          line: "baton agent register dev-1 --role dev --new-session",
          meaning: "another process takes dev-1's place",
        },
      ],
      next: "baton inbox --as AGENT reads its messages.",
      said: "Registered: {agent}, {role} (entry {seq}).",
      unchanged: "Already registered: {agent}, {role} (entry {seq}).",
    },
  ],
  record: { act: "register-agent", line: "registered {agent}[ as {role}][ in {department}]" },
});

export const retireAgent = operation({
  name: "retireAgent",
  call: "retire",
  access: "caller",
  says: "Takes an agent out: it may send nothing more. The owner's and the leads'.",
  input: z.strictObject({
    agent: z.string().describe("the agent's name"),
    reason: z.string().optional().describe("why, for the record"),
  }),
  answer: { kind: "reply" },
  http: { method: "post", path: "/agents/{agent}/retire" },
  cli: [
    {
      words: "agent retire",
      group,
      summary: "retire an agent",
      description:
        "Retires an agent: from then on it may send nothing, and nobody may send to it. What was said stays in the record.",
      arguments: { agent: { as: "AGENT" }, reason: { as: "--reason TEXT" } },
      examples: [
        { line: "baton agent retire dev-2", meaning: "dev-2 leaves the team" },
        { line: "baton agent retire dev-2 --reason 'plan 1-2 is done'", meaning: "with the reason recorded" },
      ],
      next: "baton agent list shows who is left; baton agent register brings it back in a new session.",
      said: "Retired: {agent} (entry {seq}).",
      unchanged: "Already retired: {agent} (entry {seq}).",
    },
  ],
  record: { act: "retire-agent", line: "retired {agent}[: {reason}]" },
});

/** In the order of the document and of help. */
export const agentOperations = [registerAgent, retireAgent] as const;
