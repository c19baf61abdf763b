/**
 * Verification and security of a part of a phase. A verdict that fails begins a round of remediation; there are at most
 * two, and after that who is above decides. A security audit that fails stops the part, and nothing an agent says lifts
 * that: only the person who owns the team does, with a reason.
 * Source: docs/protocol/phases.md, sections 7 and 8.
 */
import { argument } from "../../base/argument.ts";
import { unreachable } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Note } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import { type Part, partKey, type Said } from "../state/phase-state.ts";
import {
  type Audit,
  type CodeVerdict,
  failingAfter,
  type PartQuality,
  type Quality,
  qualityOf,
  type SecurityStop,
  stopsOf,
  type Verdict,
  validVerdict,
} from "../state/review-state.ts";
import { saidBefore, saysTheSame } from "./phase-facts.ts";

/** Rounds of remediation that a part may have. */
export const remediationRoundsMax = 2;

/**
 * Orders about quality. `part` null: nobody has said in which phase the team is. `last`: the entry of the last reported
 * work; absent: there is none.
 */
export type QualityCommand =
  | { readonly command: "record-verdict"; readonly part: Part; readonly verdict: Verdict; readonly last?: number }
  | {
      readonly command: "record-code-verdict";
      readonly part: Part;
      readonly verdict: CodeVerdict;
      readonly last?: number;
    }
  | { readonly command: "record-audit"; readonly part: Part | null; readonly audit: Audit }
  | {
      readonly command: "lift-stop";
      readonly stop: string | null;
      readonly reason: string;
      readonly said: Said;
      /** Under which name it is recorded; absent: that of who said it. */
      readonly decidedBy?: string;
    };

/** What can happen to quality. */
export type QualityEvent =
  | {
      readonly event: "work-judged";
      readonly part: Part;
      readonly verdict: Verdict;
      /** Failed verdicts since the last that passed. */
      readonly failed: number;
    }
  | { readonly event: "code-judged"; readonly part: Part; readonly verdict: CodeVerdict; readonly failed: number }
  | { readonly event: "security-audited"; readonly part: Part; readonly audit: Audit }
  | { readonly event: "security-stopped"; readonly stop: SecurityStop }
  | { readonly event: "stop-lifted"; readonly stop: string; readonly lifted: NonNullable<SecurityStop["lifted"]> };

type Outcome = Result<Decided<QualityEvent>, readonly Problem[]>;

/**
 * Refuses `human-required` (a stop is lifted by anyone but the owner), `unknown-request` (there is no such stop, or
 * none is active), `ambiguous-request` (several do) and `already-answered`.
 */
export const quality: Decider<Quality, QualityCommand, QualityEvent> = {
  name: "quality",
  initial: () => ({ parts: new Map(), stops: new Map() }),
  decide(command, state) {
    switch (command.command) {
      case "record-verdict":
        return judgeWork(command, state);
      case "record-code-verdict":
        return judgeCode(command, state);
      case "record-audit":
        return recordAudit(command, state);
      case "lift-stop":
        return liftStop(command, state);
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    switch (event.event) {
      case "security-stopped":
        state.stops.set(event.stop.stop, event.stop);
        return state;
      case "stop-lifted": {
        const known = state.stops.get(event.stop);
        if (known !== undefined) state.stops.set(event.stop, { ...known, lifted: event.lifted });
        return state;
      }
      case "work-judged":
      case "code-judged":
      case "security-audited":
        state.parts.set(partKey(event.part), after(qualityOf(state, event.part), event));
        return state;
      default:
        return unreachable(event);
    }
  },
};

type PartEvent = Extract<QualityEvent, { readonly part: Part }>;

function after(known: PartQuality, event: PartEvent): PartQuality {
  switch (event.event) {
    case "work-judged": {
      const verdicts = { ...known.verdicts, [event.verdict.tier]: event.verdict };
      const failing = failingAfter(known.failing, event.verdict);
      return { ...known, verdicts, failing, failed: { ...known.failed, work: event.failed } };
    }
    case "code-judged":
      return { ...known, code: event.verdict, failed: { ...known.failed, code: event.failed } };
    case "security-audited":
      return { ...known, audit: event.audit };
    default:
      return unreachable(event);
  }
}

type Command<Name extends QualityCommand["command"]> = Extract<QualityCommand, { readonly command: Name }>;

function judgeWork({ part, verdict, last }: Command<"record-verdict">, state: Quality): Outcome {
  const known = qualityOf(state, part);
  const { task, tier, result } = verdict;
  const failing = known.failing.find((each) => each.task === task && each.tier === tier);
  const before = failing ?? known.verdicts[tier] ?? null;
  if (before?.seq === verdict.seq || isRepeat(before, verdict, last)) return saidBefore(before);
  // A shallower check that passes says nothing of the deeper one that failed, one of a task nothing of another.
  const verdicts = { ...known.verdicts, [tier]: verdict };
  const left = validVerdict({ verdicts, failing: failingAfter(known.failing, verdict) });
  const passed = left?.result === "PASS" ? 0 : known.failed.work;
  // Until work is reported again, whatever else fails is of the same round.
  const isSameRound = known.failing.some((each) => each.seq > (last ?? 0));
  const failed = result === "PASS" ? passed : known.failed.work + (isSameRound ? 0 : 1);
  return ok({
    events: [{ event: "work-judged", part, verdict, failed }],
    notes: [...remediationNotes(result, failed, part), ...(result === "PASS" ? standingNotes(left) : [])],
  });
}

/** That a pass ends no failure that counts on. */
function standingNotes(left: Verdict | null): readonly Note[] {
  if (left === null || left.result === "PASS") return [];
  const { task, tier, seq } = left;
  const ends = task === undefined ? "a pass that names no task" : `a pass of ${task}, or one that names no task,`;
  const message = `The failure at entry ${seq} (${tier}) counts on; ${ends} ends it, at least as deep.`;
  return [{ code: "still-failing", path: "$.body.result", message }];
}

/** Whether a failure is only said again: nobody reported work since, so no round of remediation has passed. */
function isRepeat<Told extends Said & Pick<Verdict, "result">>(
  before: Told | null,
  told: Told,
  last = 0,
): before is Told {
  return told.result !== "PASS" && saysTheSame(before, told) && last < before.seq;
}

function judgeCode({ part, verdict, last }: Command<"record-code-verdict">, state: Quality): Outcome {
  const known = qualityOf(state, part);
  const isSameRound = known.code !== null && known.code.result !== "PASS" && known.code.seq > (last ?? 0);
  if (known.code?.seq === verdict.seq || isRepeat(known.code, verdict, last)) return saidBefore(known.code);
  const failed = verdict.result === "PASS" ? 0 : known.failed.code + (isSameRound ? 0 : 1);
  return ok({
    events: [{ event: "code-judged", part, verdict, failed }],
    notes: remediationNotes(verdict.result, failed, part),
  });
}

/** Which round of remediation a failed verdict begins, or that there is no further. */
function remediationNotes(result: string, failed: number, { name }: Part): readonly Note[] {
  if (result === "PASS") return [];
  const message =
    failed > remediationRoundsMax
      ? `The work of phase ${name} failed after ${remediationRoundsMax} rounds of remediation; who is above the lead decides how it goes on.`
      : `Round ${failed} of ${remediationRoundsMax} of remediation begins in phase ${name}. \`baton task reopen TASK\` gives a task back to who reported it.`;
  return [
    { code: failed > remediationRoundsMax ? "remediation-limit" : "remediation", path: "$.body.result", message },
  ];
}

function recordAudit({ part, audit }: Command<"record-audit">, state: Quality): Outcome {
  const before = part === null ? null : qualityOf(state, part).audit;
  if (before?.seq === audit.seq) return saidBefore(before);
  const events: QualityEvent[] = part === null ? [] : [{ event: "security-audited", part, audit }];
  const { by, seq, findings, critical } = audit;
  const department = part?.department ?? null;
  const stop = department === null ? String(seq) : `${seq}-${department}`;
  if (audit.result === "FAIL" && !state.stops.has(stop)) {
    events.push({ event: "security-stopped", stop: { stop, part, findings, critical, by, seq, lifted: null } });
    const message = `A failed security audit is a hard stop: ${part === null ? "every phase" : `phase ${part.name}`} is held until the owner lifts it.`;
    return ok({ events, notes: [{ code: "security-stop", path: "$.body.result", message }] });
  }
  if (audit.result === "FAIL") return nothing("already-so", `Stop ${stop} exists already.`);
  const [first] = part === null ? [] : stopsOf(state, part);
  if (first === undefined) return ok({ events, notes: [] });
  const message = `The audit of entry ${first.seq} failed, and only the owner lifts that; this one changes nothing.`;
  return ok({ events, notes: [{ code: "security-stop", path: "$.body.result", message }] });
}

type Stops = readonly [SecurityStop, ...SecurityStop[]];

function liftStop({ stop, reason, said, decidedBy = said.by }: Command<"lift-stop">, state: Quality): Outcome {
  const found = stopsMeant(stop, state);
  if (!found.ok) return found;
  const open = found.value.filter((each) => each.lifted === null);
  const known = open[0] ?? found.value[0];
  if (said.by !== ownerName) {
    const message = `A failed security audit is lifted by the person who owns the team, and by nobody else.`;
    const more = {
      expected: ownerName,
      received: said.by,
      hint: "The owner lifts it with `baton phase lift --reason TEXT`.",
    };
    return err([makeProblem("human-required", known.stop, message, more)]);
  }
  if (known.lifted !== null) {
    if (known.lifted.reason === reason)
      return nothing("already-so", `It was lifted so before, at entry ${known.lifted.seq}.`);
    const message = `Stop ${known.stop} was lifted by ${known.lifted.by}, at entry ${known.lifted.seq}.`;
    return err([makeProblem("already-answered", known.stop, message)]);
  }
  const lifted = { ...said, by: decidedBy, reason };
  return ok({ events: open.map((each) => ({ event: "stop-lifted", stop: each.stop, lifted })), notes: [] });
}

/** The named stop, or those of the named entry, or of the only one with active ones: one audit may stop several parts. */
function stopsMeant(stop: string | null, state: Quality): Result<Stops, readonly Problem[]> {
  const all = [...state.stops.values()];
  const open = all.filter(({ lifted }) => lifted === null);
  const own = stop === null ? undefined : state.stops.get(stop);
  const ofEntry = stop === null ? open : all.filter(({ seq }) => String(seq) === stop);
  const [first, ...others] = own === undefined ? ofEntry : [own];
  if (first !== undefined && others.every(({ seq }) => seq === first.seq)) return ok([first, ...others]);
  if (first !== undefined) {
    const message = `${open.length} failed audits are open; it is not clear which is meant.`;
    const expected = open.map((each) => each.stop).join(" | ");
    return err([
      makeProblem("ambiguous-request", argument("stop"), message, {
        expected,
        hint: `Name one of them, such as \`baton phase lift --stop ${open[0]?.stop} --reason TEXT\`.`,
      }),
    ]);
  }
  // Lifting again with the same reason changes nothing, so without an active stop the last one is meant.
  const last = stop === null ? all.at(-1) : undefined;
  if (last !== undefined) return ok([last]);
  const message =
    stop === null ? "No failed security audit is open." : `There is no failed security audit in entry ${stop}.`;
  return err([
    makeProblem("unknown-request", stop ?? argument("stop"), message, { hint: "`baton phase` shows which are open." }),
  ]);
}
