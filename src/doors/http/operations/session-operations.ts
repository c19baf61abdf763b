/** Who one is to the hub: the owner's session in a browser, and which teams there are. */
import { z } from "zod";
import { timestampOf } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import { problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import { ownerName } from "../../../message/principal.ts";
import type { Role } from "../../../message/role.ts";
import { teamOperations } from "../../../operations/registry.ts";
import { endSession, listTeams, whoAmI } from "../../../operations/sessions.ts";
import { json, refusal, tooManyFailures } from "../server/answers.ts";
import { endedCookie, expiryOf, sessionCookie, sharedSession } from "../server/callers.ts";
import { onHubByHand } from "./defined-operations.ts";
import { beyondReach, type Caller, type HubServices, hubOperation, type Operation } from "./operation.ts";

const begin = hubOperation(
  {
    name: "beginSession",
    method: "post",
    path: "/api/session",
    says: "Exchanges the one-time code for the owner's session, given as a cookie. The token of the owner of the only team does as well. The secret of a link to read is exchanged for a cookie that reads until the link expires.",
    access: "open",
    body: z.strictObject({ code: z.string().max(200).optional(), share: z.string().max(200).optional() }),
    answers: {
      200: { says: "The cookie is set.", shape: z.object({ agent: z.string(), expiresAt: z.string() }) },
    },
  },
  async ({ services, caller, body, address }) => {
    if (body.share !== undefined && body.code === undefined) {
      const shared = await sharedSession(services, body.share);
      if (shared === null) return wrongCode(services, address, "$.share");
      if (!shared.ok) return refusal([shared.error]);
      const { caller: reader, cookie, expiresAt } = shared.value;
      return json({ agent: reader.agent, expiresAt }, 200, { "set-cookie": cookie });
    }
    const bought = body.code === undefined ? null : await services.sessions.exchange(body.code);
    const isOwner = caller?.agent === ownerName && caller.via === "token";
    const beyond = bought === null && isOwner ? await beyondReach(services, caller) : null;
    if (beyond !== null) return refusal([beyond]);
    const opened = bought ?? (isOwner ? await services.sessions.open() : null);
    if (opened === null && body.code === undefined && caller?.via === "token") return refusal([notTheOwner(caller)]);
    if (opened === null) return wrongCode(services, address, "$.code");
    const cookie = { "set-cookie": sessionCookie(services, opened.id, opened.session) };
    return json({ agent: ownerName, expiresAt: expiryOf(opened.session) }, 200, cookie);
  },
);

function notTheOwner({ agent }: Caller): Problem {
  return problem("unauthenticated", "Authorization", `This credential proves ${agent}, not the owner.`, {
    hint: "`baton token create owner` makes the owner's token.",
  });
}

function wrongCode(services: HubServices, address: string, path: "$.code" | "$.share"): Response {
  const seconds = services.failures.secondsLeft(address);
  if (seconds > 0) return refusal([tooManyFailures(seconds)], { headers: { "retry-after": String(seconds) } });
  services.failures.count(address);
  const fault =
    path === "$.code"
      ? problem("unauthenticated", path, "This code is wrong, used or too old.", {
          hint: "`baton open` prints a new URL; or use a token: `baton token create owner`.",
        })
      : problem("unauthenticated", path, "This link has expired, was ended, or is wrong.", {
          hint: "Ask the person who owns the team for a new one.",
        });
  return refusal([fault]);
}

const look = onHubByHand(whoAmI, async (_, { services, caller }) => {
  if (caller === null) return refusal([]);
  const teams = await teamsOf(services, caller);
  if (!teams.ok) return refusal([teams.error]);
  const role = await roleOf(services, caller);
  if (!role.ok) return refusal([role.error]);
  const { agent, via, team, readsUntilMs } = caller;
  return json({
    agent,
    role: role.value,
    via,
    team,
    readOnlyUntil: readsUntilMs === undefined ? null : timestampOf(readsUntilMs),
    teams: teams.value,
    version: services.version,
    journal: services.hub.journal.condition(),
    operations: teamOperations.map(({ name }) => name),
  });
});

const end = onHubByHand(endSession, async (_, { services, caller }) => {
  const session = caller?.session ?? null;
  if (session !== null) await services.sessions.close(session);
  // A reader's link goes on for others; only this browser forgets it.
  const isInBrowser = session !== null || caller?.readsUntilMs !== undefined;
  return json({ ended: session !== null }, 200, isInBrowser ? { "set-cookie": endedCookie(services) } : {});
});

const teams = onHubByHand(listTeams, async (_, { services, caller }) => {
  if (caller === null) return refusal([]);
  const found = await teamsOf(services, caller);
  return found.ok ? json({ teams: found.value }) : refusal([found.error]);
});

async function teamsOf(services: HubServices, caller: Caller): Promise<Result<readonly string[], Problem>> {
  return caller.team === null ? services.hub.teams() : ok([caller.team]);
}

async function roleOf(services: HubServices, caller: Caller): Promise<Result<Role | null, Problem>> {
  if (caller.agent === ownerName) return ok("owner");
  if (caller.team === null || caller.readsUntilMs !== undefined) return ok(null);
  const team = await services.hub.team(caller.team, caller);
  if (!team.ok) return team;
  const status = await team.value.status();
  if (!status.ok) return status;
  return ok(status.value.agents.find(({ agent }) => agent === caller.agent)?.role ?? null);
}

export const sessionOperations: readonly Operation[] = [begin, look, end, teams];
