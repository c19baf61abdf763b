/**
 * The search for rights that somebody gains: every sequence of a few operations of agents, without the person, in teams
 * of each kind in which work was done, something waits, and a department failed. What an agent does is looked at by what
 * the agents were in the team's file and by docs/protocol/authority.md, sections 11 to 16 alone. An operation that is
 * refused changes nothing, so only accepted ones are gone on from.
 */
import assert from "node:assert/strict";
import type { Role } from "../../src/messages/role.ts";
import type { Reply } from "../../src/perform/operations/reply.ts";
import { type TeamKindName, teamKinds } from "../../src/team/state/kinds.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";
import { type TestTeam, testTeam } from "../../src/testing/test-team.ts";

/** What an agent tries. `kind` and `about` are what the judge of gains looks at. */
export interface Try {
  readonly agent: string;
  readonly kind:
    | "register"
    | "retire"
    | "resolve"
    | "raise"
    | "approve"
    | "review"
    | "verify"
    | "narrow"
    | "ship"
    | "skip"
    | "end"
    | "reassign"
    | "release";
  readonly about: string;
  readonly role?: Role;
}

export interface Found {
  /** Sequences that were tried, and how many of their last operations were accepted. */
  readonly tried: number;
  readonly accepted: number;
  /** The first of the sequences that gained something, in words. */
  readonly gains: readonly string[];
}

const belowLead = "dev tester docs senior qa qa-lead qa-code scout critic debugger".split(" ");
const standsAt: { readonly [role: string]: number } = { senior: 1, lead: 2, architect: 3, owner: 4, user: 5 };
const levels = ["dev", "senior", "lead", "architect", "owner", "user"];

/** Where a search begins, how long its sequences are, and after how many gains it ends. */
export interface Search {
  /** Operations that have happened; absent: none. They count towards the depth. */
  readonly from?: readonly Try[];
  readonly depth: number;
  /** Absent: 5. */
  readonly gainsMax?: number;
}

interface Origin {
  readonly role: Role;
  readonly department?: string;
}

/** Searches all sequences of at most `depth` operations in a team of that kind. */
export async function searchGains(kind: TeamKindName, { from = [], depth, gainsMax = 5 }: Search): Promise<Found> {
  let [tried, accepted] = [0, 0];
  const gains: string[] = [];
  const prefixes: (readonly Try[])[] = [from];
  for (let prefix = prefixes.shift(); prefix !== undefined && gains.length < gainsMax; prefix = prefixes.shift()) {
    let world = await worldOf(kind, prefix);
    for (const one of triesIn(kind, prefix)) {
      tried++;
      const before = await waitingLevel(world.team);
      const holder = await holderOf(world.team);
      const reply = await reachTeam(world.team, one);
      if (reply.outcome !== "accepted") continue;
      accepted++;
      const gained = gainOf({ kind, prefix, before, holder }, one);
      if (gained !== null && gains.length < gainsMax)
        gains.push(`${[...prefix, one].map(wordsOf).join("; ")}: ${gained}`);
      // What changed nothing is not gone on from either.
      if (reply.notes.some(({ code }) => code === "already-so")) continue;
      if (prefix.length + 1 < depth) prefixes.push([...prefix, one]);
      await world.team[Symbol.asyncDispose]();
      world = await worldOf(kind, prefix);
    }
    await world.team[Symbol.asyncDispose]();
  }
  return { tried, accepted, gains };
}

const wordsOf = ({ agent, kind, about, role }: Try) =>
  `${agent} ${kind} ${about}${role === undefined ? "" : ` as ${role}`}`;

/** The names by which a kind of team is tried: who works, who judges, who leads, and an adviser. */
interface Cast {
  readonly dev: string;
  readonly lead: string;
  readonly actors: readonly string[];
  /** Names that are retired and registered again. */
  readonly names: readonly string[];
}

const casts: { readonly [kind in TeamKindName]: Cast } = {
  solo: { dev: "dev-1", lead: "lead-1", actors: ["dev-1", "lead-1"], names: ["dev-1", "lead-1"] },
  vbw: {
    dev: "dev-1",
    lead: "lead-1",
    actors: ["dev-1", "lead-1", "qa-1", "debugger-1"],
    names: ["dev-1", "lead-1", "architect-1"],
  },
  yolo: {
    dev: "dev-1",
    lead: "lead-1",
    actors: ["dev-1", "senior-1", "lead-1", "critic-1"],
    names: ["dev-1", "senior-1", "security-1"],
  },
  "yolo-departments": {
    dev: "backend-dev-1",
    lead: "backend-lead-1",
    actors: ["backend-dev-1", "backend-lead-1", "owner-1", "scout-1"],
    names: ["backend-dev-1", "owner-1", "frontend-dev-1"],
  },
  bmad: { dev: "dev", lead: "sm", actors: ["dev", "sm", "qa"], names: ["dev", "architect"] },
};

/** A developer under each lead, whom the person has retired. */
const goneName = "gone-1";

const isYolo = (kind: TeamKindName) => kind === "yolo" || kind === "yolo-departments";
const newName = "new-1";
/** A task that a developer of another department holds, or else the team's own developer. */
const heldTask = "02-01/T1";
const holderIn = (kind: TeamKindName) => (kind === "yolo-departments" ? "frontend-dev-1" : casts[kind].dev);
const plan = "01-01";
const task = `${plan}/T1`;
const blockedTask = `${plan}/T2`;
const escalation = "ESC-01-01-T2";

/** The team as it is before the search, after these operations. */
async function worldOf(kind: TeamKindName, prefix: readonly Try[]): Promise<{ readonly team: TestTeam }> {
  const { agents, dialects } = teamKinds[kind];
  const team = await testTeam({ agents, dialects, hasRepository: false });
  const { dev, lead } = casts[kind];
  const done = async (reply: Promise<Reply>) =>
    assert.equal((await reply).outcome, "accepted", JSON.stringify(await reply));
  await done(team.as("owner").register({ agent: goneName, role: "dev", ...departmentFor(lead) }));
  await done(team.as("owner").retire({ agent: goneName }));
  await done(team.as(lead).addTask({ task, plan, files: ["src/a.ts"] }));
  await done(team.as(dev).complete({ task, plan, commit: "abc1234", files: ["src/a.ts"] }));
  await done(team.as("owner").addTask({ task: heldTask, files: ["src/held.ts"] }));
  assert.equal((await team.as(holderIn(kind)).claim({ task: heldTask })).outcome, "accepted");
  if (isYolo(kind)) {
    const said = { task: blockedTask, plan_id: plan, blocker: "No names", needs: "Names", attempted: [] };
    await done(team.as(dev).send(JSON.stringify({ type: "dev_blocker", ...said })));
  }
  if (kind === "vbw" || kind === "solo") {
    const blocker = { plan_id: plan, task_id: blockedTask, blocker: "No names", needs: "Names" };
    await done(team.as(dev).send(JSON.stringify(typedMessage("blocker_report", blocker, { id: "blocked" }))));
    const leave = { subject: "More files", request_type: "scope_change", evidence: "src/b.ts" };
    for (const [agent, role] of [
      [dev, "dev"],
      [lead, "lead"],
    ] as const) {
      const asked = typedMessage("approval_request", leave, { id: `by-${agent}`, author_role: role });
      await done(team.as(agent).send(JSON.stringify(asked), { to: ["owner"] }));
    }
  }
  if (kind === "yolo-departments") {
    await done(team.as("owner-1").send(JSON.stringify(ownerReview(["backend", "frontend"]))));
    await done(team.as(lead).send(JSON.stringify(departmentResult("backend", "PASS"))));
    await done(team.as("frontend-lead-1").send(JSON.stringify(departmentResult("frontend", "FAIL"))));
  }
  for (const one of prefix) await done(reachTeam(team, one));
  return { team };
}

function ownerReview(needed: readonly string[]) {
  const order = { dispatch_order: needed, priorities: ["Ship"], risks: [] };
  return { type: "owner_review", phase: "01", departments_needed: needed, ...order };
}

function departmentResult(department: string, result: "PASS" | "FAIL") {
  const plans = { plans_completed: 1, plans_total: 1, tdd_coverage: "all" };
  return {
    type: "department_result",
    department,
    phase: "01",
    result,
    ...plans,
    qa_result: result,
    security_result: result,
  };
}

/** Everything that somebody may try after these operations. */
function triesIn(kind: TeamKindName, prefix: readonly Try[]): readonly Try[] {
  const { actors, names } = casts[kind];
  const joined = prefix.some((each) => each.kind === "register" && each.about === newName) ? [newName] : [];
  return [...actors, ...joined].flatMap((agent): readonly Try[] => [
    ...(["lead", "senior", "qa-lead", "security", "owner"] as const).map(
      (role) => ({ agent, kind: "register", about: newName, role }) as const,
    ),
    ...[...names, goneName].flatMap((about) =>
      (["senior", "lead", "dev"] as const).map((role) => ({ agent, kind: "register", about, role }) as const),
    ),
    ...[...names, goneName].map((about) => ({ agent, kind: "retire", about }) as const),
    { agent, kind: "resolve", about: escalation },
    { agent, kind: "raise", about: escalation },
    ...(kind === "vbw" || kind === "solo"
      ? [casts[kind].dev, casts[kind].lead].map((asker) => ({ agent, kind: "approve", about: asker }) as const)
      : []),
    ...(isYolo(kind) ? (["review", "verify"] as const).map((each) => ({ agent, kind: each, about: plan })) : []),
    ...(kind === "yolo-departments"
      ? (["narrow", "ship"] as const).map((each) => ({ agent, kind: each, about: "frontend" }))
      : []),
    { agent, kind: "skip", about: "code_review" },
    { agent, kind: "end", about: "01" },
    { agent, kind: "reassign", about: agent },
    { agent, kind: "release", about: heldTask },
  ]);
}

/** Tries it through the team's own operations and messages. */
async function reachTeam(team: TestTeam, one: Try): Promise<Reply> {
  const { agent, kind, about, role = "dev" } = one;
  const acting = team.as(agent);
  const send = (message: object) => acting.send(JSON.stringify(message));
  const artifact = { artifact: "r.jsonl", committed: true };
  switch (kind) {
    case "register":
      return acting.register({ agent: about, role, ...departmentFor(agent) });
    case "retire":
      return acting.retire({ agent: about });
    case "resolve":
      return acting.resolve({ escalation: about, decision: `As ${agent} says` });
    case "raise":
      return acting.raise({ escalation: about });
    case "approve":
      return acting.answer({ request: `by-${about}`, approved: true, reason: `Says ${agent}` });
    case "review":
      return send({
        type: "code_review_result",
        plan_id: about,
        result: "approve",
        cycle: 1,
        findings_count: 0,
        critical: 0,
        ...artifact,
      });
    case "verify": {
      const checks = { passed: 1, failed: 0, total: 1 };
      return send({ type: "qa_result", tier: "standard", result: "PASS", checks, failures: [], ...artifact });
    }
    case "narrow":
      return send(ownerReview(["backend"]));
    case "ship": {
      const decision = { decision: "SHIP", departments_approved: ["backend"], integration_qa: "PASS", notes: "" };
      return send({ type: "owner_signoff", phase: "01", ...decision });
    }
    case "skip":
      return acting.skipStep({ step: about, reason: "no time" });
    case "reassign":
      return acting.reassign({ task: heldTask, to: about });
    case "release":
      return acting.release({ task: heldTask });
    case "end":
      return acting.endPhase({});
  }
}

/** An agent of a department registers there. */
function departmentFor(agent: string): { readonly department?: "backend" | "frontend" } {
  return agent.startsWith("backend-") ? { department: "backend" } : {};
}

async function waitingLevel(team: TestTeam): Promise<string> {
  const open = await team.as("owner").escalations();
  return (open.ok ? open.value.find(({ id }) => id.includes("T2")) : undefined)?.level ?? "";
}

async function holderOf(team: TestTeam): Promise<string | null> {
  const tasks = await team.as("owner").tasks({ task: heldTask });
  return tasks.ok ? (tasks.value[0]?.holder ?? null) : null;
}

interface Around {
  readonly kind: TeamKindName;
  readonly prefix: readonly Try[];
  /** Where the escalation waited before. */
  readonly before: string;
  /** Who held the held task before; null: nobody. */
  readonly holder: string | null;
}

/** What taking the held task gained; null: the agent held it, nobody did, or it leads the holder. */
function gainOfMove(
  kind: TeamKindName,
  { agent, role, holder }: { readonly agent: string; readonly role: Role | undefined; readonly holder: string | null },
): string | null {
  if (holder === null || holder === agent) return null;
  if (role !== "lead") return `${holder} holds it, and ${agent} is no lead`;
  if (kind !== "yolo-departments") return null;
  return holder.startsWith("backend-") === agent.startsWith("backend-") ? null : `${holder} is of another department`;
}

/** What the operation, which was accepted, gained; null: nothing. */
function gainOf({ kind, prefix, before, holder }: Around, one: Try): string | null {
  const { agent, about } = one;
  const { dev } = casts[kind];
  const origins = new Map<string, Origin>(teamKinds[kind].agents.map((each) => [each.agent, each]));
  const registered = prefix.filter((each) => each.kind === "register");
  const role = registered.findLast((each) => each.about === agent)?.role ?? origins.get(agent)?.role;
  const makers = registered.filter((each) => each.about === agent).map((each) => each.agent);
  const isOwn = (doer: string) => doer === agent || makers.includes(doer);
  if (one.kind === "register" || one.kind === "retire") {
    const own = origins.get(agent);
    const other = origins.get(about);
    if (own?.role !== "lead") return `${agent} was no lead`;
    const given = [one.role, other?.role].filter((each) => each !== undefined);
    if (one.kind === "register" && about === goneName) return "the person retired it";
    if (given.some((each) => !belowLead.includes(each))) return `${given.join(", ")} are the person's to give`;
    return other !== undefined && other.department !== own.department ? "it is another department's" : null;
  }
  if (one.kind === "resolve" || one.kind === "raise") {
    const level = standsAt[role ?? ""] ?? 0;
    const waits = levels.indexOf(before);
    if (one.kind === "raise") return level === waits ? null : `it waits at ${before}`;
    if (isOwn(dev)) return "it holds the agent up itself";
    return level < waits ? `it waits at ${before}, and ${role} does not stand there` : null;
  }
  if (one.kind === "approve") return isOwn(about) ? "it asked that itself" : null;
  if (one.kind === "review" || one.kind === "verify" || one.kind === "skip")
    return isOwn(dev) ? "it worked on that itself" : null;
  if (one.kind === "reassign" || one.kind === "release") return gainOfMove(kind, { agent, role, holder });
  if (one.kind === "narrow" || one.kind === "ship") return "a department has failed";
  return null;
}
