/** Credentials at a terminal: `baton token create` makes a token or a link. */
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Command } from "../../doors/cli/kernel/command.ts";
import { actId } from "../../doors/cli/kernel/operation-command.ts";
import { answer, withTeam } from "../../doors/cli/place/session.ts";
import { exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { localTime } from "../../doors/cli/terminal/terminal-text.ts";

export const createCommand: Command = {
  acts: true,
  description:
    "Makes a token that proves an agent to a hub, and prints it, this once: the journal keeps only its hash. Every hub on the\n" +
    "journal accepts it at once. AGENT may be `owner`. With --link makes a link by which everybody who has it may read the team\n" +
    "on the page until it expires, and change nothing; prints its end, to be put behind the hub's address. With --person that one\n" +
    "also approves, denies, decides and lifts what needs you, recorded as owner:NAME. Only the owner makes these.",
  positionals: [{ name: "AGENT", argument: "agent", summary: "whom the token proves" }],
  options: [
    { name: "link", kind: "flag", summary: "a link to read the team, which expires" },
    { name: "hours", kind: "count", value: "N", summary: "for how many hours the link is good (default: 24)" },
    { name: "note", kind: "text", value: "TEXT", summary: "for whom the link is, for your list" },
    { name: "person", kind: "text", value: "NAME", summary: "who may decide by the link (default: it is for reading)" },
    actId,
  ],
  examples: [
    { line: "baton token create dev-1", meaning: "the token, alone on standard output" },
    { line: "baton token create owner --json", meaning: "one for the person, with its id and receipt" },
    {
      line: "baton token create --link --hours 2 --note 'the review'",
      meaning: "who has it may look on for two hours",
    },
  ],
  next: "baton up starts the hub that takes it; baton token revoke ID ends it.",
  run: async (call) => {
    const { given, output } = call;
    const [agent, hours, note] = [given.word("AGENT"), given.number("hours"), given.text("note")];
    const person = given.text("person");
    const isLink = given.flag("link");
    if (isLink === (agent !== undefined))
      return output.fail(usageProblem("AGENT", "A token is for an agent, a link for nobody in particular.", either));
    const [name] = Object.entries({ "--hours": hours, "--note": note, "--person": person }).flatMap(([each, value]) =>
      value === undefined ? [] : [each],
    );
    if (!isLink && name !== undefined) {
      return output.fail(usageProblem(name, `${name} is of a link; a token holds until it is revoked.`, either));
    }
    const id = given.text(actId.name);
    const named = id === undefined ? {} : { id };
    return await withTeam(call, async (team) => {
      if (agent !== undefined) {
        const reply = await team.issueToken({ agent }, named);
        if (reply.outcome !== "accepted") return answer(call, reply, () => "");
        const { token, tokenId, receipt, notes } = reply;
        output.notes(notes);
        output.result({ token, tokenId, agent, receipt }, () => token);
        output.say(
          token === null
            ? `Made before, as ${tokenId}; a token is shown once. Make a new one.`
            : `Token ${tokenId} proves ${visible(agent)}. It is shown this once; keep it like a password.`,
        );
        return exitCodes.done;
      }
      const limits = {
        ...(hours === undefined ? {} : { hours }),
        ...(note === undefined ? {} : { note }),
        ...(person === undefined ? {} : { person }),
      };
      const reply = await team.createShare(limits, named);
      if (reply.outcome !== "accepted") return answer(call, reply, () => "");
      const { secret, shareId, expiresAt, receipt, notes } = reply;
      output.notes(notes);
      output.result({ secret, shareId, expiresAt, receipt }, () => (secret === null ? null : `#share=${secret}`));
      output.say(
        secret === null
          ? `Made before, as ${shareId}; its secret is shown once. Make a new one.`
          : `Link ${shareId} is for ${person === undefined ? "reading" : `${visible(person)} to decide`} until ${localTime(expiresAt ?? "")}. Put this behind the address of the page, such as\nhttp://127.0.0.1:4777/. It is shown this once; baton token revoke ${shareId} ends it.`,
      );
      return exitCodes.done;
    });
  },
};

const either = "baton token create AGENT, or baton token create --link";
