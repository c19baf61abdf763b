/** Agents of a team: who is there, and each agent's own inbox. */
import { z } from "zod";
import { type Problem, problem } from "../../../base/problem.ts";
import { acceptedShape } from "../../../operations/shapes.ts";
import { json, refusal, replyAnswer, safeHeaders } from "../server/answers.ts";
import { type AskedOfTeam, actId, hubOperation, type Operation, teamOperation } from "./operation.ts";
import { agentShape, inboxShape, statusShape } from "./shapes.ts";

const accepted = {
  201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
  200: { says: "The same act had been accepted before.", shape: acceptedShape },
};

const status = teamOperation(
  {
    name: "teamStatus",
    method: "get",
    path: "/api/teams/{team}/status",
    says: "The team at a glance.",
    access: "caller",
    answers: { 200: { says: "The status at the head.", shape: statusShape } },
  },
  async ({ team }) => {
    const found = await team.status();
    return found.ok ? json(found.value) : refusal([found.error]);
  },
);

const list = teamOperation(
  {
    name: "listAgents",
    method: "get",
    path: "/api/teams/{team}/agents",
    says: "The agents of the team.",
    access: "caller",
    answers: { 200: { says: "Every agent.", shape: z.object({ agents: z.array(agentShape) }) } },
  },
  async ({ team }) => {
    const found = await team.status();
    return found.ok ? json({ agents: found.value.agents }) : refusal([found.error]);
  },
);

const inbox = teamOperation(
  {
    name: "readInbox",
    method: "get",
    path: "/api/teams/{team}/agents/{agent}/inbox",
    says: "What waits for the calling agent; with `wait`, waits for the first message.",
    access: "caller",
    query: z.strictObject({
      after: z.int().optional(),
      limit: z.int().min(1).max(1_000).optional(),
      wait: z.number().min(0).optional().describe("seconds"),
    }),
    answers: { 200: { says: "A page, in order.", shape: inboxShape } },
  },
  async (asked) => {
    const foreign = foreignBox(asked);
    if (foreign !== null) return refusal([foreign]);
    const { after, limit, wait } = asked.query;
    const seconds = Math.min(wait ?? 0, asked.desk.limits.waitSecondsMax);
    const page = await asked.team.inbox({
      ...(after === undefined ? {} : { after }),
      ...(limit === undefined ? {} : { limit }),
      waitMs: seconds * 1000,
      signal: asked.request.signal,
    });
    if (page.ok) return json(page.value);
    // Tells callers of a hub that ends to retry.
    const isEnding = page.error.code === "hub-unreachable";
    return refusal([page.error], isEnding ? { status: 503, headers: { "retry-after": "1" } } : {});
  },
);

const seqBody = z.strictObject({ seq: z.int().min(0).describe("the number of an entry"), id: actId });

const seen = teamOperation(
  {
    name: "markSeen",
    method: "post",
    path: "/api/teams/{team}/agents/{agent}/seen",
    says: "Says that the agent's next step used its messages up to a number.",
    access: "caller",
    body: seqBody,
    answers: { 200: { says: "Marked.", shape: z.object({ seq: z.int() }) } },
  },
  async (asked) => {
    const foreign = foreignBox(asked);
    if (foreign !== null) return refusal([foreign]);
    const marked = await asked.team.seen(asked.body.seq);
    return marked.ok ? json({ seq: asked.body.seq }) : refusal([marked.error]);
  },
);

const shown = teamOperation(
  {
    name: "markShown",
    method: "post",
    path: "/api/teams/{team}/agents/{agent}/shown",
    says: "Says what a hook or a tool has shown to the agent's model, and in which of its contexts.",
    access: "caller",
    body: z.strictObject({
      context: z.string().min(1).max(64).nullable().describe("of the model; null: the one that was named last"),
      seq: z.int().min(0).describe("everything up to this number was shown"),
      injected: z.boolean().optional().describe("a hook put it into the context"),
      begins: z.boolean().optional().describe("the context begins here"),
      told: z.int().min(0).optional().describe("the newest claim that the agent was reminded of"),
      id: actId,
    }),
    answers: { 200: { says: "Noted.", shape: z.object({ seq: z.int() }) } },
  },
  async (asked) => {
    const foreign = foreignBox(asked);
    if (foreign !== null) return refusal([foreign]);
    const { context, seq, injected, begins, told } = asked.body;
    const noted = await asked.team.shown({
      context,
      seq,
      ...(injected === undefined ? {} : { injected }),
      ...(begins === undefined ? {} : { begins }),
      ...(told === undefined ? {} : { told }),
    });
    return noted.ok ? json({ seq }) : refusal([noted.error]);
  },
);

const acknowledge = teamOperation(
  {
    name: "acknowledge",
    method: "post",
    path: "/api/teams/{team}/agents/{agent}/ack",
    says: "Acknowledges everything addressed to the calling agent up to a number.",
    access: "caller",
    body: seqBody,
    answers: accepted,
  },
  async (asked) => {
    const foreign = foreignBox(asked);
    if (foreign !== null) return refusal([foreign]);
    return replyAnswer(await asked.team.acknowledge(asked.body.seq, named(asked.id)));
  },
);

const alive = teamOperation(
  {
    name: "signOfLife",
    method: "post",
    path: "/api/teams/{team}/agents/{agent}/alive",
    says: "Shows that the agent is there, as asking for its mail does. A program that names itself with the header Baton-Program speaks for the agent from the first time on, and fences off the one before.",
    access: "caller",
    body: z.strictObject({ id: actId }),
    answers: {
      200: {
        says: "Noted; a program that speaks for the agent is to come again within everyMs milliseconds.",
        shape: z.object({ agent: z.string(), everyMs: z.number() }),
      },
    },
  },
  async (asked) => {
    const foreign = foreignBox(asked);
    if (foreign !== null) return refusal([foreign]);
    const shown = await asked.team.attend();
    return shown.ok ? json({ agent: asked.caller.agent, ...shown.value }) : refusal([shown.error]);
  },
);

const leave = teamOperation(
  {
    name: "leaveTeam",
    method: "post",
    path: "/api/teams/{team}/agents/{agent}/leave",
    says: "Says that the program named by the header Baton-Program ends in order.",
    access: "caller",
    body: z.strictObject({ id: actId }),
    answers: { 200: { says: "Noted.", shape: z.object({ agent: z.string() }) } },
  },
  async (asked) => {
    const foreign = foreignBox(asked);
    if (foreign !== null) return refusal([foreign]);
    const left = await asked.team.leave();
    return left.ok ? json({ agent: asked.caller.agent }) : refusal([left.error]);
  },
);

/** The options of an operation with its id, when it has one. */
export function named(id: string | undefined): { readonly id?: string } {
  return id === undefined ? {} : { id };
}

/** Only the agent itself reads and moves its own inbox; the owner sees the record instead. */
function foreignBox({ caller, params }: AskedOfTeam): Problem | null {
  if (caller.agent === params.agent) return null;
  return problem("identity-mismatch", params.agent ?? "", "Every agent reads its own inbox only.", {
    expected: caller.agent,
    received: params.agent?.slice(0, 64),
    hint: `Ask for /agents/${caller.agent}/inbox, or use that agent's own token.`,
  });
}

export const agentOperations: readonly Operation[] = [status, list, inbox, seen, shown, alive, leave, acknowledge];

/*
 * What anybody on this machine may ask: whether the hub lives, whether it can work, what it counted. Names of teams are
 * for callers with a credential.
 */
const health = hubOperation(
  {
    name: "health",
    method: "get",
    path: "/healthz",
    says: "The process answers.",
    access: "open",
    answers: {
      200: {
        says: "It does. `instance` is created at each start.",
        shape: z.object({ status: z.literal("ok"), version: z.string(), instance: z.string() }),
      },
    },
  },
  ({ desk }) => Promise.resolve(json({ status: "ok", version: desk.version, instance: desk.instance })),
);

const readyShape = z.object({
  status: z.enum(["ready", "not-ready"]),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string() })),
});

const ready = hubOperation(
  {
    name: "readiness",
    method: "get",
    path: "/readyz",
    says: "Whether messages can be recorded: the last append or a write probe succeeded, and the last verification.",
    access: "open",
    answers: {
      200: { says: "Ready.", shape: readyShape },
      503: { says: "Not ready, and why.", shape: readyShape },
    },
  },
  async ({ desk }) => {
    const checks = await desk.readiness.checks();
    const isReady = checks.every(({ ok }) => ok);
    return json({ status: isReady ? "ready" : "not-ready", checks }, isReady ? 200 : 503);
  },
);

const metrics = hubOperation(
  {
    name: "metrics",
    method: "get",
    path: "/metrics",
    says: "Counters and gauges for Prometheus. With a token also the head of each team that the token is for, by name.",
    access: "open",
    answers: { 200: { says: "Text.", mediaType: "text/plain" } },
  },
  async ({ desk, caller }) => {
    const { hub } = desk;
    const heads: { readonly team: string; readonly seq: number }[] = [];
    const teams = await hub.teams();
    for (const team of teams.ok ? teams.value : []) {
      const folded = await hub.journal.state(team);
      if (folded.ok) heads.push({ team, seq: folded.value.head.seq });
    }
    const isReady = (await desk.readiness.checks()).every(({ ok }) => ok);
    const text = desk.metrics.text({
      entries: heads.reduce((sum, { seq }) => sum + seq, 0),
      heads: caller === null ? [] : heads.filter(({ team }) => caller.team === null || caller.team === team),
      isReady,
      streams: desk.feeds.listeners(),
      authFailures: desk.failures.total(),
    });
    return new Response(text, {
      headers: { ...safeHeaders, "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  },
);

export const healthOperations: readonly Operation[] = [health, ready, metrics];
