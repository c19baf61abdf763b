/**
 * The limits that a team may set for itself, each once: how the file spells it, its bounds, what holds where it is
 * missing, and what it is for. The reader of the file, its schema and the comments of a new file are made from this list.
 * Source: `base/limits.ts`, where the numbers are.
 */
import {
  breakerFailuresDefault,
  breakerFailuresMax,
  breakerOpenSecondsDefault,
  breakerProbeSecondsDefault,
  breakerSecondsMax,
  breakerWindowSecondsDefault,
  disappearSecondsDefault,
  disappearSecondsMax,
  escalationSecondsDefault,
  escalationSecondsMax,
  leaseSecondsDefault,
  leaseSecondsMax,
  messageBytesMax,
  messageBytesMin,
  pageRowsMax,
} from "../../base/limits.ts";

/** One limit of a team's own. */
interface LimitFacts {
  /** Its key under `limits` in the file. */
  readonly key: string;
  /** Its name in a definition. */
  readonly field: string;
  readonly min: number;
  readonly max: number;
  /** What holds where the file does not name it. */
  readonly otherwise: number;
  /** A half sentence for people. */
  readonly says: string;
  /** Whether a smaller value frees somebody too: others' claims end sooner, or a breaker closes sooner. */
  readonly guardsByBeingLarge?: true;
}

/** In the order in which a new file shows them. Sizes may lie below the protocol's own, never above. */
export const teamLimits = [
  {
    key: "message_bytes",
    field: "messageBytes",
    min: messageBytesMin,
    max: messageBytesMax,
    otherwise: messageBytesMax,
    says: "the largest message, in bytes",
  },
  {
    key: "inbox_page",
    field: "inboxPage",
    min: 1,
    max: pageRowsMax,
    otherwise: pageRowsMax,
    says: "the most messages that one look into an inbox returns",
  },
  {
    key: "lease_seconds",
    field: "leaseSeconds",
    min: 1,
    max: leaseSecondsMax,
    otherwise: leaseSecondsDefault,
    says: "how long a claim lasts without a heartbeat of its holder",
    guardsByBeingLarge: true,
  },
  {
    key: "escalation_seconds",
    field: "escalationSeconds",
    min: 1,
    max: escalationSecondsMax,
    otherwise: escalationSecondsDefault,
    says: "how long a level may take to decide an escalation",
  },
  {
    key: "disappear_seconds",
    field: "disappearSeconds",
    min: 1,
    max: disappearSecondsMax,
    otherwise: disappearSecondsDefault,
    says: "how late an expected heartbeat may be before its agent has disappeared",
    guardsByBeingLarge: true,
  },
  {
    key: "breaker_failures",
    field: "breakerFailures",
    min: 1,
    max: breakerFailuresMax,
    otherwise: breakerFailuresDefault,
    says: "how many disappearances open a department's circuit breaker",
  },
  {
    key: "breaker_window_seconds",
    field: "breakerWindowSeconds",
    min: 1,
    max: breakerSecondsMax,
    otherwise: breakerWindowSecondsDefault,
    says: "within how long they must come to open it",
    guardsByBeingLarge: true,
  },
  {
    key: "breaker_open_seconds",
    field: "breakerOpenSeconds",
    min: 1,
    max: breakerSecondsMax,
    otherwise: breakerOpenSecondsDefault,
    says: "how long it stays open before one agent may try",
    guardsByBeingLarge: true,
  },
  {
    key: "breaker_probe_seconds",
    field: "breakerProbeSeconds",
    min: 1,
    max: breakerSecondsMax,
    otherwise: breakerProbeSecondsDefault,
    says: "how long that agent has to show life",
  },
] as const satisfies readonly LimitFacts[];

type KnownLimit = (typeof teamLimits)[number];

/** A limit's name in a definition. */
export type TeamLimit = KnownLimit["field"];

/** The limits that a team has set; whatever is absent is as `teamLimits` says. */
export type TeamLimits = { readonly [Limit in TeamLimit]?: number };

/** What holds for each limit that a team does not set. */
export const limitsOtherwise = Object.fromEntries(
  teamLimits.map(({ field, otherwise }) => [field, otherwise]),
) as Readonly<Record<TeamLimit, number>>; // The keys are the list's fields, which the compiler forgets.

/** The limit that holds where a team has set `limits`; no team has set none. */
export function limitOf(limits: TeamLimits | undefined, limit: TeamLimit): number {
  return limits?.[limit] ?? limitsOtherwise[limit];
}
