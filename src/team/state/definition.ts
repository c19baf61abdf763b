/**
 * A team's definition as its file says it: dialects, policy, agents, widened routing, limits, own messages; and the
 * limits that a team may set, each once: how the file spells it, its bounds, what holds where it is missing. The reader
 * of the file, its schema and the comments of a new file are made from that list. Pure data; reading the YAML is
 * `team-file.ts`, what is in force is a recorded revision (`revision.ts`).
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
  heartbeatSeconds,
  leaseSecondsDefault,
  leaseSecondsMax,
  messageBytesMax,
  messageBytesMin,
  pageRowsMax,
} from "../../base/limits.ts";
import type { DialectId, OwnMessage } from "../../messages/message.ts";
import type { HookProgram } from "../../messages/program-hooks.ts";
import type { Department, Level, Role } from "../../messages/role.ts";

/** `enforce`: an error refuses. `observe`: schema and authorisation errors are recorded as notes and delivered. */
export type Policy = "enforce" | "observe";

/** What becomes of JSON that does not parse. `refuse`: it is refused. `prose`: it is delivered as prose, with a note. */
export const brokenJsonRules = ["refuse", "prose"] as const;
export type BrokenJsonRule = (typeof brokenJsonRules)[number];

/**
 * The team's rule for broken JSON: its own, else the one of its policy. Rule: docs/protocol/messages.md, section 12.
 */
export function brokenJsonOf(definition: TeamDefinition | null): BrokenJsonRule {
  return definition?.brokenJson ?? (definition?.policy === "observe" ? "prose" : "refuse");
}

/**
 * How a developer comes to hold files. `declared`: by a claim, before it edits. `edits`: also by the first edit of a file
 * that nobody holds.
 */
export const claimsRules = ["declared", "edits"] as const;
export type ClaimsRule = (typeof claimsRules)[number];

/** Planning folders of other tools that a team may keep in step with its record. */
export const planningFolders = [".vbw-planning", ".yolo-planning"] as const;
export type PlanningFolder = (typeof planningFolders)[number];

/** A branch's name, without what git refuses and what a shell would read. */
export const branchPattern = /^(?!.*(?:\.\.|\/\/|\.lock(?:\/|$)|[./]$))[A-Za-z0-9_][A-Za-z0-9._/@+-]{0,199}$/;

/** What files of a claim mean that its holder did not name. `strict`: a bound. `advisory`: a forecast. */
export const scopeRules = ["strict", "advisory"] as const;
export type ScopeRule = (typeof scopeRules)[number];

/** Dialects whose agents can claim a task by a message. */
export const dialectsWithClaims: readonly DialectId[] = ["yolo/1"];

/** Dialects whose messages name no step of a phase. */
const dialectsWithoutSteps: readonly DialectId[] = ["bmad/1"];

/** Whether agents that speak these dialects work in phases with steps. */
export function haveSteps(dialects: readonly DialectId[]): boolean {
  return dialects.some((dialect) => !dialectsWithoutSteps.includes(dialect));
}

/**
 * The team's own rule, else `edits` where no dialect of it has a claim message. Rule: docs/protocol/tasks.md,
 * section 15.
 */
export function claimsRuleOf(definition: TeamDefinition | null): ClaimsRule {
  return definition?.claims ?? (canClaimByMessage(definition) ? "declared" : "edits");
}

const planners: readonly Role[] = ["lead", "architect", "owner", "orchestrator"];
const writers: readonly Role[] = ["dev", "docs", "tester", "senior"];

/** Whether the role plans the work, writes it, or does neither. */
export function workOf(role: Role): "plans" | "writes" | "judges" {
  if (planners.includes(role)) return "plans";
  return writers.includes(role) ? "writes" : "judges";
}

/**
 * How an agent of the role comes to edit files, for its model. Cards, hooks and MCP all say it by this function. Rule:
 * docs/protocol/tasks.md, section 15.
 */
export function editingAdvice(role: Role, claims: ClaimsRule): string {
  const work = workOf(role);
  if (work === "plans") return "Do not edit files that a plan gives to others.";
  if (work === "judges") return "You change no files of the work and claim no task.";
  return claims === "declared"
    ? "Claim a task before you edit its files: `task` with action claim. If it is denied, take another one."
    : "Your first edit of a file takes it until you commit it. `task` with action available lists open tasks.";
}

/** The team's own rule, else `advisory` where no dialect of it has a claim message. */
export function scopeRuleOf(definition: TeamDefinition | null): ScopeRule {
  return definition?.scope ?? (canClaimByMessage(definition) ? "strict" : "advisory");
}

function canClaimByMessage(definition: TeamDefinition | null): boolean {
  return definition === null || definition.dialects.some((dialect) => dialectsWithClaims.includes(dialect));
}

/** A command that the owner lets run on agents' work. */
export interface CheckCommand {
  /** Shell, as a contract's check has to say it to the letter. */
  readonly run: string;
  /** It may reach the network; absent: it reaches none. */
  readonly network?: true;
  /** Its longest time; absent: `checkSecondsDefault`. */
  readonly seconds?: number;
}

/** Without their packages most checks fail for a wrong reason. */
export const sharedByDefault: readonly string[] = ["node_modules"];

/** Which checks of contracts may run, and how. */
export interface TeamChecks {
  readonly commands: readonly CheckCommand[];
  /** What runs before them in each clean tree; absent: nothing. */
  readonly setup?: CheckCommand;
  /** Ignored folders of the checkout that the clean tree links to; absent: `node_modules`. */
  readonly share?: readonly string[];
  /** They run without a sandbox; absent: in one, and where there is none not at all. */
  readonly sandbox?: "none";
}

/** `teammate`: developers claim tasks themselves. `task`: a lead hands them out. Absent in a definition: `teammate`. */
export const teamModes = ["teammate", "task"] as const;
export type TeamMode = (typeof teamModes)[number];

export interface AgentDefinition {
  readonly agent: string;
  readonly role: Role;
  readonly department?: Department;
  /** Absent: the team's first dialect. */
  readonly dialect?: DialectId;
  /** The agent program that `baton run` starts for it, in a work tree of its own; absent: none. */
  readonly program?: HookProgram;
}

/** A widening of a message's typical receivers. Senders are the dialect's alone. */
export interface RoutingWidening {
  readonly dialect: DialectId;
  readonly type: string;
  readonly receivers: readonly Role[];
}

/** What circuit breakers are judged by. */
export interface BreakerLimits {
  /** So many disappearances within the window open it. */
  readonly failures: number;
  readonly windowMs: number;
  /** How long it is open before one agent may try. */
  readonly openMs: number;
  /** How long that one has to show life. */
  readonly probeMs: number;
}

/** The team's, or the defaults. */
export function breakerLimitsOf(definition: TeamDefinition | null): BreakerLimits {
  const limits = definition?.limits;
  return {
    failures: limitOf(limits, "breakerFailures"),
    windowMs: limitOf(limits, "breakerWindowSeconds") * 1_000,
    openMs: limitOf(limits, "breakerOpenSeconds") * 1_000,
    probeMs: limitOf(limits, "breakerProbeSeconds") * 1_000,
  };
}

/**
 * How long after one heartbeat outside the record the next is kept: nearer ones say nothing new, and each costs a
 * write. A judgement about an agent's silence must wait that much longer.
 */
export function signsApartMsOf(definition: TeamDefinition | null): number {
  return Math.min(10_000, leaseMsOf(definition) / 10, lateMsOf(definition) / 6);
}

/** How often an expected program sends a heartbeat, in milliseconds. */
export function beatMsOf(definition: TeamDefinition | null): number {
  return Math.min(heartbeatSeconds * 1_000, leaseMsOf(definition) / 3, lateMsOf(definition) / 2);
}

/**
 * How long an agent is silent whose expected heartbeat is late by the limit: never early, and within twice the limit,
 * because heartbeats come, and are kept, at most half and a sixth of it apart.
 */
export function unseenMsOf(definition: TeamDefinition | null): number {
  return beatMsOf(definition) + signsApartMsOf(definition) + lateMsOf(definition);
}

/** A hub looks every second, so one that comes sooner was not away; and one that comes later always was. */
export const awayMsMin = 1_500;
export const awayMsMax = 5_000;

/**
 * After how long without a look a hub counts as away. Less than a heartbeat may be late, where that is little: else
 * what held up the hub would seem to be the silence of everybody.
 */
export function awayMsOf(definition: TeamDefinition | null): number {
  return Math.max(awayMsMin, Math.min(awayMsMax, (lateMsOf(definition) * 3) / 4));
}

/** How late an expected heartbeat may be, in milliseconds. */
function lateMsOf(definition: TeamDefinition | null): number {
  return limitOf(definition?.limits, "disappearSeconds") * 1_000;
}

/** How long claims of the team last without a heartbeat of their holder, in milliseconds. */
export function leaseMsOf(definition: TeamDefinition | null): number {
  return limitOf(definition?.limits, "leaseSeconds") * 1_000;
}

/** How long a level of the team may be silent about an escalation, in milliseconds. */
export function levelSilentMsOf(definition: TeamDefinition | null): number {
  return limitOf(definition?.limits, "escalationSeconds") * 1_000;
}

/**
 * Lets agents with such names join without a separate confirmation, as `role`. Never as a role that decides for others.
 * Rules: docs/protocol/authority.md, sections 17 to 20.
 */
export interface NameRule {
  /** A name with one `*` in it, which stands for one or more characters: `vbw-dev-*`. */
  readonly pattern: string;
  readonly role: Role;
  readonly department?: Department;
  /** Absent: the team's first dialect. */
  readonly dialect?: DialectId;
  /** How many active agents may have such a name. */
  readonly max: number;
}

/** `auto`: a hub lands it on Baton's own branch. `ask`: the person is asked, and lands it. */
export const landingTimes = ["auto", "ask"] as const;

/** How verified work lands. */
export interface TeamLanding {
  readonly when: (typeof landingTimes)[number];
}

/** Whether what a task depends on is done only once it has landed: where a hub lands it. */
export function landsFirstIn(definition: Pick<TeamDefinition, "land"> | null): boolean {
  return definition?.land?.when === "auto";
}

export interface TeamDefinition {
  readonly name: string;
  /** In the order they are tried; never empty. */
  readonly dialects: readonly DialectId[];
  readonly policy: Policy;
  /** Absent: `prose` under `observe`, else `refuse`. */
  readonly brokenJson?: BrokenJsonRule;
  readonly teamMode?: TeamMode;
  /** Absent: as `claimsRuleOf` says. */
  readonly claims?: ClaimsRule;
  /** Absent: as `scopeRuleOf` says. */
  readonly scope?: ScopeRule;
  /** The folder of another tool that a hub keeps in step with the record; absent: none. */
  readonly planning?: PlanningFolder;
  /** The branch on which work has landed; absent: the one that git takes for the main one. */
  readonly main?: string;
  /** When verified work lands; absent: by `baton land` alone. */
  readonly land?: TeamLanding;
  /** Files that an edit does not take, in addition to `evidence/handlers/edit-taking.ts`; absent: none. */
  readonly shared?: readonly string[];
  /** Checks of contracts that run without being asked about; absent: none does. */
  readonly checks?: TeamChecks;
  /** The levels that escalations go up, lowest first, the user last; absent: as the dialect and the departments have it. */
  readonly chain?: readonly Level[];
  readonly agents: readonly AgentDefinition[];
  readonly routing: readonly RoutingWidening[];
  readonly limits: TeamLimits;
  /** Message types of the team's own, by name; absent where it has none. */
  readonly messages?: readonly OwnMessage[];
  /** Which agents may join by their names alone; absent: none. */
  readonly names?: readonly NameRule[];
  /** Agents that pass on what the user has decided; absent: none. */
  readonly speakers?: readonly string[];
}

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
