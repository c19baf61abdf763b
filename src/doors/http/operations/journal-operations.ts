/** The record itself, for the owner: its sizes, whether it is sound, a copy of it, and the way on after a loss. */
import { createReadStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { z } from "zod";
import { type TeamName, teamName } from "../../../base/ids.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { copyMediaType } from "../../../journal/engines.ts";
import type { Receipt } from "../../../journal/entry.ts";
import type { Hub } from "../../../perform/hub.ts";
import { operationId, receiptShape } from "../../../perform/operations/shapes.ts";
import { acceptLossOf, recordStats, statsJson } from "../../../record/handlers/record.ts";
import { backupJournal, exportJournal, journalStats, verifyJournal } from "../../../record/operations/entries.ts";
import { json, refusal, safeHeaders } from "../server/answers.ts";
import { onHubByHand } from "./defined-operations.ts";
import { beyondReach, hubOperation, type Operation } from "./operation.ts";

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

export const journalOperations: readonly Operation[] = [stats, verify, acceptLoss, exported, backup];
