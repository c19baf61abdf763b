/** `baton agent register`: adds an agent to the team, or brings back a retired one. */
import { visible } from "../../../base/text.ts";
import type { DialectId } from "../../../message/message.ts";
import { departments, roles } from "../../../message/role.ts";
import { chosen } from "../choice.ts";
import type { Command } from "../command.ts";
import { answer, isUnchanged, withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Adds an agent by an entry in the journal; the team file stays as it is. Registering the same agent again changes\n" +
    "nothing; after retirement it starts a new session.",
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
    { name: "id", kind: "text", value: "ID", summary: "names this act for retries" },
  ],
  examples: [
    { line: "baton agent register dev-1 --role dev", meaning: "a developer" },
    {
      line: "baton agent register ui-1 --role dev --department frontend --dialect yolo/2",
      meaning: "with department and dialect",
    },
  ],
  next: "baton inbox --as AGENT reads its messages.",
  run: (call) =>
    withTeam(call, async (team) => {
      const { given } = call;
      const agent = given.word("AGENT") ?? "";
      const role = chosen(given.text("role"), roles);
      const department = given.text("department");
      const dialect = given.text("dialect");
      const id = given.text("id");
      const reply = await team.register(
        {
          agent,
          role,
          ...(department === undefined ? {} : { department: chosen(department, departments) }),
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
