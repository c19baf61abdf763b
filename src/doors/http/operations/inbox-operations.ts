/** Each agent's own inbox, and what anybody may ask of the hub. */
import { z } from "zod";
import { acknowledge, heartbeat, leaveTeam, markSeen, markShown, readInbox } from "../../../mail/operations.ts";
import { json, refusal, replyAnswer, safeHeaders } from "../server/answers.ts";
import { byHand } from "./defined-operations.ts";
import { given, hubOperation, type Operation } from "./operation.ts";

export const inboxOperations: readonly Operation[] = [
  byHand(readInbox, async ({ after, limit, wait = 0 }, { team, services, request }) => {
    const page = await team.inbox({
      ...given({ after, limit }),
      waitMs: Math.min(wait, services.limits.waitSecondsMax) * 1000,
      signal: request.signal,
    });
    if (page.ok) return json(page.value);
    // Tells callers of a hub that ends to retry.
    const isEnding = page.error.code === "hub-unreachable";
    return refusal([page.error], isEnding ? { status: 503, headers: { "retry-after": "1" } } : {});
  }),
  byHand(markSeen, async ({ seq }, { team }) => {
    const marked = await team.seen(seq);
    return marked.ok ? json({ seq }) : refusal([marked.error]);
  }),
  byHand(markShown, async ({ context, seq, ...more }, { team }) => {
    const noted = await team.shown({ context, seq, ...given(more) });
    return noted.ok ? json({ seq }) : refusal([noted.error]);
  }),
  byHand(heartbeat, async (_, { team, caller }) => {
    const shown = await team.attend();
    return shown.ok ? json({ agent: caller.agent, ...shown.value }) : refusal([shown.error]);
  }),
  byHand(leaveTeam, async (_, { team, caller }) => {
    const left = await team.leave();
    return left.ok ? json({ agent: caller.agent }) : refusal([left.error]);
  }),
  byHand(acknowledge, async ({ seq }, { team, id }) => replyAnswer(await team.acknowledge(seq, given({ id })))),
];

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
  ({ services }) => Promise.resolve(json({ status: "ok", version: services.version, instance: services.instance })),
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
  async ({ services }) => {
    const checks = await services.readiness.checks();
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
  async ({ services, caller }) => {
    const { hub } = services;
    const heads: { readonly team: string; readonly seq: number }[] = [];
    const teams = await hub.teams();
    // A count of some teams, or of none, would look like lost entries.
    let isAll = teams.ok;
    for (const team of teams.ok ? teams.value : []) {
      const folded = await hub.journal.state(team);
      if (folded.ok) heads.push({ team, seq: folded.value.head.seq });
      else isAll = false;
    }
    const isReady = (await services.readiness.checks()).every(({ ok }) => ok);
    const text = services.metrics.text({
      entries: isAll ? heads.reduce((sum, { seq }) => sum + seq, 0) : null,
      heads: caller === null ? [] : heads.filter(({ team }) => caller.team === null || caller.team === team),
      isReady,
      streams: services.feeds.listeners(),
      authFailures: services.failures.total(),
    });
    return new Response(text, {
      headers: { ...safeHeaders, "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  },
);

export const healthOperations: readonly Operation[] = [health, ready, metrics];
