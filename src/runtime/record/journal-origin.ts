/**
 * The first entry of a journal that was begun for a copied project: which journal it comes from, and how far that had come.
 * Rule: docs/protocol/state-folder.md.
 */
import type { TeamName } from "../../base/ids.ts";
import type { Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Head } from "../../journal/journal.ts";
import { ownerName } from "../../message/principal.ts";
import type { TeamDefinition } from "../../team/definition.ts";
import type { MembersKept, TeamEvent } from "../../team/events.ts";
import type { TeamRevisionState } from "../../team/revision.ts";
import type { OpenedJournal } from "../open.ts";
import type { ActName } from "./act-line.ts";
import { asJson } from "./content.ts";

/** Where a forked journal comes from. */
export interface JournalOrigin {
  /** The project that was copied, an absolute path. */
  readonly project: string;
  /** The last entry that both projects have in common; null: nothing had been recorded of the team. */
  readonly head: Head | null;
  /** What was in force there. The copied team file may say more, which waits for the owner as it did. Null: nothing was. */
  readonly definition: TeamDefinition | null;
  /** Who was in the team there, or had left it: a name keeps its past, and who was retired stays so. */
  readonly members: MembersKept | null;
}

/** What the new journal keeps of the copied record's team. Its tokens, sessions and work stay behind. */
export function keptOf({
  definition,
  roster,
  retired,
}: TeamRevisionState): Pick<JournalOrigin, "definition" | "members"> {
  const members: MembersKept = {
    event: "members-kept",
    members: [...roster.values()],
    retired: [...retired].map(([agent, reason]) => ({ agent, reason })),
  };
  return definition === null ? { definition, members: null } : { definition, members };
}

const act: ActName = "fork-journal";

/** Records the origin in the empty journal of `team`, once: a journal that holds an entry already is left as it is. */
export async function recordOrigin(
  journal: OpenedJournal,
  team: TeamName,
  { project, head, definition, members }: JournalOrigin,
): Promise<Result<void, Problem>> {
  const committed = await journal.commit(team, {
    once: null,
    decide: (_state, { seq }) => {
      if (seq > 1) return { decline: [] };
      const begun: TeamEvent[] = definition === null ? [] : [{ event: "team-revised", revision: 1, definition }];
      const last = head === null ? {} : { entry: head.seq, hash: head.hash };
      return {
        kind: "command",
        principal: { agent: ownerName, role: "owner", via: "launcher" },
        id: null,
        digest: null,
        receivers: [],
        content: asJson({
          command: { name: act, project, ...last },
          ...(definition === null ? {} : { team: [...begun, ...(members === null ? [] : [members])] }),
        }),
      };
    },
  });
  return committed.ok ? ok(undefined) : err(committed.error);
}
