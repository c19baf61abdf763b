/**
 * What a new team file changes, and what applies without the owner's confirmation. Everybody who can commit can change
 * the file, so a change that gives somebody more than before waits for the owner, and a change that only takes
 * something away applies at once. Pure: two definitions in, the list of changes and the part that applies at once out.
 * Source: docs/protocol/authority.md, sections 17 to 20.
 */
import { canonical } from "../../base/canonical.ts";
import type { Json } from "../../base/json.ts";
import type { OwnMessage } from "../../messages/message.ts";
import { levelOfRole, levels, type Role } from "../../messages/role.ts";
import {
  type AgentDefinition,
  type CheckCommand,
  claimsRuleOf,
  limitOf,
  type NameRule,
  type RoutingWidening,
  scopeRuleOf,
  sharedByDefault,
  type TeamDefinition,
  teamLimits,
} from "./definition.ts";
import type { Roster } from "./roster.ts";

/** How two definitions differ, and which of the second's changes apply without the owner's word. */
export interface DefinitionComparison {
  /** What waits first. Empty: they say the same, whatever the order. */
  readonly changes: readonly RevisionChange[];
  /** `inForce` with every change that does not wait; `wanted` itself where none waits. */
  readonly atOnce: TeamDefinition;
}

type Parts = { readonly [Key in keyof Required<TeamDefinition>]: (both: Both) => Part<TeamDefinition[Key]> };

/** Every part of a definition, so that a new one cannot be forgotten here. */
const parts: Parts = {
  // A team keeps its name; another name is another team, which is refused before this.
  name: ({ inForce }) => ({ changes: [], atOnce: inForce.name }),
  dialects: ({ inForce, wanted }) => whole("dialects", inForce.dialects, wanted.dialects),
  policy: ({ inForce, wanted }) =>
    wanted.policy === "enforce"
      ? { changes: change("policy", inForce.policy, wanted.policy, false), atOnce: wanted.policy }
      : whole("policy", inForce.policy, wanted.policy),
  brokenJson: ({ inForce, wanted }) =>
    wanted.brokenJson === "refuse"
      ? { changes: change("broken_json", inForce.brokenJson ?? null, "refuse", false), atOnce: "refuse" }
      : whole("broken_json", inForce.brokenJson, wanted.brokenJson),
  claims: (both) => compareRule("claims", both, claimsRuleOf, "declared"),
  scope: (both) => compareRule("scope", both, scopeRuleOf, "strict"),
  planning: ({ inForce, wanted }) =>
    wanted.planning === undefined
      ? { changes: change("planning", inForce.planning ?? null, null, false), atOnce: undefined }
      : whole("planning", inForce.planning, wanted.planning),
  main: ({ inForce, wanted }) => whole("main", inForce.main, wanted.main),
  land({ inForce, wanted }) {
    // That a hub lands by itself is more than it did; the person's own word gives nobody anything.
    const waits = wanted.land?.when === "auto";
    const changes = change("land", inForce.land?.when ?? null, wanted.land?.when ?? null, waits);
    return { changes, atOnce: waits ? inForce.land : wanted.land };
  },
  shared: compareShared,
  checks: compareChecks,
  teamMode: ({ inForce, wanted }) => whole("team_mode", inForce.teamMode, wanted.teamMode),
  chain: ({ inForce, wanted }) => whole("chain", inForce.chain, wanted.chain),
  agents: compareAgents,
  routing: compareRouting,
  limits: compareLimits,
  messages: compareMessages,
  names: compareNames,
  speakers: compareSpeakers,
};

/**
 * Compares the definition in force with the one that the team file wants. An agent that a command registered is compared
 * as what it is in the `roster`.
 */
export function compareDefinitions(
  inForce: TeamDefinition,
  wanted: TeamDefinition,
  roster: Roster = new Map(),
): DefinitionComparison {
  const both = { inForce, wanted, roster };
  const compared = Object.entries(parts).map(([key, part]) => [key, part(both)] as const);
  const changes = compared.flatMap(([, part]) => part.changes);
  const inOrder = [...changes.filter(({ waits }) => waits), ...changes.filter(({ waits }) => !waits)];
  if (!changes.some(({ waits }) => waits)) return { changes: inOrder, atOnce: wanted };
  const values = compared.flatMap(([key, { atOnce }]) => (atOnce === undefined ? [] : [[key, atOnce] as const]));
  // The keys and values are those of `parts`, whose type names each; the compiler forgets it on the way.
  return { changes: inOrder, atOnce: Object.fromEntries(values) as unknown as TeamDefinition };
}

/**
 * An agent that is new, or that gets another role, department or dialect, waits. An agent that leaves, or whose role
 * becomes a lower one, changes at once, unless nobody would be left who judges the others' work in that role; so does a
 * program.
 */
function compareAgents({ inForce, wanted, roster }: Both): Part<TeamDefinition["agents"]> {
  const declared = new Map(inForce.agents.map((agent) => [agent.agent, agent]));
  const before = agentsAsTheyAre({ inForce, wanted, roster });
  const both = { inForce: { ...inForce, agents: [...before.values()] }, wanted, roster };
  const after = new Map(wanted.agents.map((agent) => [agent.agent, agent]));
  const hasSameDialects = isSame(inForce.dialects, wanted.dialects);
  const changes: RevisionChange[] = [];
  const kept = wanted.agents.flatMap((next): readonly AgentDefinition[] => {
    const place = `agents.${next.agent}`;
    const known = before.get(next.agent);
    if (known === undefined) {
      changes.push({ place, before: null, after: agentText(next), waits: true });
      return [];
    }
    const isLower = isLowerRole(known.role, next.role) && !isLastJudge(known, both);
    const dialect = (agent: AgentDefinition) => agent.dialect ?? (hasSameDialects ? inForce.dialects[0] : undefined);
    const found = [
      ...change(`${place}.role`, known.role, next.role, !isLower),
      ...change(`${place}.department`, known.department ?? null, next.department ?? null, true),
      ...change(`${place}.dialect`, dialect(known) ?? null, dialect(next) ?? null, true),
      ...change(`${place}.program`, known.program ?? null, next.program ?? null, false),
    ];
    changes.push(...found);
    const others = found.filter(({ waits }) => waits).length;
    if (others === 0) return [next];
    // What the file does not name yet is not named before the owner's word.
    const kept = isLower ? { ...known, role: next.role } : declared.get(next.agent);
    return kept === undefined ? [] : [kept];
  });
  const stay = inForce.agents.filter(({ agent }) => {
    if (after.has(agent)) return false;
    const known = before.get(agent);
    if (known === undefined) return false;
    const waits = isLastJudge(known, both);
    changes.push({ place: `agents.${agent}`, before: agentText(known), after: null, waits });
    return waits;
  });
  return { changes, atOnce: [...kept, ...stay] };
}

/**
 * What the agents are that one of the definitions names: as in force; and one that a command registered, and whose line
 * in the file has changed, as the command had it.
 */
function agentsAsTheyAre({ inForce, wanted, roster }: Both): ReadonlyMap<string, AgentDefinition> {
  const found = new Map(inForce.agents.map((agent) => [agent.agent, agent]));
  const lines = new Map(wanted.agents.map((agent) => [agent.agent, agent]));
  for (const { agent, role, department, dialect, source, status } of roster.values()) {
    const [line, next] = [found.get(agent), lines.get(agent)];
    if (source !== "command" || status !== "active" || (line === undefined && next === undefined)) continue;
    if (isSame(line, next)) continue;
    found.set(agent, { agent, role, ...(department === undefined ? {} : { department }), dialect });
  }
  return found;
}

/** Roles whose holders review, audit, sign off or decide what others did. Without them a step may be left out. */
const judges: readonly Role[] = [
  "lead",
  "architect",
  "owner",
  "senior",
  "qa",
  "qa-lead",
  "qa-code",
  "security",
  "critic",
];

/** Whether `agent` judges others' work and nobody else who does so already, in its role and department, stays. */
function isLastJudge({ role, department }: AgentDefinition, { inForce, wanted }: Both): boolean {
  const isSuch = (each: AgentDefinition) => each.role === role && each.department === department;
  if (!judges.includes(role)) return false;
  return !wanted.agents.some(
    (each) => isSuch(each) && inForce.agents.some((one) => one.agent === each.agent && isSuch(one)),
  );
}

/** A lower level of the chain, and no role that judges others' work: a former lead must not become a reviewer. */
function isLowerRole(before: Role, after: Role): boolean {
  if (judges.includes(after)) return false;
  const from = levelOfRole[before];
  const to = levelOfRole[after];
  return from !== null && to !== null && levels.indexOf(to) < levels.indexOf(from);
}

function agentText({ role, department, dialect }: AgentDefinition): string {
  return [role, department, dialect].filter((word) => word !== undefined).join(", ");
}

/** More receivers of a type wait; fewer apply at once. */
function compareRouting({ inForce, wanted }: Both): Part<TeamDefinition["routing"]> {
  const before = receiversByType(inForce.routing);
  const after = receiversByType(wanted.routing);
  const types = [...new Set([...before.keys(), ...after.keys()])];
  const changes = types.flatMap((type) => widening(`routing.${type}`, before.get(type) ?? [], after.get(type) ?? []));
  const atOnce = wanted.routing.flatMap((route): readonly RoutingWidening[] => {
    const receivers = route.receivers.filter((role) => before.get(typeKey(route))?.includes(role));
    return receivers.length === 0 ? [] : [{ ...route, receivers }];
  });
  return { changes, atOnce };
}

function receiversByType(routing: readonly RoutingWidening[]): ReadonlyMap<string, readonly Role[]> {
  const found = new Map<string, readonly Role[]>();
  for (const route of routing) {
    const known = found.get(typeKey(route)) ?? [];
    found.set(typeKey(route), [...new Set([...known, ...route.receivers])]);
  }
  return found;
}

function typeKey({ dialect, type }: RoutingWidening): string {
  return `${dialect}.${type}`;
}

/** A list of roles that has grown waits; what has left it applies at once. */
function widening(place: string, before: readonly Role[], after: readonly Role[]): readonly RevisionChange[] {
  const hasGrown = after.some((role) => !before.includes(role));
  return change(place, rolesText(before), rolesText(after), hasGrown);
}

function rolesText(listed: readonly Role[]): string | null {
  return listed.length === 0 ? null : listed.toSorted().join(", ");
}

/** A new message type, and more senders or receivers of a known one, wait; anything else of it applies at once. */
function compareMessages({ inForce, wanted }: Both): Part<TeamDefinition["messages"]> {
  const before = new Map((inForce.messages ?? []).map((message) => [message.type, message]));
  const after = new Map((wanted.messages ?? []).map((message) => [message.type, message]));
  const changes: RevisionChange[] = [];
  const atOnce = (wanted.messages ?? []).flatMap((next): readonly OwnMessage[] => {
    const place = `messages.${next.type}`;
    const known = before.get(next.type);
    if (known === undefined) {
      changes.push({ place, before: null, after: messageText(next), waits: true });
      return [];
    }
    changes.push(
      ...widening(`${place}.senders`, known.senders, next.senders),
      ...widening(`${place}.receivers`, known.receivers, next.receivers),
      ...(isSame(formOf(known), formOf(next)) ? [] : change(`${place}.schema`, "as it was", "changed", false)),
    );
    return [
      { ...next, senders: narrowed(known.senders, next.senders), receivers: narrowed(known.receivers, next.receivers) },
    ];
  });
  for (const [type, known] of before) {
    if (!after.has(type)) changes.push(...change(`messages.${type}`, messageText(known), null, false));
  }
  return { changes, atOnce: atOnce.length === 0 ? undefined : atOnce };
}

/** Those of `before` that stay; a message needs one, so where none stays nothing changes. */
function narrowed(before: readonly Role[], after: readonly Role[]): readonly Role[] {
  const stay = after.filter((role) => before.includes(role));
  return stay.length === 0 ? before : stay;
}

function formOf({ summary, schema, example }: OwnMessage) {
  return { summary, schema, example };
}

function messageText({ senders, receivers }: OwnMessage): string {
  return `${senders.join(", ")} to ${receivers.join(", ")}`;
}

/** A new rule and a larger bound wait; a rule that goes and a smaller bound apply at once. */
function compareNames({ inForce, wanted }: Both): Part<TeamDefinition["names"]> {
  const before = new Map((inForce.names ?? []).map((rule) => [ruleKey(rule), rule]));
  const after = new Map((wanted.names ?? []).map((rule) => [ruleKey(rule), rule]));
  const changes: RevisionChange[] = [];
  const atOnce = (wanted.names ?? []).flatMap((next): readonly NameRule[] => {
    const known = before.get(ruleKey(next));
    const waits = known === undefined || next.max > known.max;
    const said = known === undefined ? null : ruleText(known);
    changes.push(...change(`names.${next.pattern}`, said, ruleText(next), waits));
    if (!waits) return [next];
    return known === undefined ? [] : [known];
  });
  for (const [key, known] of before) {
    if (!after.has(key)) changes.push(...change(`names.${known.pattern}`, ruleText(known), null, false));
  }
  return { changes, atOnce: atOnce.length === 0 ? undefined : atOnce };
}

function ruleKey({ pattern, role, department, dialect }: NameRule): string {
  return [pattern, role, department ?? "", dialect ?? ""].join(" ");
}

function ruleText({ role, department, dialect, max }: NameRule): string {
  return [role, department, dialect, `at most ${max}`].filter((word) => word !== undefined).join(", ");
}

/** A new speaker waits; one that is taken out is none at once. */
function compareSpeakers({ inForce, wanted }: Both): Part<TeamDefinition["speakers"]> {
  const before = inForce.speakers ?? [];
  const after = wanted.speakers ?? [];
  const changes = [
    ...after
      .filter((agent) => !before.includes(agent))
      .flatMap((agent) => change(`speakers.${agent}`, null, "speaks for the user", true)),
    ...before
      .filter((agent) => !after.includes(agent))
      .flatMap((agent) => change(`speakers.${agent}`, "speaks for the user", null, false)),
  ];
  const stay = after.filter((agent) => before.includes(agent));
  return { changes, atOnce: stay.length === 0 ? undefined : stay };
}

/** One difference between two definitions, as a line of a diff: `agents.dev-1.role: dev -> lead`. */
export interface RevisionChange {
  /** Where, in the words of the team file. */
  readonly place: string;
  /** Null: it was not there. */
  readonly before: string | null;
  /** Null: it is taken out. */
  readonly after: string | null;
  /** Whether it takes effect only after the owner has confirmed it. */
  readonly waits: boolean;
}

/** One part of a definition: its changes, and its value with those that apply at once. */
interface Part<Value> {
  readonly changes: readonly RevisionChange[];
  readonly atOnce: Value;
}

interface Both {
  readonly inForce: TeamDefinition;
  readonly wanted: TeamDefinition;
  readonly roster: Roster;
}

/** A part that waits as a whole where it differs. */
function whole<Value extends string | readonly string[] | undefined>(
  place: string,
  before: Value,
  after: Value,
): Part<Value> {
  const changes = isSame(before, after) ? [] : change(place, textOf(before), textOf(after), true);
  return { changes, atOnce: changes.length === 0 ? after : before };
}

function change(place: string, before: string | null, after: string | null, waits: boolean): readonly RevisionChange[] {
  return before === after ? [] : [{ place, before, after, waits }];
}

/**
 * A rule whose default depends on the team's dialects, compared by what holds. The `strict` value applies at once, unless
 * it only follows from other dialects, which wait.
 */
function compareRule<Key extends "claims" | "scope">(
  place: Key,
  { inForce, wanted }: Both,
  ruleOf: (definition: TeamDefinition) => string,
  strict: NonNullable<TeamDefinition[Key]>,
): Part<TeamDefinition[Key]> {
  const isNamed = wanted[place] === strict;
  const waits = ruleOf(wanted) !== strict || !(isNamed || isSame(inForce.dialects, wanted.dialects));
  const changes = change(place, ruleOf(inForce), ruleOf(wanted), waits);
  // Without its new dialects, a file that leaves the rule out may say something else.
  const isOther = ruleOf({ ...inForce, [place]: wanted[place] }) !== ruleOf(wanted);
  return { changes, atOnce: isOther || changes.some((each) => each.waits) ? inForce[place] : wanted[place] };
}

/** A new glob of shared files waits; one that is taken out is none at once. */
function compareShared({ inForce, wanted }: Both): Part<TeamDefinition["shared"]> {
  const [before, after] = [inForce.shared ?? [], wanted.shared ?? []];
  const changes = [
    ...after.filter((glob) => !before.includes(glob)).flatMap((glob) => change("shared", null, glob, true)),
    ...before.filter((glob) => !after.includes(glob)).flatMap((glob) => change("shared", glob, null, false)),
  ];
  const stay = after.filter((glob) => before.includes(glob));
  return { changes, atOnce: stay.length === 0 ? undefined : stay };
}

/** Anything new waits, and all other changes of checks with it; where some only go, they go at once. */
function compareChecks({ inForce, wanted }: Both): Part<TeamDefinition["checks"]> {
  const [before, after] = [checkFacts(inForce.checks), checkFacts(wanted.checks)];
  const fresh = [...after].filter(([fact]) => !before.has(fact));
  const gone = [...before].filter(([fact]) => !after.has(fact));
  const waits = fresh.length > 0;
  const changes = [
    ...fresh.flatMap(([, words]) => change("checks", null, words, waits)),
    ...gone.flatMap(([, words]) => change("checks", words, null, waits)),
  ];
  return { changes, atOnce: waits ? inForce.checks : wanted.checks };
}

/** What is allowed, each fact with its words. */
function checkFacts(checks: TeamDefinition["checks"]): ReadonlyMap<string, string> {
  if (checks === undefined) return new Map();
  const { commands, setup, share = sharedByDefault, sandbox } = checks;
  return new Map([
    ...commands.map((each) => [canonical(["run", { ...each }]), commandText(each)] as const),
    ...(setup === undefined ? [] : [[canonical(["setup", { ...setup }]), `setup: ${commandText(setup)}`] as const]),
    ...share.map((folder) => [canonical(["share", folder]), `share: ${folder}`] as const),
    ...(sandbox === undefined ? [] : [["sandbox", `sandbox: ${sandbox}`] as const]),
  ]);
}

function commandText({ run, network, seconds }: CheckCommand): string {
  const more = [...(network === true ? ["with network"] : []), ...(seconds === undefined ? [] : [`${seconds} s`])];
  return more.length === 0 ? run : `${run} (${more.join(", ")})`;
}

/** A larger limit waits. So does a smaller one of those that guard by being large; any other smaller one applies. */
function compareLimits({ inForce, wanted }: Both): Part<TeamDefinition["limits"]> {
  const changes: RevisionChange[] = [];
  const held: { [limit: string]: number | undefined } = {};
  for (const limit of teamLimits) {
    const before = limitOf(inForce.limits, limit.field);
    const after = limitOf(wanted.limits, limit.field);
    const waits = after > before || "guardsByBeingLarge" in limit;
    changes.push(...change(`limits.${limit.key}`, String(before), String(after), waits));
    if (waits && before !== after) held[limit.field] = inForce.limits[limit.field];
  }
  const merged = Object.entries({ ...wanted.limits, ...held }).filter(([, value]) => value !== undefined);
  return { changes, atOnce: Object.fromEntries(merged) };
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  // Parts of definitions are plain JSON by their types.
  return canonical(one as Json) === canonical(other as Json);
}

function textOf(value: string | readonly string[] | undefined): string | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value : value.join(", ");
}
