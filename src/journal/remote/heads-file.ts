/**
 * The heads that a machine saw of a journal in a server, kept in a separate file. Rules: docs/protocol/record.md.
 */

import { systemClock } from "../../base/clock.ts";
import type { TeamName } from "../../base/ids.ts";
import { readAnchors, writeAnchors } from "../anchor-file.ts";
import type { Head } from "../entry.ts";

/** The heads that this machine saw, in a file outside of the server: a server that lost entries cannot lose this, too. */
export interface HeadsFile {
  /** The heads have moved: the file follows within half a second. */
  move(): void;
  /** Writes what has moved. */
  finish(): void;
}

/** How long the file may be behind. */
const behindMs = 500;

/** Keeps the heads in the file at `path`. Several processes may: each takes over what is higher. */
export function headsFileOf(
  path: string,
  store: { readonly seen: ReadonlyMap<TeamName, Head>; readonly ended: AbortController },
): HeadsFile {
  let isBehind = false;
  const write = () => {
    if (!isBehind) return;
    isBehind = false;
    const known = readAnchors(path);
    // A file that cannot be read says so when a journal is opened next; nothing is written over it.
    if (!known.ok) return;
    const moved = new Map(known.value);
    for (const [team, head] of store.seen) {
      const before = known.value.get(team);
      if (before === undefined || head.epoch > before.epoch || head.seq > before.seq) moved.set(team, head);
    }
    // What it saves is a check: a folder that cannot be written keeps nobody from recording.
    writeAnchors(path, moved);
  };
  return {
    move() {
      if (isBehind) return;
      isBehind = true;
      void systemClock.wait(behindMs, store.ended.signal).then(write);
    },
    finish: write,
  };
}
