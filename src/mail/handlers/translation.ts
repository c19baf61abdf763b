/**
 * How a member reads what others say: in its own dialect, as the team has it. `inbox.ts` loads this file for the first
 * message that is no prose. Source: docs/protocol/messages.md, section 19.
 */

import type { Entry } from "../../journal/entry.ts";
import type { GivenHead } from "../../messages/dialects/dialect.ts";
import { translate } from "../../messages/intake/drafts.ts";
import type { Content } from "../../perform/content.ts";
import { type TeamContext, withDialects } from "../../perform/context.ts";
import { teamDialectOf } from "../../perform/team-dialects.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import type { Member } from "../../team/state/roster.ts";

/** Says a message as the member reads it, by what its entry knows. */
export type Translate = (
  source: Parameters<typeof translate>[0],
  of: { readonly id: string; readonly entry: Entry; readonly content: Content },
) => ReturnType<typeof translate>;

/** The translation for a member; null: its dialect is not in this build. */
export async function translationFor(
  { dialect }: Member,
  context: TeamContext,
  definition: TeamDefinition | null,
): Promise<Translate | null> {
  const { dialectOf } = await withDialects(context);
  const own = teamDialectOf(definition, dialectOf)(dialect);
  if (own === null) return null;
  return (source, { id, entry, content }) => translate(source, own, { id, given: givenBy(entry, content) });
}

/** What the connection and the decision knew in addition to the message: what a translation may need of it. */
function givenBy(entry: Entry, { events = [] }: Content): GivenHead {
  // Who answered requests of several named none of them, and nobody can say which each reader made.
  const answers = events.filter((event) => event.event === "shutdown-answered");
  const [answered] = answers.every(({ requester }) => requester === answers[0]?.requester) ? answers : [];
  return {
    authorRole: entry.principal.role ?? "lead",
    timestamp: entry.recordedAt,
    teamName: entry.team,
    ...(answered === undefined ? {} : { requestId: answered.requestId }),
  };
}
