/**
 * How the team's state is folded from the journal's entries, one after the other. The journal hands it to every attempt
 * and keeps snapshots of it.
 */
import { decodeState, encodeState } from "../base/state-codec.ts";
import { keepPresence } from "../escalations/view.ts";
import { readArchiveNotice } from "../journal/archive-notice.ts";
import type { Entry } from "../journal/entry.ts";
import type { Projection } from "../journal/journal.ts";
import { batonName } from "../messages/principal.ts";
import { planKeyOfReference } from "../messages/task-ids.ts";
import { keepRefusal, keepRefusedRequest } from "../needs/view/refusal-loops.ts";
import { keepFolded } from "../planning/handlers/folded-entries.ts";
import { keepSessions } from "../shutdown/decide/shutdown-rounds.ts";
import { keepLeftBehind } from "../shutdown/view/left-behind.ts";
import { keepDenied } from "../tasks/decide/contracts.ts";
import { endHolds } from "../tasks/state/task-state.ts";
import { evolveCredentials } from "../team/state/credentials.ts";
import { leaseMsOf, levelSilentMsOf, signsApartMsOf, unseenMsOf } from "../team/state/definition.ts";
import { evolveTeam } from "../team/state/revision.ts";
import { type Content, contentOf, effectsOf, refusalSentence, taskOfRefused } from "./content.ts";
import { evolveCoordination, keepPlans, partOf } from "./coordination-state.ts";
import { type Due, keepAct, keepRoster, nextDue } from "./expired-deadlines.ts";
import { initialState, type Mail, type TeamState } from "./state.ts";

/** Folds one entry into the state it is given, in place. */
export function evolve(state: TeamState, entry: Entry): TeamState {
  const content = effectsOf(entry);
  const { agent } = entry.principal;
  const isSeen = content.problems?.[0]?.code !== "session-replaced";
  state.counts[entry.kind] += 1;
  if (entry.kind === "refusal") keepRefused(state, entry, content);
  else if (entry.kind === "message" || entry.kind === "command") state.refusedRequests.delete(agent);
  if (isSeen) state.lastActs.set(agent, entry.recordedAt);
  for (const receiver of entry.receivers) mailOf(state, receiver).waiting.push(entry.seq);
  if (content.acknowledged !== undefined) acknowledge(mailOf(state, entry.principal.agent), content.acknowledged);
  if (content.team !== undefined) state.changed.set("team", entry.seq);
  for (const event of content.team ?? []) {
    state.team = evolveTeam(state.team, event);
    state.credentials = evolveCredentials(state.credentials, event);
  }
  if (content.team !== undefined) {
    keepRoster(state.coordination, (name) => sessionOf(state, name));
    keepSessions(state.coordination.shutdowns, (name) => sessionOf(state, name));
  }
  const { seq, recordedAt, aheadMs = 0 } = entry;
  const atMs = Date.parse(recordedAt);
  for (const event of content.events ?? []) {
    state.coordination = evolveCoordination(state.coordination, event);
    state.changed.set(partOf(event), seq);
    keepPlans(state.coordination, event, { department: entry.principal.department, atMs });
  }
  endHolds(state.coordination.work, atMs);
  keepLeftBehind(state, content.events ?? []);
  // A program that was replaced says nothing of its agent.
  const name = isSeen ? agent : batonName;
  const isLate = entry.kind === "refusal" || content.notes?.some(({ code }) => code === "no-open-request") === true;
  const isEnd = isLate || content.events?.some(({ event }) => event === "program-ended") === true;
  keepAct(state.coordination, { agent: name, session: sessionOf(state, name), seq, atMs: atMs - aheadMs, isEnd });
  keepPresence(state, content);
  // Nothing follows the entry with which a team leaves, unless the team continues here. An accepted loss is no sign of that.
  const { command } = content;
  if (command?.name === "leave-journal" && typeof command.to === "string") state.moved = command.to;
  else if (entry.kind !== "epoch") state.moved = null;
  keepArchive(state, entry);
  keepFolded(state, entry);
  return state;
}

function keepArchive(state: TeamState, entry: Entry): void {
  const notice = readArchiveNotice(entry);
  if (notice === null) return;
  if (notice.act === "archive-team") state.archived = { ...notice, seq: entry.seq, isGivenUp: false };
  if (notice.act === "restore-team") state.archived = null;
  if (notice.act === "drop-archived" && state.archived) state.archived = { ...state.archived, isGivenUp: true };
}

/** Only who is in the team can be in a loop that somebody ends. */
function keepRefused(state: TeamState, entry: Entry, { problems = [], refused, denial }: Content): void {
  const [first] = problems;
  const { agent } = entry.principal;
  if (first === undefined || !state.team.roster.has(agent)) return;
  const { code, path, message } = first;
  const atMs = Date.parse(entry.recordedAt) - (entry.aheadMs ?? 0);
  state.changed.set("refusals", entry.seq);
  const { type = null, same, unrecorded = 0 } = refused ?? {};
  const task = refused === undefined ? null : taskOfRefused(refused);
  const { seq } = entry;
  if (code === "outside-contract" && denial !== undefined && task !== null)
    keepDenied(state.coordination.contracts, { plan: planKeyOfReference(task), agent, paths: denial.paths });
  // Who edits what another holds only waits for it.
  const isWaiting = type === "edit-files" && (denial?.holder ?? null) !== null;
  if (denial?.tree === undefined && !isWaiting)
    keepRefusal(state.refusals, { agent, type, code, path, message, task, unrecorded, seq, atMs });
  if (denial?.tree !== undefined) {
    state.coordination.work.stays.set(agent, { ...denial.tree, seq });
    state.changed.set("work", seq);
  }
  if (same !== undefined) keepRefusedRequest(state.refusedRequests, { agent, same, unrecorded, seq, atMs });
}

/** The digest of this file with all that it imports, which the build puts in. */
declare const FOLD_DIGEST: string;

/** The projection that every journal is opened with. A snapshot that other code folded is not read, but folded anew. */
export const teamProjection: Projection<TeamState> = {
  version: typeof FOLD_DIGEST === "undefined" ? "source" : FOLD_DIGEST,
  initial: initialState,
  evolve,
  encode: (state) => encodeState(state),
  decode: (text) => decodeState(text) as TeamState,
  searched: searchedText,
  deadlines: { rule: "1", next: nextDueOf },
};

/** A team that continues in another journal, or is in an archive, has nothing due in this one. */
function nextDueOf({ team, coordination, moved, archived }: TeamState): number | null {
  return moved || archived ? null : nextDue(coordination, dueTermsOf(team.definition));
}

type DueTerms = Pick<Due, "silentMs" | "levelSilentMs" | "unseenMs">;

/** How long a holder, a program and a level of an escalation may be silent in this team, in milliseconds. */
export function dueTermsOf(definition: TeamState["team"]["definition"]): DueTerms {
  const known = definition === null ? undefined : termsKnown.get(definition);
  if (known !== undefined) return known;
  const terms = {
    // An agent's latest sign may be older than it seems by as much as lies between two that are kept.
    silentMs: leaseMsOf(definition) + signsApartMsOf(definition),
    levelSilentMs: levelSilentMsOf(definition),
    unseenMs: unseenMsOf(definition),
  };
  if (definition !== null) termsKnown.set(definition, terms);
  return terms;
}

/** Asked with every message. */
const termsKnown = new WeakMap<NonNullable<TeamState["team"]["definition"]>, DueTerms>();

/**
 * What a search of the record looks through: a message's words or what was refused, with the operation and the reasons that
 * its row shows, else the whole content. A change raises `indexForm` of `journal/searching.ts`.
 */
function searchedText(entry: Entry): string {
  const content = contentOf(entry);
  const { message, refused, command, problems = [] } = content;
  const text = message?.text ?? refused?.excerpt;
  if (text === undefined) return JSON.stringify(content);
  const reasons = problems.map((each) => `${refusalSentence(each)}\n${each.path}`);
  return [text, ...reasons, ...(command === undefined ? [] : [JSON.stringify(command)])].join("\n");
}

/** The session of an agent at work; null: nobody of that name is. */
function sessionOf({ team }: TeamState, agent: string): number | null {
  const member = team.roster.get(agent);
  return member?.status === "active" ? member.session : null;
}

function mailOf(state: TeamState, agent: string): Mail {
  const known = state.mail.get(agent);
  if (known !== undefined) return known;
  const mail: Mail = { acknowledged: 0, waiting: [] };
  state.mail.set(agent, mail);
  return mail;
}

function acknowledge(mail: Mail, upTo: number): void {
  if (upTo <= mail.acknowledged) return;
  mail.acknowledged = upTo;
  const first = mail.waiting.findIndex((seq) => seq > upTo);
  mail.waiting.splice(0, first === -1 ? mail.waiting.length : first);
}
