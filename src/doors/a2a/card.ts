/**
 * The card of a team: what a client must know to ask it. The public card names the team, its interfaces and how to prove who
 * asks; the extended card names the typed messages that this caller may send.
 * Rules: docs/protocol/doors.md, section 15.
 */
import { err, ok } from "../../base/result.ts";
import type { Team } from "../../perform/team.ts";
import { errorOf } from "./errors.ts";
import type { Read } from "./wire.ts";

/** The extension by which a data part is a typed message of the team's dialects. */
export const typedExtension = "urn:baton:a2a:typed:1";

/** Where a team's interfaces are, and what the hub is. */
export interface CardPlace {
  readonly team: string;
  /** The URL of the interfaces, without a slash at the end. */
  readonly base: string;
  readonly version: string;
}

/** The public card. */
export function publicCard({ team, base, version }: CardPlace) {
  return {
    name: team,
    description: `The team "${team}" of coding agents. It takes tasks in words; a task is completed once its work is verified.`,
    supportedInterfaces: [
      { url: `${base}/jsonrpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: base, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    ],
    version,
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: true,
      extensions: [
        {
          uri: typedExtension,
          description: "One data part is a typed message of the team's dialects.",
          required: false,
        },
      ],
    },
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills: [
      {
        id: "ask",
        name: "Ask the team",
        description: "Asks the team for a piece of work. The lead plans it, refuses it with a reason, or asks back.",
        tags: ["coding"],
        examples: ["The export needs a column for the tax"],
      },
    ],
  };
}

type FormsOf = Pick<Team, "name" | "forms">;

/** The card for a caller: in addition a skill for each type of message that it may send. */
export async function extendedCard({
  team,
  base,
  version,
}: Omit<CardPlace, "team"> & { readonly team: FormsOf }): Promise<Read<object>> {
  const forms = await team.forms();
  if (!forms.ok) return err(errorOf([forms.error]));
  const card = publicCard({ team: team.name, base, version });
  const typed = forms.value.map(({ dialect, type, summary }) => ({
    id: `${dialect}/${type}`,
    name: type,
    description: summary,
    tags: [dialect],
    inputModes: ["application/json"],
  }));
  return ok({ ...card, skills: [...card.skills, ...typed] });
}
