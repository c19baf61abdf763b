/**
 * Records that files were written which the agent may not write: by its program without asking, or by somebody while Baton
 * did not see what the agent did; or that git was refused a commit or a push of them. The leads above the agent and the
 * holders of the files are notified, and nothing is undone. Rule: docs/protocol/doors.md, section 7.
 */

import { canonical, sha256 } from "../../base/canonical.ts";
import type { Problem } from "../../base/problem.ts";
import { ok } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import type { Actor, TeamContext } from "../../perform/context.ts";
import type { Reply } from "../../perform/operations/reply.ts";
import { type Operation, perform } from "../../perform/perform.ts";
import { prose } from "../../perform/prose.ts";
import { leadsAbove, shownMax } from "../services/verdict-notification.ts";

export interface WrittenFiles {
  readonly files: readonly string[];
  readonly problems: readonly Problem[];
  readonly holders: readonly string[];
  /** Since when Baton did not see what the agent did; absent: its program wrote them by a tool that Baton knows. */
  readonly unseenSince?: string | undefined;
  /** The gate has refused a commit that has them; somebody else may have written them. */
  readonly isCommit?: boolean;
  /** The gate has refused to push commits of the agent that have them. */
  readonly isPush?: boolean;
}

/** Records the finding once, however often the file is written. The agent itself reads it in the answer. */
export async function recordWritten(context: TeamContext, actor: Actor, written: WrittenFiles): Promise<Reply> {
  const refused = refusedOf(written);
  const id = `${refused ?? "unasked"}/${sha256(canonical({ ...findingOf(written) })).slice(0, 32)}`;
  const unasked = written.unseenSince === undefined ? "write-unasked" : "change-unseen";
  const name = refused === null ? unasked : (`${refused}-refused` as const);
  return await perform({ context, actor }, { ...recording, name }, written, id);
}

/** What git refused; null: the files are written. */
function refusedOf({ isCommit = false, isPush = false }: WrittenFiles): "push" | "commit" | null {
  return isPush ? "push" : isCommit ? "commit" : null;
}

/** The finding as it is recorded. */
function findingOf({ files, problems, unseenSince }: WrittenFiles) {
  const found = problems.map(({ path, message }) => `- ${visible(path)}: ${visible(message)}`);
  return { files: [...files], found, ...(unseenSince === undefined ? {} : { unseenSince }) };
}

const recording: Omit<Operation<WrittenFiles, TeamContext>, "name"> = {
  recorded: findingOf,
  decide(state, written, { by: { agent } }) {
    const { found } = findingOf(written);
    const more = found.length > shownMax ? [`- and ${found.length - shownMax} more`] : [];
    const about = [...found.slice(0, shownMax), ...more];
    const refused = refusedOf(written);
    const lines =
      refused === null ? writtenLines(agent, about, written.unseenSince) : refusedLines(agent, about, refused);
    const others = [...leadsAbove(state, agent), ...written.holders].filter((each) => each !== agent);
    return ok({ events: [], notes: [], delivered: { message: prose(lines), receivers: [...new Set(others)] } });
  },
};

function refusedLines(agent: string, about: readonly string[], what: "commit" | "push"): readonly string[] {
  const refused = what === "commit" ? `a commit of ${agent}: it has` : `to push commits of ${agent}: they have`;
  const commits = what === "commit" ? "the commit" : "its commits";
  return [
    `Git refused ${refused} files that ${agent} may not change.`,
    ...about,
    `What to do: ${agent} leaves them out of ${commits}. Talk to ${agent} if they belong to its task.`,
  ];
}

function writtenLines(agent: string, about: readonly string[], unseenSince: string | undefined): readonly string[] {
  if (unseenSince !== undefined) return unseenLines(agent, unseenSince, about);
  return [
    `${agent} has written files that it may not write. Its program did not ask Baton before, or got no answer.`,
    ...about,
    "What to do: look at the change, and take back what does not belong there. Nothing was undone.",
  ];
}

/** Nobody is accused: the holder may have made the change. */
function unseenLines(agent: string, since: string, about: readonly string[]): readonly string[] {
  return [
    `Files that others hold changed after ${visible(since)}, in the work tree of ${agent}. Baton could not see then what ${agent} did, so it does not know who changed them.`,
    ...about,
    "What to do: the holder looks at the change. If the holder made it, no one needs to do anything. Nothing was undone.",
  ];
}
