/**
 * What needs the person who owns the team, as it is listed: which comes first, what is the matter, what belongs together.
 * The only place for this order; every door shows it. Pure.
 * Source: docs/protocol/asking.md, sections 11 and 12.
 */
import type { PhasePartView } from "../../phases/view/phase-part-view.ts";
import type { PhaseView } from "../../phases/view/phase-view.ts";
import type { TaskCall } from "../../tasks/decide/calls.ts";
import type { Viewer } from "../../tasks/view/task-view.ts";
import type { Unguarded } from "../../team/operations/agents.ts";
import type { TeamChecks } from "../../team/state/definition.ts";
import type { RefusalLoops } from "./refusal-loops.ts";

/** Kinds of needs, in the order of their explanation in docs/protocol/asking.md, sections 11 to 13. */
export const needKinds = [
  "hold",
  "revision",
  "approval",
  "dispute",
  "check",
  "unchecked",
  "conflict",
  "landing",
  "finding",
  "unguarded",
  "signoff",
  "escalation",
  "unresponsive",
  "idle",
  "handoff",
  "remote",
  "loop",
  "over-budget",
] as const;
export type NeedKind = (typeof needKinds)[number];

/** What is the matter, worst first: something is false or broken, somebody is stuck, it is to be decided, it is ready. */
export const triages = ["broken", "stuck", "decide", "ready"] as const;
export type Triage = (typeof triages)[number];

/** Classes from the most urgent to the least, each with what is the matter. */
export const needClasses = [
  ["hold", "broken"],
  ["dispute", "broken"],
  ["finding", "broken"],
  ["unguarded", "broken"],
  ["blocking-escalation", "stuck"],
  ["undecided", "stuck"],
  ["unresponsive", "stuck"],
  ["conflict", "stuck"],
  ["idle", "stuck"],
  ["loop", "stuck"],
  ["away", "stuck"],
  ["blocking-approval", "decide"],
  ["revision", "decide"],
  ["major-escalation", "decide"],
  ["check", "decide"],
  ["remote", "decide"],
  ["approval", "decide"],
  ["handoff", "decide"],
  ["minor-escalation", "decide"],
  ["over-budget", "decide"],
  ["signoff", "ready"],
  ["landing", "ready"],
] as const satisfies readonly (readonly [string, Triage])[];
export type NeedClass = (typeof needClasses)[number][0];

/** Most needs of one answer; the rest is counted. */
export const needsMax = 1_000;
/** Most tasks that one need names; the rest is counted. */
export const blocksNamedMax = 20;

/** What ends when a need is due: the time to answer it, or the lease of the claim of the agent that waits. */
export const dueBys = ["deadline", "lease"] as const;
export type DueBy = (typeof dueBys)[number];

/** A need as it is found. Strings may be agents' text. */
export interface FoundNeed {
  /** Its kind and what it is about; the same as long as it waits. */
  readonly id: string;
  readonly kind: NeedKind;
  readonly class: NeedClass;
  /** What it is, a sentence of Baton's. */
  readonly subject: string;
  /** The agent's own words; null: it has said none. */
  readonly asks: string | null;
  /** Why, as the problem behind it says; null: none is behind it. */
  readonly why: string | null;
  /** What helps where no command of Baton's does, with the command; null: nothing is known to. */
  readonly help: string | null;
  /** Who asks, reported, or is silent; of a remote its address, such as `remote:shop`. */
  readonly agent: string | null;
  readonly task: string | null;
  readonly plan: string | null;
  readonly phase: string | null;
  /** What its decision names. */
  readonly target: string;
  readonly requestType: "scope_change" | "plan_approval" | "gate_override" | null;
  /** Tasks that wait for it. */
  readonly blocks: readonly string[];
  /** The earlier of its deadline and of the end of the lease that waits for it; null: neither. */
  readonly dueAtMs: number | null;
  /** Which of the two that is; null: neither. */
  readonly dueBy: DueBy | null;
  /** Since when it waits; null: since the entry `seq`, or that is not known (0). */
  readonly sinceMs: number | null;
  /** The entry that brought it. */
  readonly seq: number;
  /** The entry that last changed it or what its decision rests on; null: `seq`. */
  readonly changedSeq: number | null;
  /** What others of the same cause share; null: its cause is its own. */
  readonly cause: string | null;
  /** What similar ones of that cause share. */
  readonly about: string | null;
  /** How often it happened. */
  readonly count: number;
}

/** A need as it is shown. */
export interface Need
  extends Omit<FoundNeed, "class" | "dueAtMs" | "sinceMs" | "seq" | "changedSeq" | "cause" | "about"> {
  readonly triage: Triage;
  /** How many tasks wait for it; `blocks` names the first of them. */
  readonly blocksTotal: number;
  readonly dueAt: string | null;
  /** Null: it is not known. */
  readonly since: string | null;
  /** The same for needs of one cause and class, of which there are two at least; null: there is no other. */
  readonly group: string | null;
  /** In a group the same for needs about the same; null: there is no other. */
  readonly subgroup: string | null;
  /** What a decision gives back, so that it counts only for what was shown. */
  readonly ifSeq: number;
}

/** What a list calls a need: in the words of who asks, where it is a question. */
export function titleOf({ asks, subject }: Pick<Need, "asks" | "subject">): string {
  return asks ?? subject;
}

/** What `needs` answers. */
export interface Needs {
  /** The entry up to which they were looked for. */
  readonly seq: number;
  /** How many there are; of more than are asked for the most urgent are shown. */
  readonly total: number;
  readonly counts: Readonly<Record<NeedKind, number>>;
  /** How many there are of each matter. */
  readonly triage: Readonly<Record<Triage, number>>;
  readonly needs: readonly Need[];
}

/** The needs in order, the most urgent first; the order does not depend on that of `found`. */
export function ranked(found: readonly FoundNeed[]): readonly FoundNeed[] {
  const places = new Map<NeedClass, number>(needClasses.map(([name], place) => [name, place]));
  const placeOf = (need: FoundNeed) => places.get(need.class) ?? needClasses.length;
  return found.toSorted(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      earlier(a.dueAtMs, b.dueAtMs) ||
      b.blocks.length - a.blocks.length ||
      a.seq - b.seq ||
      (a.id < b.id ? -1 : 1),
  );
}

/** What has an end comes before what has none. */
function earlier(a: number | null, b: number | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  return b === null ? -1 : a - b;
}

/** What is the matter with needs of a class. */
export function triageOf(name: NeedClass): Triage {
  return needClasses.find(([each]) => each === name)?.[1] ?? "decide";
}

/** How many needs share a group or a subgroup, by its name. */
export function groupsOf(found: readonly FoundNeed[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const need of found) {
    for (const name of [groupOf(need), subgroupOf(need)])
      if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The name of its group, however many are in it. */
export function groupOf({ class: name, cause }: Pick<FoundNeed, "class" | "cause">): string | null {
  return cause === null ? null : `${name}/${cause}`;
}

/** The name of its subgroup, however many are in it. */
export function subgroupOf(need: Pick<FoundNeed, "class" | "cause" | "about">): string | null {
  const group = groupOf(need);
  return group === null || need.about === null ? null : `${group}/${need.about}`;
}

/*
 * What the person can decide of a need, at every door that shows needs. Pure.
 * Source: docs/protocol/asking.md, sections 11 and 12.
 */

/** What the person says to a need. */
export type NeedVerb =
  | "approve"
  | "deny"
  | "decide"
  | "lift"
  | "ship"
  | "confirm"
  | "decline"
  | "once"
  | "no"
  | "always";

/** The decisions on each kind, the one that lets it go on first; none: it is dealt with elsewhere. */
export const needVerbs: { readonly [Kind in NeedKind]: readonly NeedVerb[] } = {
  hold: ["lift"],
  revision: ["confirm", "decline"],
  approval: ["approve", "deny"],
  dispute: [],
  check: ["once", "no", "always"],
  unchecked: [],
  conflict: [],
  landing: [],
  finding: [],
  unguarded: [],
  signoff: ["ship"],
  escalation: ["decide"],
  unresponsive: [],
  idle: [],
  handoff: [],
  remote: [],
  loop: [],
  "over-budget": [],
};

/** Decisions that the owner leaves to whom they invite: none that changes the team file, or lets a command run. */
export const invitedVerbs: ReadonlySet<NeedVerb> = new Set(["approve", "deny", "decide", "lift"]);

/** What of the needs is left to whom the owner invites; the matters of more than are listed are not counted. */
export function forInvited(all: Needs): Needs {
  const isTheirs = (kind: NeedKind) => needVerbs[kind].some((verb) => invitedVerbs.has(verb));
  const needs = all.needs.filter(({ kind }) => isTheirs(kind));
  const total = needKinds.reduce((sum, kind) => sum + (isTheirs(kind) ? all.counts[kind] : 0), 0);
  const triage = { ...all.triage };
  for (const each of triages) triage[each] = needs.filter((need) => need.triage === each).length;
  return { ...all, needs, total, triage };
}

/** Decisions that are not sent without a reason. */
export const verbsWithReason: ReadonlySet<NeedVerb> = new Set(["deny", "decide", "lift"]);

/** How long a decision waits before it is sent, in milliseconds; meanwhile it can be taken back. */
export const undoMs = 5_000;

/** What a need says where its kind says nothing else. */
export const needDefaults = {
  asks: null,
  why: null,
  help: null,
  agent: null,
  task: null,
  plan: null,
  phase: null,
  requestType: null,
  blocks: [],
  dueAtMs: null,
  dueBy: null,
  sinceMs: null,
  changedSeq: null,
  cause: null,
  about: null,
  count: 1,
} as const;

/** The note of the journal that says why the person's webhook is not reached, and the id of the need that shows it. */
export const untoldName = "owner/untold-webhook";

/** What the coordination does not know itself. */
export interface NeedsMoment {
  /** By the clock by which deadlines count, and how far people's clock is ahead of it. */
  readonly atMs: number;
  readonly aheadMs: number;
  readonly viewer: Pick<Viewer, "signOf" | "leaseMs">;
  readonly loops: RefusalLoops;
  /** How many messages an agent has not acknowledged. */
  unreadOf(agent: string): number;
  /** The change of the team that waits for the owner; null: none does. */
  readonly proposal: { readonly id: string; readonly changes: number } | null;
  /** The checks that the team file lists; absent: none. */
  readonly checks?: TeamChecks | undefined;
  /** Verified work lands when the person says so; absent: nobody asks for that. */
  readonly landsWhenAsked?: boolean;
  /** Every phase as it is now. */
  readonly phases: readonly (Pick<PhaseView, "phase" | "signoff" | "missing" | "unconfirmed"> & {
    readonly departments: readonly (Pick<
      PhasePartView,
      "department" | "status" | "hasFindings" | "blockers" | "result"
    > &
      Partial<Pick<PhasePartView, "verdict">>)[];
  })[];
  /** Why the person's webhook is not reached; absent: it is, or there is none. */
  readonly untold?: string | undefined;
  /** Free tasks that wait for idle agents; absent: nobody looked. */
  readonly calls?: readonly TaskCall[];
  /** Since when agents wait at their prompt, by people's clock; absent: nobody looked. */
  readonly idleSince?: ReadonlyMap<string, number>;
  /** Agents whose program may run no hook of Baton's, with why; absent: nobody looked. */
  readonly unguarded?: ReadonlyMap<string, Unguarded>;
  /** An agent of the role owner is there, which ships phases; absent: the person does. */
  readonly isOwnerThere?: boolean;
  /** A lead is there, which is told of failed verifications; absent: nobody asks. */
  readonly isLed?: boolean;
}
