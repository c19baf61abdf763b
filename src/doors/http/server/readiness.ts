/**
 * Whether the hub can do its work, reported as it is: the last entry was recorded, or a write outside the chain succeeds,
 * its teams continue in no other journal, and the last verification found nothing. Anybody may ask, so what is said of lost
 * entries names no team. Source: docs/protocol/record.md, section 11.
 */
import type { Clock } from "../../../base/clock.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, type Result } from "../../../base/result.ts";
import type { JournalCondition, VerifyReport } from "../../../journal/journal.ts";
import { leftProblem } from "../../../perform/closed-team.ts";
import type { Hub } from "../../../perform/hub.ts";
import { type HubLog, silentLog } from "./monitoring.ts";

interface Check {
  readonly name: "journal" | "write" | "verify" | "clock";
  readonly ok: boolean;
  readonly detail: string;
}

export interface Readiness {
  /** An entry became durable just now. */
  recorded(): void;
  /** A write failed just now. */
  failed(problem?: Problem): void;
  verified(report: VerifyReport): void;
  checks(): Promise<readonly Check[]>;
}

/** So long a recorded entry, or a probe that succeeded, speaks for the journal. */
const freshMs = 1_000;
/** So long a write that found no room speaks for the journal; then a probe does again, and the next write. */
const fullMs = 30_000;
/** So long a probe may take; a journal that cannot be written within it is not ready. */
const probeMs = 5_000;

/**
 * The readiness of one hub. `log` reports once why nothing can be written where the journal's own condition does not say
 * it, such as weak settings of a server or teams that continue elsewhere, and once when it can again.
 */
export function newReadiness(hub: Pick<Hub, "journal">, clock: Clock, log: HubLog = silentLog): Readiness {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let full: { readonly problem: Problem; readonly at: number } | null = null;
  let lastVerify: VerifyReport | null = null;
  let wasRegressed = false;
  let probing: Promise<Result<void, Problem>> | null = null;
  const isReady = () => hub.journal.condition().condition === "ready";
  const told = newTelling(isReady, log);
  const probe = async (): Promise<Result<void, Problem>> => {
    const over = new AbortController();
    const late = clock.wait(probeMs, over.signal).then(() => err(tooLate));
    const probed = hub.journal.probe();
    const done = await Promise.race([probed, late]);
    over.abort();
    // A journal that was left can be written, and takes nothing.
    const left = done.ok ? await leftProblem(hub.journal) : null;
    if (left !== null) return err(left);
    if (done.ok) writtenAt = clock.monotonic();
    return done;
  };

  /** One probe serves all who ask meanwhile: many questions must not become many writes. */
  const writeCheck = async (): Promise<Check> => {
    // What was written before the journal was found to be damaged says nothing. The probe also looks whether it still is.
    if (isReady() && clock.monotonic() - writtenAt < freshMs)
      return { name: "write", ok: true, detail: "written within a second" };
    // A probe changes a row that is there, for which a full disk may have room.
    if (full !== null && clock.monotonic() - full.at < fullMs)
      return { name: "write", ok: false, detail: `${full.problem.code}: ${full.problem.message}` };
    probing ??= probe().finally(() => {
      probing = null;
    });
    const done = await probing;
    if (hub.journal.condition().condition === "regressed")
      return { name: "write", ok: false, detail: "journal-regressed: nothing is recorded until the loss is settled" };
    return {
      name: "write",
      ok: done.ok,
      detail: done.ok ? "a write succeeds" : `${done.error.code}: ${done.error.message}`,
    };
  };

  const verifyCheck = (): Check => {
    const isRegressed = hub.journal.condition().condition === "regressed";
    // What a verification said of lost entries is settled with them.
    if (wasRegressed && !isRegressed && lastVerify?.problems.every(({ code }) => code === "journal-regressed") === true)
      lastVerify = null;
    wasRegressed = isRegressed;
    return { name: "verify", ok: lastVerify?.ok ?? true, detail: foundBy(lastVerify) };
  };

  return {
    recorded: () => {
      writtenAt = clock.monotonic();
      full = null;
    },
    failed: (problem) => {
      writtenAt = Number.NEGATIVE_INFINITY;
      if (problem?.code === "journal-full") full = { problem, at: clock.monotonic() };
    },
    verified: (report) => {
      lastVerify = report;
    },
    async checks() {
      // In this order: a probe may be what finds that the journal failed.
      const write = told(await writeCheck());
      return [journalCheck(hub.journal.condition()), write, verifyCheck(), ...clockChecks(hub.journal.clock)];
    },
  };
}

/** Reports once why nothing can be written while the journal's condition says that it is ready, and once that it can be. */
function newTelling(isReady: () => boolean, log: HubLog): (write: Check) => Check {
  let told: string | null = null;
  return (write) => {
    const { ok: isOk, detail } = write;
    if (!isOk && isReady() && detail !== told) log.warn({ why: detail }, "the hub is not ready");
    if (isOk && told !== null) log.info({}, "the hub is ready again");
    told = isOk ? null : detail;
    return write;
  };
}

function journalCheck(status: JournalCondition): Check {
  return { name: "journal", ok: status.condition === "ready", detail: detailOf(status) };
}

/** A hub that does not know the server's time records messages, and no deadline: late, never early. */
function clockChecks(clock: Clock): readonly Check[] {
  if (clock.distrust === undefined) return [];
  const why = clock.distrust();
  return [{ name: "clock", ok: true, detail: why === null ? "known" : `deadlines wait: ${why}` }];
}

function foundBy(report: VerifyReport | null): string {
  if (report === null) return "not asked of this hub yet";
  return report.ok ? "sound" : (report.problems[0]?.message ?? "not sound");
}

function detailOf(status: JournalCondition): string {
  switch (status.condition) {
    case "failed":
      return `failed: ${status.problem.message}`;
    case "unreachable":
      return `unreachable since ${status.since}: ${status.problem.message}`;
    case "regressed":
      return (
        `regressed: the journal ends at entry ${status.head.seq}, but entry ${status.anchor.seq} had been acknowledged. ` +
        "Restore what is missing, or go on without it: baton journal accept-loss --reason TEXT"
      );
    case "ready":
      return status.condition;
  }
}

const tooLate = makeProblem("journal-busy", "journal", `No write succeeded within ${probeMs / 1000} s.`, {
  hint: "Another process may hold the journal's lock.",
});
