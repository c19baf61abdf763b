/**
 * Every operation of the hub; among them those that are answered by hand: several decisions at once, work checked
 * against git, and who the caller is.
 */

import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { z } from "zod";
import { type TeamName, teamName } from "../../../base/ids.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import {
  answerCheck,
  editFiles,
  listPermissions,
  verifyArtifacts,
  verifyTasks,
} from "../../../evidence/operations/verification.ts";
import { copyMediaType } from "../../../journal/engines.ts";
import type { Receipt } from "../../../journal/entry.ts";
import { landWork } from "../../../landing/operations.ts";
import { ownerName } from "../../../messages/principal.ts";
import type { Role } from "../../../messages/role.ts";
import { type DecisionResult, decideSeveral, listNeeds } from "../../../needs/operations.ts";
import type { Hub } from "../../../perform/hub.ts";
import { operationsBySubject, teamOperations } from "../../../perform/operations/registry.ts";
import { problemsOf, type Reply } from "../../../perform/operations/reply.ts";
import { operationId, receiptShape } from "../../../perform/operations/shapes.ts";
import type { Team } from "../../../perform/team.ts";
import { acceptLossOf, recordStats, statsJson } from "../../../record/handlers/record.ts";
import { backupJournal, exportJournal, journalStats, verifyJournal } from "../../../record/operations/entries.ts";
import { endSession, listTeams, whoAmI } from "../../../team/operations/sessions.ts";
import { json, refusal, safeHeaders, tooManyFailures } from "../server/answers.ts";
import { expiryOf, readerOf } from "../server/callers.ts";
import { byHand, onHubByHand, routesOf } from "./defined-operations.ts";
import { healthOperations, inboxOperations, messageOperations, recordOperations } from "./message-operations.ts";
import {
  type AskedOfTeam,
  beyondReach,
  type Caller,
  given,
  type HubRepository,
  type HubServices,
  hubOperation,
  type Operation,
} from "./operation.ts";

/* The journal as a whole, for its owner. */

const stats = onHubByHand(journalStats, async (_, { services, caller }) => {
  const { journal } = services.hub;
  const beyond = await beyondReach(services, caller);
  if (beyond !== null) return refusal([beyond]);
  const found = await recordStats(journal);
  if (!found.ok) return refusal([found.error]);
  return json(statsJson(found.value));
});

const verify = onHubByHand(verifyJournal, async (input, { services, caller, request }) => {
  const beyond = await beyondReach(services, caller);
  if (beyond !== null) return refusal([beyond]);
  // A receipt that somebody presents is only compared, so its names need not be names that exist here.
  const presented = input.presented as readonly Receipt[] | undefined;
  const verified = await services.longWork.verify(
    presented ?? [],
    AbortSignal.any([services.stopping, request.signal]),
  );
  if (!verified.ok) return refusal([verified.error]);
  const report = verified.value;
  // A receipt that was never ours says nothing about the journal.
  if (presented === undefined || report.ok) services.readiness.verified(report);
  return json(report);
});

const acceptLoss = hubOperation(
  {
    name: "acceptLoss",
    method: "post",
    path: "/api/journal/accept-loss",
    says: "Records that the entries up to the anchor are lost, and why; a new epoch begins.",
    access: "owner",
    body: z.strictObject({ team: z.string(), reason: z.string(), id: operationId }),
    answers: {
      201: { says: "Recorded.", shape: receiptShape },
      200: { says: "The same act had been recorded before.", shape: receiptShape },
    },
  },
  async ({ services, body, caller, id }) => {
    const team = await knownTeam(services.hub, body.team);
    if (!team.ok) return refusal([team.error]);
    const beyond = await beyondReach(services, caller, body.team);
    if (beyond !== null) return refusal([beyond]);
    const via = caller?.via ?? "launcher";
    const done = await acceptLossOf(services.hub.journal, team.value, via, { reason: body.reason, id });
    return done.ok ? json(done.value, done.value.duplicate ? 200 : 201) : refusal([done.error]);
  },
);

const exported = onHubByHand(exportJournal, async ({ team }, { services, caller, request }) => {
  const beyond = await beyondReach(services, caller, team);
  if (beyond !== null) return refusal([beyond]);
  const asked = team === undefined ? await services.hub.teams() : await onlyTeam(services.hub, team);
  if (!asked.ok) return refusal([asked.error]);
  const lines = services.longWork.exported(asked.value, AbortSignal.any([services.stopping, request.signal]));
  const body = ReadableStream.from(whole(lines));
  return new Response(body, { headers: { ...safeHeaders, "content-type": "application/x-ndjson; charset=utf-8" } });
});

/** An error in the middle ends the stream with an error, so that nobody takes a part for the whole. */
async function* whole(lines: AsyncIterable<Result<Uint8Array, Problem>>): AsyncGenerator<Uint8Array> {
  for await (const part of lines) {
    if (!part.ok) throw new Error(`the export ended early: ${part.error.code}`);
    yield part.value;
  }
}

const backup = onHubByHand(backupJournal, async (_, { services, caller, request }) => {
  const beyond = await beyondReach(services, caller);
  if (beyond !== null) return refusal([beyond]);
  const folder = await mkdtemp(join(services.hub.stateFolder, "backup-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  const file = join(folder, "journal.db");
  const done = await services.longWork.backup(file, AbortSignal.any([services.stopping, request.signal]));
  if (!done.ok) {
    await remove();
    return refusal([done.error]);
  }
  const { size } = await stat(file);
  const source = createReadStream(file);
  source.once("close", () => void remove());
  // Node's own bridge between its two kinds of stream; their types differ only in name.
  const body = Readable.toWeb(source) as unknown as ReadableStream<Uint8Array>;
  const headers = {
    ...safeHeaders,
    "content-type": copyMediaType,
    "content-length": String(size),
    "content-disposition": 'attachment; filename="journal.db"',
  };
  return new Response(body, { headers });
});

async function onlyTeam(hub: Hub, name: string): Promise<Result<readonly TeamName[], Problem>> {
  const team = await knownTeam(hub, name);
  return team.ok ? ok([team.value]) : team;
}

async function knownTeam(hub: Hub, name: string): Promise<Result<TeamName, Problem>> {
  const known = await hub.teams();
  if (!known.ok) return known;
  const wanted = teamName(name);
  if (wanted !== null && known.value.includes(wanted)) return ok(wanted);
  return err(
    makeProblem("unknown-team", name, "There is no team of this name here.", { hint: "GET /api/teams lists them." }),
  );
}

const journalOperations: readonly Operation[] = [stats, verify, acceptLoss, exported, backup];

/*
 * Several decisions in one request: each is done as its own operation does it, one after the other.
 */

type Decision = z.infer<typeof decideSeveral.input>["decisions"][number];

const decisionOperations: readonly Operation[] = [
  byHand(decideSeveral, async ({ decisions }, { team, id: batch }) => {
    const results: DecisionResult[] = [];
    for (const [index, decision] of decisions.entries()) {
      // A batch that comes again under its id is the same decisions again, each recorded once.
      const id = decision.id ?? (batch === undefined ? undefined : `${batch}-${index + 1}`);
      results.push(resultOf(await decide(team, decision, id === undefined ? {} : { id })));
    }
    return json({ results });
  }),
];

function decide(team: Team, decision: Decision, named: { readonly id?: string }): Promise<Reply> {
  switch (decision.decide) {
    case "approve":
    case "deny": {
      const { decide: word, id: _, request, reason, ...more } = decision;
      return team.answer({ request, approved: word === "approve", reason, ...given(more) }, named);
    }
    case "resolve": {
      const { decide: _, id: __, escalation, ...more } = decision;
      return team.resolve({ escalation, ...given(more) }, named);
    }
    case "raise": {
      const { decide: _, id: __, escalation, ...more } = decision;
      return team.raise({ escalation, ...given(more) }, named);
    }
    case "lift": {
      const { decide: _, id: __, stop, reason, ...more } = decision;
      return team.liftStop({ stop, reason, ...given(more) }, named);
    }
  }
}

function resultOf(reply: Reply): DecisionResult {
  const { outcome } = reply;
  return { outcome, receipt: outcome === "failed" ? null : reply.receipt, problems: problemsOf(reply) };
}

/*
 * Work checked against git, through a hub: the hub judges what was reported by the repository next to it, and tells
 * what agents may change, so that the gate can judge a commit where its files are.
 */

const verifyOperations: readonly Operation[] = [
  byHand(verifyTasks, async ({ tasks }, asked) => {
    const place = repositoryOf(asked);
    if ("code" in place) return refusal([place]);
    const judged = await asked.team.verify(place, { ...given({ tasks }), checks: {}, signal: signalOf(asked) });
    return judged.ok ? json({ tasks: judged.value }) : refusal([judged.error]);
  }),
  byHand(verifyArtifacts, async (_, asked) => {
    const place = repositoryOf(asked);
    if ("code" in place) return refusal([place]);
    const judged = await asked.team.verifyArtifacts(place, { signal: signalOf(asked) });
    return judged.ok ? json({ messages: judged.value }) : refusal([judged.error]);
  }),
  byHand(landWork, async ({ tasks, undo }, asked) => {
    const place = repositoryOf(asked);
    if ("code" in place) return refusal([place]);
    const signal = signalOf(asked);
    // What landed by hand, or was undone, is known before; and the board says at once what landed now.
    const looked = await asked.team.verify(place, { signal });
    const landed = looked.ok ? await asked.team.land(place, { ...given({ tasks, undo }), signal }) : looked;
    if (!landed.ok) return refusal([landed.error]);
    if (landed.value.from !== landed.value.to) await asked.team.verify(place, { signal });
    return json(landed.value);
  }),
  byHand(listPermissions, async ({ when, agent }, { team }) => {
    const found = await team.permissions({ when, ...given({ agent }) });
    return found.ok ? json({ permissions: found.value }) : refusal([found.error]);
  }),
  byHand(editFiles, async ({ files, ...options }, { team }) => {
    const asked = await team.editFiles(files, given(options));
    return asked.ok ? json(asked.value) : refusal([asked.error]);
  }),
  ...routesOf([answerCheck]),
];

/** The hub's repository, where it is that of the team. */
function repositoryOf({ services, team }: AskedOfTeam): HubRepository | Problem {
  if (services.repository !== null && services.hub.home === team.name) return services.repository;
  return makeProblem("repository-missing", team.name, "This hub looks into no repository for the team.", {
    hint: "Verify where its files are, or start the hub with `baton up --repository DIR` and without --no-verify.",
  });
}

function signalOf({ services, request }: AskedOfTeam): AbortSignal {
  return AbortSignal.any([services.stopping, request.signal]);
}

/*
 * Who one is to the hub: the owner's session in a browser, and which teams there are.
 */

const begin = hubOperation(
  {
    name: "beginSession",
    method: "post",
    path: "/api/session",
    says: "Exchanges the one-time code for the owner's session. The token of the owner of the only team does as well. The secret of a link to read is a session that reads until the link expires.",
    access: "open",
    body: z.strictObject({ code: z.string().max(200).optional(), share: z.string().max(200).optional() }),
    answers: {
      200: {
        says: "The session's secret, which the page shows in the header Baton-Session.",
        shape: z.object({ agent: z.string(), session: z.string(), expiresAt: z.string() }),
      },
    },
  },
  async ({ services, caller, body, address }) => {
    if (body.share !== undefined && body.code === undefined) {
      const reader = await readerOf(services, body.share);
      if (reader === null) return wrongCode(services, address, "$.share");
      if (!reader.ok) return refusal([reader.error]);
      const { agent, readsUntilMs = 0 } = reader.value;
      return json({ agent, session: body.share, expiresAt: expiryOf(services, readsUntilMs) });
    }
    const bought = body.code === undefined ? null : await services.sessions.exchange(body.code);
    const isOwner = caller?.agent === ownerName && caller.via === "token";
    const beyond = bought === null && isOwner ? await beyondReach(services, caller) : null;
    if (beyond !== null) return refusal([beyond]);
    const opened = bought ?? (isOwner ? await services.sessions.open() : null);
    if (opened === null && body.code === undefined && caller?.via === "token") return refusal([notTheOwner(caller)]);
    if (opened === null) return wrongCode(services, address, "$.code");
    const { id, session } = opened;
    return json({ agent: ownerName, session: id, expiresAt: expiryOf(services, session.expiresAtMs) });
  },
);

function notTheOwner({ agent }: Caller): Problem {
  return makeProblem("unauthenticated", "Authorization", `This credential proves ${agent}, not the owner.`, {
    hint: "`baton token create owner` makes the owner's token.",
  });
}

function wrongCode(services: HubServices, address: string, path: "$.code" | "$.share"): Response {
  const seconds = services.failures.secondsLeft(address);
  if (seconds > 0) return refusal([tooManyFailures(seconds)], { headers: { "retry-after": String(seconds) } });
  services.failures.count(address);
  const problem =
    path === "$.code"
      ? makeProblem("unauthenticated", path, "This code is wrong, used or too old.", {
          hint: "`baton start --link` prints a new URL; or use a token: `baton token create owner`.",
        })
      : makeProblem("unauthenticated", path, "This link has expired, was ended, or is wrong.", {
          hint: "Ask the person who owns the team for a new one.",
        });
  return refusal([problem]);
}

const look = onHubByHand(whoAmI, async (_, { services, caller }) => {
  if (caller === null) return refusal([]);
  const teams = await teamsOf(services, caller);
  if (!teams.ok) return refusal([teams.error]);
  const role = await roleOf(services, caller);
  if (!role.ok) return refusal([role.error]);
  const { agent, via, team, readsUntilMs, person = null } = caller;
  return json({
    agent,
    person,
    role: role.value,
    via,
    team,
    readOnlyUntil: readsUntilMs === undefined ? null : expiryOf(services, readsUntilMs),
    teams: teams.value,
    version: services.version,
    journal: services.hub.journal.condition(),
    operations: teamOperations.map(({ name }) => name),
  });
});

const end = onHubByHand(endSession, async (_, { services, caller }) => {
  const session = caller?.session ?? null;
  if (session !== null) await services.sessions.close(session);
  // A reader's link goes on for others; only its browser forgets it.
  return json({ ended: session !== null });
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

const sessionOperations: readonly Operation[] = [begin, look, end, teams];

/** Every operation of the hub, in the order of its document. */
export const operations: readonly Operation[] = [
  ...healthOperations,
  ...sessionOperations,
  ...messageOperations,
  ...recordOperations,
  ...routesOf(operationsBySubject.status),
  ...inboxOperations,
  ...routesOf(operationsBySubject.agents),
  ...routesOf(operationsBySubject.revisions),
  ...routesOf(operationsBySubject.breakers),
  ...routesOf(operationsBySubject.lanes),
  ...routesOf([listNeeds]),
  ...decisionOperations,
  ...routesOf(operationsBySubject.approvals),
  ...routesOf(operationsBySubject.contracts),
  ...routesOf(operationsBySubject.tasks),
  ...routesOf(operationsBySubject.asks),
  ...routesOf(operationsBySubject.remotes),
  ...verifyOperations,
  ...routesOf(operationsBySubject.commits),
  ...routesOf(operationsBySubject.receipts),
  ...routesOf(operationsBySubject.phases),
  ...routesOf(operationsBySubject.escalations),
  ...routesOf(operationsBySubject.handoffs),
  ...routesOf(operationsBySubject.shutdowns),
  ...routesOf(operationsBySubject.tokens),
  ...journalOperations,
];
