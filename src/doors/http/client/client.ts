/**
 * The client of a hub: speaks to one as the token's agent. Loaded only for a hub, so that commands on a journal of this
 * machine never pay for it. It has a hub's teams and its record.
 */

import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { argument } from "../../../base/argument.ts";
import { systemClock } from "../../../base/clock.ts";
import type { TeamName } from "../../../base/ids.ts";
import { parseBounded } from "../../../base/json.ts";
import { entryBytesMax } from "../../../base/limits.ts";
import { makeProblem, type Problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { anchorPath, writeAnchors } from "../../../journal/anchor-file.ts";
import { copyMediaType } from "../../../journal/engines.ts";
import type { Entry, Head, Receipt } from "../../../journal/entry.ts";
import type { JournalCondition } from "../../../journal/journal.ts";
import type { HubAddress, HubConnection } from "../../../perform/hub-connection.ts";
import { answerForms } from "../../../perform/operations/generated/answers.ts";
import { type JournalRecord, statsOfJson } from "../../../record/handlers/record.ts";
import { type Asked, actOf, type Caller, newCaller, ofForm, openAnswer } from "./client-caller.ts";
import { askedByHand, questionOf } from "./client-calls.ts";
import { readHubUrl, readPart } from "./client-exchange.ts";
import { notAHub, otherIdentity, tokenMalformed, tokenMissing, unread } from "./client-problems.ts";
import { remoteTeam } from "./client-team.ts";

/** Asks the hub who the caller is; see `ConnectHub` for what it refuses. */
export async function connectHub(address: HubAddress): Promise<Result<HubConnection, Problem>> {
  const hub = readHubUrl(address.url);
  if (!hub.ok) return hub;
  if (address.token === null) return err(tokenMissing());
  // What a header cannot hold is refused here: the error of the attempt would show it.
  if (!/^[A-Za-z0-9._~+/-]{1,200}=*$/.test(address.token)) return err(tokenMalformed());
  if (hub.value.isOpenOnTheWay) {
    address.say(`warning: ${hub.value.shown} is not encrypted, so others on the way can read the token. Use https.`);
  }
  const { token, program, answerMsMax } = address;
  const speaks = program === undefined ? {} : { program };
  const hurry = answerMsMax === undefined ? {} : { answerMsMax };
  const caller = newCaller({ hub: hub.value, token, ...speaks, ...hurry, clock: systemClock }, address.signal);
  // A hub that was never there is reported at once; one that was there is waited for.
  const session = await caller.ask({
    ...askedByHand("whoAmI", {}),
    retriesMax: 1,
  });
  if (!session.ok) return err(session.error.problems[0]);
  const { agent, teams, journal: condition = { condition: "ready" }, operations = null, version } = session.value;
  if (address.agent !== null && address.agent !== agent) return err(otherIdentity(agent, address.agent));
  return ok({
    agent,
    teams,
    team: () => {
      const team = chooseTeam(address.team ?? session.value.team, teams);
      if (!team.ok) return team;
      const actor = { agent, via: "token", ...speaks } as const;
      const known = operations === null ? null : { version: version ?? "another", operations: new Set(operations) };
      return ok(remoteTeam(caller, { team: team.value, actor, condition, known, say: (words) => address.say(words) }));
    },
    record: () => remoteRecord(caller, condition, address.signal),
  });
}

/** The team that is meant, as `openTeam` chooses one. */
function chooseTeam(asked: string | null, teams: readonly TeamName[]): Result<TeamName, Problem> {
  const [only] = teams;
  if (asked === null && only !== undefined && teams.length === 1) return ok(only);
  if (asked === null) {
    const problem = only === undefined ? "The hub holds no team yet." : "The hub holds several teams.";
    const hint =
      only === undefined ? "Run `baton init` where its journal lies." : `Name one of them: ${teams.join(", ")}.`;
    return err(makeProblem("unknown-team", argument("team"), problem, { hint }));
  }
  const found = teams.find((team) => team === asked);
  if (found !== undefined) return ok(found);
  return err(
    makeProblem("unknown-team", asked, `There is no team "${asked}" here.`, {
      expected: teams.join(" | ") || "no team yet",
      hint: "A token is for one team; use a token of that team.",
    }),
  );
}

/*
 * The record of a hub's journal: what `journal verify` and its like need, over HTTP. The owner's only, which the hub
 * decides. Long answers are taken as streams, a line or a block at a time.
 */

/** Recomputing a large journal takes its time. */
const verifyMsMax = 15 * 60_000;
const entryLimits = { bytesMax: entryBytesMax, depthMax: 64, nodesMax: 1_000_000 };

/** The record over `caller`, whose journal was in `condition` when it was reached. `stop` ends what only reads. */
function remoteRecord(caller: Caller, condition: JournalCondition, stop: AbortSignal): JournalRecord {
  const stats = async () => {
    const found = await asking(caller, askedByHand("journalStats", {}));
    return found.ok ? ok(statsOfJson(found.value)) : found;
  };
  return {
    condition: () => condition,
    async teams() {
      const found = await stats();
      return found.ok ? ok(found.value.teams.map(({ team }) => team)) : found;
    },
    stats,
    verify: ({ presented, signal }) => {
      const asked = askedByHand("verifyJournal", presented.length === 0 ? {} : { presented });
      return asking(caller, { ...asked, isRead: true, extraMs: verifyMsMax, retriesMax: 1 }, signal);
    },
    entries: (team) => entriesOf(caller, team, stop),
    acceptLoss: (team, reason, { id } = {}) =>
      asking(caller, {
        ...actOf(["api", "journal", "accept-loss"], { team, reason }, id),
        shape: ofForm<Receipt>("@Receipt"),
      }),
    async backup(file) {
      // The heads are asked for first: what comes in between makes the copy longer than its anchor, never shorter.
      const heads = await stats();
      if (!heads.ok) return heads;
      const begun = await openAnswer(caller, questionOf("backupJournal", {}), copyMediaType, stop);
      if (!begun.ok) return begun;
      const headOf = new Map(heads.value.teams.map(({ team, head }) => [team, head]));
      const broken = () => unread(caller.wire.hub.shown, "the connection broke in the middle of the copy", stop);
      return saveCopy(begun.value, file, headOf, broken);
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

async function asking<Value>(
  caller: Caller,
  asked: Asked<Value>,
  signal?: AbortSignal,
): Promise<Result<Value, Problem>> {
  const came = await caller.ask(asked, signal);
  return came.ok ? came : err(came.error.problems[0]);
}

/** The lines of an export, each read by itself; one that breaks off ends it with a problem. */
async function* entriesOf(caller: Caller, team: TeamName, stop: AbortSignal): AsyncIterable<Result<Entry, Problem>> {
  const hub = caller.wire.hub.shown;
  const begun = await openAnswer(caller, questionOf("exportJournal", { team }), "application/x-ndjson", stop);
  if (!begun.ok) {
    yield begun;
    return;
  }
  const reader = begun.value.getReader();
  let held: Uint8Array = new Uint8Array();
  for (;;) {
    const part = await readPart(reader);
    if (part === "broken" || (part === "ended" && held.byteLength > 0)) {
      yield err(unread(hub, "the connection broke in the middle of the export", stop));
      return;
    }
    if (part === "ended") return;
    const bytes = held.byteLength === 0 ? part : Buffer.concat([held, part]);
    let from = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, from)) {
      const entry = entryOf(hub, bytes.subarray(from, end));
      yield entry;
      if (!entry.ok) return;
      from = end + 1;
    }
    held = bytes.subarray(from);
    if (held.byteLength > entryBytesMax) {
      yield err(notAHub(hub, "a line of its export does not end"));
      return;
    }
  }
}

const isEntry = ofForm<Entry>(answerForms.exportJournal);

function entryOf(hub: string, line: Uint8Array): Result<Entry, Problem> {
  const parsed = parseBounded(line, entryLimits);
  if (parsed.ok && isEntry(parsed.value)) return ok(parsed.value);
  return err(notAHub(hub, "a line of its export is no entry"));
}

/* A copy of a hub's journal, saved on this machine with its anchor. It is there whole or not at all. */

/**
 * Writes the stream to `file` and the heads to its anchor. Refuses `already-exists` if one of them exists, what
 * `broken` says when the stream breaks off, and what the file system refuses.
 */
async function saveCopy(
  body: ReadableStream<Uint8Array>,
  file: string,
  heads: ReadonlyMap<TeamName, Head>,
  broken: () => Problem,
): Promise<Result<void, Problem>> {
  const taken = [file, anchorPath(file)].find((path) => existsSync(path));
  if (taken !== undefined) {
    await body.cancel();
    const hint = "Name a new file.";
    return err(
      makeProblem("already-exists", taken, "There is a file here already; a backup never overwrites one.", { hint }),
    );
  }
  const draft = `${file}.part`;
  try {
    const isWhole = await writeDraft(draft, body);
    if (!isWhole) return err(broken());
    const anchored = writeAnchors(anchorPath(file), heads);
    if (anchored.ok) renameSync(draft, file);
    return anchored;
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : null;
    if (reason === null) throw cause;
    const code = reason === "ENOSPC" || reason === "EDQUOT" ? "journal-full" : "journal-cannot-open";
    return err(
      makeProblem(code, file, "The copy cannot be written here.", { received: reason, hint: "Name another place." }),
    );
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Whether everything came. */
async function writeDraft(draft: string, body: ReadableStream<Uint8Array>): Promise<boolean> {
  const reader = body.getReader();
  const descriptor = openSync(draft, "w", 0o600);
  try {
    for (;;) {
      const part = await readPart(reader);
      if (part === "broken") return false;
      if (part === "ended") break;
      for (let at = 0; at < part.byteLength; ) at += writeSync(descriptor, part, at);
    }
    fsyncSync(descriptor);
    return true;
  } finally {
    closeSync(descriptor);
  }
}
