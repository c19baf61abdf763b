/**
 * The inbox of a hub, waited for by asks that are each short enough for whatever stands between. A hub that goes away
 * while somebody waits is waited for too: nothing is lost meanwhile, because only an acknowledgement takes mail away.
 */

import { pageRowsMax } from "../../../base/limits.ts";
import type { Problem } from "../../../base/problem.ts";
import { err, type Result } from "../../../base/result.ts";
import { waitedInVain } from "../../../runtime/delivery/inbox.ts";
import type { InboxPage } from "../../../runtime/team/team.ts";
import type { Caller } from "./client-caller.ts";
import * as entryAnswers from "./client-entry-answers.ts";

export interface InboxQuestion {
  readonly agent: string;
  readonly after?: number;
  readonly limit?: number;
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

/** Longest wait of one request. */
const askMsMax = 20_000;
/** Between two asks of a hub that is away. */
const awayPauseMs = 1_000;
/** A page of the usual hundred messages, each as large as messages may be. */
const pageBytesMax = 64 * 1024 * 1024;

/** The page, or `timed-out` after `waitMs` in vain and when the wait is stopped. */
export async function readInbox(
  caller: Caller,
  path: readonly string[],
  { agent, after, limit, waitMs = 0, signal }: InboxQuestion,
): Promise<Result<InboxPage, Problem>> {
  const { clock } = caller.wire;
  const end = clock.monotonic() + waitMs;
  for (;;) {
    const left = Math.max(0, end - clock.monotonic());
    const waitNowMs = Math.min(left, askMsMax);
    const wait = waitNowMs > 0 ? Math.ceil(waitNowMs) / 1000 : undefined;
    const query = { after, limit: limit === undefined ? undefined : Math.min(limit, pageRowsMax), wait };
    const asked = { method: "GET", path, query, shape: entryAnswers.inboxPage } as const;
    const page = await caller.ask({ ...asked, bytesMax: pageBytesMax, extraMs: waitNowMs }, signal);
    if (page.ok) return page;
    const [fault] = page.error.problems;
    if (signal?.aborted === true) return err(waitedInVain(agent, waitMs));
    const isAway = fault.code === "hub-unreachable";
    if (clock.monotonic() >= end || !(isAway || fault.code === "timed-out")) {
      return err(fault.code === "timed-out" ? waitedInVain(agent, waitMs) : fault);
    }
    if (isAway) await clock.wait(Math.min(awayPauseMs, end - clock.monotonic()), signal);
  }
}
