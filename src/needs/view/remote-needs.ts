/**
 * What needs the person because of remotes: one that cannot be reached while something is asked of it, which only the person
 * can mend; and what a remote asks the person back, who has no inbox. Pure.
 * Source: docs/protocol/asking.md, section 11.
 */
import { counted } from "../../base/text.ts";
import { ownerName } from "../../messages/principal.ts";
import { remotePrefix } from "../../messages/remote-address.ts";
import type { CoordinationState } from "../../perform/coordination-state.ts";
import { openRemoteAsks } from "../../remotes/decide.ts";
import { findTask } from "../../tasks/state/task-state.ts";
import { type FoundNeed, needDefaults } from "./need-ranking.ts";

/** Both, in no order. */
export function remoteNeeds({ remotes, work }: CoordinationState): readonly FoundNeed[] {
  const open = openRemoteAsks(remotes);
  const away = [...remotes.known.values()].flatMap(({ remote, problem }) => {
    const waiting = open.filter((ask) => ask.remote === remote);
    if (problem === null || waiting.length === 0) return [];
    return {
      ...needDefaults,
      id: `remote:${remote}`,
      kind: "remote",
      class: "remote",
      subject: `The remote ${remote} cannot be reached; ${counted(waiting.length, "ask")} ${waiting.length === 1 ? "waits" : "wait"} for it.`,
      why: problem.message,
      agent: `${remotePrefix}${remote}`,
      target: remote,
      blocks: waiting.flatMap(({ task }) => task ?? []),
      seq: problem.seq,
    } as const;
  });
  const asking = open.filter(({ asker, state }) => asker === ownerName && state === "input-required");
  return [
    ...away,
    ...asking.map(
      ({ ask, remote, task: id, title, words, changed }): FoundNeed => ({
        ...needDefaults,
        id: `remote:${remote}/${ask}`,
        kind: "remote",
        class: "remote",
        subject: `The remote ${remote} asks back about what you asked it: ${title}`,
        asks: words,
        agent: `${remotePrefix}${remote}`,
        task: id === null ? null : (findTask(work, id, null)?.task ?? id),
        target: `${remote}/${ask}`,
        seq: changed,
      }),
    ),
  ];
}
