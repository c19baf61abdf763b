/** How tokens are shown to people: a table of their ids, and a new one, once. */
import { visible } from "../../../base/text.ts";
import type { IssuedToken } from "../../../runtime/team/team.ts";
import type { Credential } from "../../../team/credentials.ts";
import type { Output } from "../terminal/output.ts";
import { table } from "../terminal/terminal-text.ts";

/** A line a token: its id, whom it proves, whether it holds. */
export function tokensText(tokens: readonly Credential[]): string {
  return table(tokens.map(({ tokenId, agent, status }) => [tokenId, visible(agent), status]));
}

/** The token alone on standard output; on standard error what it is. */
export function showToken({ token, tokenId, agent }: IssuedToken, receipt: unknown, output: Output): void {
  output.result({ token, tokenId, agent, receipt }, () => token);
  if (token === null) output.say(`Made before, as ${tokenId}; a token is shown once. Make a new one.`);
  else output.say(`Token ${tokenId} proves ${visible(agent ?? "")}. It is shown this once; keep it like a password.`);
}
