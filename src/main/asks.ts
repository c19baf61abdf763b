/**
 * Agents that ask through the journal's servers instead of a hub: each ask is sent to the team as the agent whom the
 * servers' permissions prove, and the answer says whether it is recorded.
 * Source: docs/protocol/record.md, section 18.
 */

import { messageId, teamName } from "../base/ids.ts";
import { isJsonObject, parseBounded } from "../base/json.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import type { HubLog } from "../doors/http/index.ts";
import { type Ask, hearAsks } from "../journal/engines.ts";
import { guestProblem } from "../messages/authority/roster-rights.ts";
import { ownerName } from "../messages/principal.ts";
import type { Hub } from "../perform/hub.ts";
import type { Reply } from "../perform/operations/reply.ts";
import { retiredProblem } from "../team/view/session-endings.ts";

/** Answers asks until `signal` aborts; nothing where the journal's engine takes none. */
export async function answerAsks(hub: Hub, journal: string, log: HubLog, signal: AbortSignal): Promise<void> {
  let told: string | null = null;
  const changed = (problem: Problem | null) => {
    if (problem !== null && problem.code !== told)
      log.warn({ code: problem.code, why: problem.message }, "agents cannot ask through the journal's servers");
    if (problem === null && told !== null) log.info({}, "agents can ask through the journal's servers");
    told = problem?.code ?? null;
  };
  await hearAsks(journal, (ask) => replyTo(hub, ask), changed, signal);
}

async function replyTo(hub: Hub, { team: name, agent, type, id, message }: Ask): Promise<Reply> {
  if (typeOf(message) !== type) return refused(otherType(type));
  if (id !== null && messageId(id) === null) return refused(wrongId);
  const barred = await barredFrom(hub, name, agent);
  if (barred !== null) return refused(barred);
  const team = await hub.team(name, { agent, via: "token" });
  if (!team.ok) return refused(team.error);
  await using working = team.value;
  return await working.send(message, id === null ? {} : { id });
}

/**
 * Why this agent may not ask: only members of the team may, and no guests. One that has left is answered here, as other
 * doors refuse its token: the servers let its user in until they read their configuration again. Null: it may.
 */
async function barredFrom(hub: Hub, name: string, agent: string): Promise<Problem | null> {
  const team = teamName(name);
  const folded = team === null ? null : await hub.journal.state(team);
  if (folded?.ok === false) return folded.error;
  const role = folded?.value.state.team.roster.get(agent)?.role ?? null;
  if (folded === null || role === null || agent === ownerName) return notAMember;
  const left = retiredProblem(folded.value.state, agent);
  if (left !== null) return left;
  return guestProblem({ agent, role }, null);
}

const notAMember = makeProblem("sender-not-authorised", "ask", "Only agents of the team may ask.", {
  hint: "The person speaks to a hub or by the command.",
});

/** The type that the message says; null: it is no JSON object, or says none. */
function typeOf(data: Uint8Array): string | null {
  const read = parseBounded(Buffer.from(data).toString("utf8"));
  const type = read.ok && isJsonObject(read.value) ? read.value.type : null;
  return typeof type === "string" ? type : null;
}

function refused(reason: Problem): Reply {
  return { outcome: "refused", receipt: null, problems: [reason], notes: [] };
}

const wrongId = makeProblem("invalid-id", "ask", "This is not an id of a message.", {
  expected: "1 to 128 of A-Z a-z 0-9 . _ : / @ -",
});

function otherType(expected: string): Problem {
  return makeProblem("sender-not-authorised", "$.type", "The subject is for messages of another type.", {
    expected,
    hint: "Send the message itself, as JSON, on the subject of its type.",
  });
}
