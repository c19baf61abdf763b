/**
 * Whether the hub can do its work, reported as it is: the last entry was recorded, or a write outside the chain
 * succeeds, and the last verification found nothing. Source: docs/protocol/journal.md, section 11.
 */
import type { Clock } from "../../../base/clock.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, type Result } from "../../../base/result.ts";
import type { VerifyReport } from "../../../journal/journal.ts";
import type { Hub } from "../../../runtime/hub.ts";

export interface Check {
  readonly name: "journal" | "write" | "verify";
  readonly ok: boolean;
  readonly detail: string;
}

export interface Readiness {
  /** An entry became durable just now. */
  recorded(): void;
  /** A write failed just now. */
  failed(): void;
  verified(report: VerifyReport): void;
  checks(): Promise<readonly Check[]>;
}

/** So long a recorded entry, or a probe that succeeded, speaks for the journal. */
const freshMs = 1_000;
/** So long a probe may take; a journal that cannot be written within it is not ready. */
const probeMs = 5_000;

/** The readiness of one hub. */
export function newReadiness(hub: Hub, clock: Clock): Readiness {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let lastVerify: VerifyReport | null = null;
  let probing: Promise<Result<void, Problem>> | null = null;

  const probe = async (): Promise<Result<void, Problem>> => {
    const over = new AbortController();
    const late = clock.wait(probeMs, over.signal).then(() => err(tooLate));
    const probed = hub.journal.probe();
    const done = await Promise.race([probed, late]);
    over.abort();
    if (done.ok) writtenAt = clock.monotonic();
    return done;
  };

  /** One probe serves all who ask meanwhile: many questions must not become many writes. */
  const writeCheck = async (): Promise<Check> => {
    if (clock.monotonic() - writtenAt < freshMs) return { name: "write", ok: true, detail: "written within a second" };
    probing ??= probe().finally(() => {
      probing = null;
    });
    const done = await probing;
    return {
      name: "write",
      ok: done.ok,
      detail: done.ok ? "a write succeeds" : `${done.error.code}: ${done.error.message}`,
    };
  };

  const journalCheck = (): Check => {
    const standing = hub.journal.condition();
    const detail = standing.condition === "failed" ? `failed: ${standing.problem.message}` : standing.condition;
    return { name: "journal", ok: standing.condition === "ready", detail };
  };

  const verifyCheck = (): Check => {
    if (lastVerify === null) return { name: "verify", ok: true, detail: "not asked of this hub yet" };
    const found = lastVerify.problems[0]?.message ?? "not sound";
    return { name: "verify", ok: lastVerify.ok, detail: lastVerify.ok ? "sound" : found };
  };

  return {
    recorded: () => {
      writtenAt = clock.monotonic();
    },
    failed: () => {
      writtenAt = Number.NEGATIVE_INFINITY;
    },
    verified: (report) => {
      lastVerify = report;
    },
    async checks() {
      // In this order: a probe may be what finds that the journal failed.
      const write = await writeCheck();
      return [journalCheck(), write, verifyCheck()];
    },
  };
}

const tooLate = problem("journal-busy", "journal", `No write succeeded within ${probeMs / 1000} s.`, {
  hint: "Another process may hold the journal's lock.",
});
