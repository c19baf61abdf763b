/** `baton agent register`: adds an agent to the team, or brings back a retired one. */
import { visible } from "../../../base/text.ts";
import type { DialectId } from "../../../message/message.ts";
import { departments, roles } from "../../../message/role.ts";
import { teamModes } from "../../../team/definition.ts";
import { chosen } from "../choice.ts";
import type { Command } from "../command.ts";
import { answer, isUnchanged, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Adds an agent by an entry in the journal; the team file stays as it is. Registering the same agent again changes\n" +
    "nothing; after retirement, or once it has disappeared, it starts a new session: what it held is free, its old tokens and\n" +
    "programs are refused. While its department's circuit breaker is open, only agents in task mode are let in.",
  positionals: [{ name: "AGENT", required: true, summary: "the agent's name, such as dev-1" }],
  options: [
    { name: "role", kind: "text", value: "ROLE", required: true, choices: roles, summary: "its role" },
    { name: "department", kind: "text", value: "DEPARTMENT", choices: departments, summary: "its department" },
    {
      name: "dialect",
      kind: "text",
      value: "DIALECT",
      summary: "the dialect it reads and writes (default: the team's first)",
    },
    {
      name: "mode",
      kind: "text",
      value: "MODE",
      choices: teamModes,
      summary: "task: no circuit breaker keeps it out (default: the team's team_mode)",
    },
    { name: "new-session", kind: "flag", summary: "an agent that is there begins anew; its old session is fenced off" },
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton agent register dev-1 --role dev", meaning: "a developer" },
    {
      line: "baton agent register ui-1 --role dev --department frontend --dialect yolo/2",
      meaning: "with department and dialect",
    },
    { line: "baton agent register dev-1 --role dev --new-session", meaning: "another process takes dev-1's place" },
  ],
  next: "baton inbox --as AGENT reads its messages.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const agent = given.word("AGENT") ?? "";
      const role = chosen(given.text("role"), roles);
      const department = given.text("department");
      const dialect = given.text("dialect");
      const mode = given.text("mode");
      const id = given.text("id");
      const reply = await team.register(
        {
          agent,
          role,
          ...(department === undefined ? {} : { department: chosen(department, departments) }),
          ...(mode === undefined ? {} : { mode: chosen(mode, teamModes) }),
          ...(given.flag("new-session") ? { newSession: true } : {}),
          // Whether such a dialect stands is the team's question; a wrong one is refused with its name.
          ...(dialect === undefined ? {} : { dialect: dialect as DialectId }),
        },
        id === undefined ? {} : { id },
      );
      return answer(
        call,
        reply,
        (receipt) =>
          `${isUnchanged(reply) ? "Already registered" : "Registered"}: ${visible(agent)}, ${role} (entry ${receipt.seq}).`,
      );
    }),
};
