/**
 * Ids: what counts as one, and the brands that keep ids of different things apart.
 * Source of the form: docs/protocol/messages.md, section 3.
 */
import { messageIdCharactersMax } from "./limits.ts";

declare const brand: unique symbol;
type Branded<Name extends string> = string & { readonly [brand]: Name };

/** A team's name: `[a-z0-9-]{1,64}`. Made by `teamName` only. */
export type TeamName = Branded<"TeamName">;
/** An agent's name inside a team. Made by `agentName` only. */
export type AgentName = Branded<"AgentName">;
/** A message's id, or the id a sending door was given. Made by `messageId` and `newMessageId` only. */
export type MessageId = Branded<"MessageId">;

const TEAM_NAME = /^[a-z0-9-]{1,64}$/;
const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MESSAGE_ID = /^[A-Za-z0-9._:/@-]+$/;

/** `text` as a team name, or null when it is none. */
export function teamName(text: string): TeamName | null {
  return TEAM_NAME.test(text) ? (text as TeamName) : null;
}

/** `text` as an agent name (a letter or digit, then at most 63 of letters, digits, `.`, `_`, `-`), or null. */
export function agentName(text: string): AgentName | null {
  return AGENT_NAME.test(text) ? (text as AgentName) : null;
}

/** `text` as a message id, or null when it is empty, too long or uses other characters. */
export function messageId(text: string): MessageId | null {
  return text.length <= messageIdCharactersMax && MESSAGE_ID.test(text) ? (text as MessageId) : null;
}
