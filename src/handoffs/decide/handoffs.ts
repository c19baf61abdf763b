/**
 * Handoffs: an agent issues a document; one of those it is addressed to accepts it, with its files verified, or rejects
 * it with reasons; the agent that accepted or issued it reports when it is done. One answer counts. What happens to the
 * task's claim is `handoff-rules.ts`. Source: docs/protocol/phases.md, sections 12 to 14.
 */
import { argument } from "../../base/argument.ts";
import { unreachable } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shorten, shortList } from "../../base/text.ts";
import {
  fileProblem,
  filesToMake,
  filesToVerify,
  type HandoffBody,
  previousKey,
  unfitness,
  type VerifiedFiles,
} from "../../messages/handoff-body.ts";
import type { Note } from "../../messages/message.ts";
import { ownerName } from "../../messages/principal.ts";
import type { Role } from "../../messages/role.ts";
import { type Decided, type Decider, nothing } from "../../perform/decider.ts";
import {
  type AcceptHandoff,
  type CompleteHandoff,
  earlierHandoff,
  evolveHandoffs,
  type Handoff,
  type HandoffCommand,
  type HandoffEvent,
  type Handoffs,
  type IssueHandoff,
  isAddressee,
  lineUpTo,
  noHandoffs,
  type RejectHandoff,
} from "../state.ts";

type Outcome = Result<Decided<HandoffEvent>, readonly Problem[]>;

/**
 * Refuses `id-taken` (issuing under an id that is in use), `unknown-request`, `sender-not-authorised` (who is neither
 * addressed nor, for completing, the issuer), `already-answered`, `handoff-not-accepted`, `missing-field` (a rejection
 * without reasons), `not-verified`, and the problems of its files.
 */
export const handoffs: Decider<Handoffs, HandoffCommand, HandoffEvent> = {
  name: "handoffs",
  initial: noHandoffs,
  decide(command, state) {
    switch (command.command) {
      case "issue-handoff":
        return issue(command, state);
      case "accept-handoff":
        return accept(command, state);
      case "reject-handoff":
        return reject(command, state);
      case "complete-handoff":
        return complete(command, state);
      default:
        return unreachable(command);
    }
  },
  evolve: evolveHandoffs,
};

/** Most of the main instruction that is kept to tell a handoff by. */
const summaryCharactersMax = 200;

export function issue(command: IssueHandoff, state: Handoffs): Outcome {
  const { issuer, issuerRole, receivers, receiverRoles, body, digest, seq, atMs } = command;
  const { id, source_agent: source, target_agent: target, timestamp, workflow_id, task_id } = body.metadata;
  const known = state.all.get(id);
  if (known !== undefined) return issuedBefore(known, issuer, digest);
  const workflow = workflow_id ?? null;
  const task = task_id ?? null;
  const handoff = {
    id,
    issuer,
    issuerRole,
    source,
    target,
    receivers,
    workflow,
    task,
    summary: shorten(body.instructions.primary, summaryCharactersMax),
    timestamp,
    digest,
    files: filesToVerify(body).length,
    generated: filesToMake(body).length,
    unfit: unfitness(body),
    after: earlierHandoff(state, { agent: issuer, workflow, task }) ?? namedEarlier(state, body),
    seq,
    issuedAtMs: atMs,
  };
  const notes = unfitNotes(handoff);
  const roles = receiverRoles === undefined ? {} : { receiverRoles };
  return ok({
    events: [{ event: "handoff-issued", handoff, ...roles }],
    notes: [...notes, ...unprovenHistory(body, lineUpTo(state, handoff.after))],
  });
}

/** Id of the last handoff on record that the document names itself; null: it names none. */
function namedEarlier({ all }: Handoffs, { history }: HandoffBody): string | null {
  const named = new Set((history?.previous_handoffs ?? []).map(previousKey));
  const found = named.size === 0 ? [] : [...all.values()].filter((each) => named.has(keyOf(each)));
  return found.at(-1)?.id ?? null;
}

/** By what the document of a later one names it. */
function keyOf({ source, target, timestamp }: Handoff): string {
  return previousKey({ source_agent: source, target_agent: target, timestamp });
}

/** A note if the document names earlier handoffs that the record does not know. */
function unprovenHistory({ history }: HandoffBody, recorded: readonly Handoff[]): readonly Note[] {
  const known = new Set(recorded.map(keyOf));
  const unproven = (history?.previous_handoffs ?? []).filter((each) => !known.has(previousKey(each)));
  if (unproven.length === 0) return [];
  const named = shortList(unproven.map(({ source_agent: source, target_agent: target }) => `${source} to ${target}`));
  const message = `The document names earlier handoffs that are not in the record: ${named}. Nothing proves them.`;
  return [{ code: "history-unproven", path: "$.body.history", message }];
}

function issuedBefore({ id, issuer, digest: first, seq }: Handoff, by: string, digest: string): Outcome {
  if (issuer === by && first === digest)
    return nothing("already-so", `The handoff ${id} was issued before, at entry ${seq}.`);
  return err([
    makeProblem("id-taken", "$.body.metadata", `The handoff ${id} was issued by ${issuer}, at entry ${seq}.`, {
      expected: "an id that no handoff has",
      received: id,
      hint: "Give the new document a new id, or leave the id to `baton handoff issue`.",
    }),
  ]);
}

/** Whether this agent may accept the handoff as it is, whatever its files. Null: it may. */
export function acceptanceProblem(
  state: Handoffs,
  { id, by, role }: Pick<AcceptHandoff, "id" | "by" | "role">,
): Problem | null {
  const known = state.all.get(id);
  if (known === undefined) return unknownHandoff(id);
  return (
    receiverProblem(known, by, role) ??
    roleProblem(known, state.roles.get(id)?.[by], { by, role }) ??
    answeredProblem(known)
  );
}

/** A handoff is meant for the agent in the role that it had: an agent with another role since then cannot accept it. */
function roleProblem(
  { id, issuer }: Handoff,
  meant: Role | undefined,
  { by, role }: { readonly by: string; readonly role: Role | null | undefined },
): Problem | null {
  if (meant === undefined || role === undefined || role === meant) return null;
  return makeProblem(
    "sender-not-authorised",
    id,
    `${id} was handed to ${by} as ${meant}, and ${by} is ${role ?? "no agent"} now.`,
    {
      expected: meant,
      received: role ?? "none",
      hint: `Ask ${issuer} to issue it again to an agent that is ${meant}.`,
    },
  );
}

export function accept({ id, by, role, verified, claim, seq, atMs }: AcceptHandoff, state: Handoffs): Outcome {
  const known = state.all.get(id);
  if (known?.acceptance?.by === by)
    return nothing("already-so", `You accepted ${id} before, at entry ${known.acceptance.seq}.`);
  const problem = acceptanceProblem(state, role === undefined ? { id, by } : { id, by, role });
  if (problem !== null || known === undefined) return err([problem ?? unknownHandoff(id)]);
  const problems = verificationProblems(known, verified, known.files);
  if (problems.length > 0) return err(problems);
  const { files, weak } = verified ?? { files: 0, weak: 0 };
  const { task = null, token = null } = claim ?? {};
  const accepted = { event: "handoff-accepted", id, by, files, weak, task, token, seq, atMs } as const;
  return ok({ events: [accepted], notes: unfitNotes(known) });
}

export function reject({ id, by, role, reasons, seq, atMs }: RejectHandoff, state: Handoffs): Outcome {
  const known = state.all.get(id);
  if (known?.rejection?.by === by)
    return nothing("already-so", `You rejected ${id} before, at entry ${known.rejection.seq}.`);
  if (known === undefined) return err([unknownHandoff(id)]);
  // The person ends what waits for nobody.
  const problem = (by === ownerName ? null : receiverProblem(known, by, role)) ?? answeredProblem(known);
  if (problem !== null) return err([problem]);
  const given = reasons.map((reason) => reason.trim()).filter((reason) => reason !== "");
  if (given.length === 0) return err([noReasons]);
  return ok({ events: [{ event: "handoff-rejected", id, by, reasons: given, seq, atMs }], notes: [] });
}

export function complete({ id, by, verified, seq, atMs }: CompleteHandoff, state: Handoffs): Outcome {
  const known = state.all.get(id);
  if (known === undefined) return err([unknownHandoff(id)]);
  if (known.completion !== null)
    return nothing("already-so", `${id} was completed before, at entry ${known.completion.seq}.`);
  const { acceptance, issuer, status } = known;
  if (acceptance === null) {
    return err([
      makeProblem("handoff-not-accepted", id, `${id} is ${status}, and only what was accepted can be completed.`, {
        expected: "accepted",
        received: status,
        hint: status === "rejected" ? "Issue it again, mended, under a new id." : "Accept it first.",
      }),
    ]);
  }
  if (![acceptance.by, issuer, ownerName].includes(by)) return err([notYours(known, by, [acceptance.by, issuer])]);
  const problems = verificationProblems(known, verified, known.generated);
  if (problems.length > 0) return err(problems);
  return ok({ events: [{ event: "handoff-completed", id, by, seq, atMs }], notes: [] });
}

function verificationProblems(known: Handoff, verified: VerifiedFiles | null, files: number): readonly Problem[] {
  // Where there is nothing to look at, nobody has to look.
  if (verified === null) return files === 0 ? [] : [notVerified(known, "Nobody looked at its files.")];
  if (verified.digest !== known.digest)
    return [notVerified(known, "What was verified is not the document that was issued: it was changed since.")];
  if (verified.files !== files && verified.failed.length === 0)
    return [notVerified(known, `${verified.files} of its ${files} files were looked at.`)];
  return verified.failed.map((file) => fileProblem(file));
}

function notVerified({ id }: Handoff, message: string): Problem {
  return makeProblem("not-verified", id, message, {
    expected: "every file of the issued document, looked at where the work goes on",
    hint: `\`baton handoff accept ID\` verifies first; the caller that checked the files passes the result with \`${argument("verified")}\`.`,
  });
}

function receiverProblem(known: Handoff, by: string, role: Role | null | undefined): Problem | null {
  return isAddressee(known, by, role) ? null : notYours(known, by, known.receivers);
}

function notYours({ id }: Handoff, by: string, those: readonly string[]): Problem {
  return makeProblem("sender-not-authorised", id, `${by} has no say in the handoff ${id}.`, {
    expected: shortList([...new Set(those)]),
    received: by,
    hint: "Only those it is addressed to accept a handoff; they or the person reject it, and its issuer too completes it.",
  });
}

function answeredProblem({ id, acceptance, rejection }: Handoff): Problem | null {
  const answer = acceptance ?? rejection;
  if (answer === null) return null;
  const word = acceptance === null ? "rejected" : "accepted";
  return makeProblem("already-answered", id, `${answer.by} ${word} the handoff ${id}, at entry ${answer.seq}.`, {
    hint: word === "rejected" ? "Its issuer issues it again, mended, under a new id." : "One answer counts.",
  });
}

/** That the work is handed over to be repaired: the document itself says what is wrong. */
function unfitNotes({ unfit }: Pick<Handoff, "unfit">): readonly Note[] {
  if (unfit.length === 0) return [];
  const message = `The document says ${shortList(unfit)}: it is handed over for repair.`;
  return [{ code: "handoff-unfit", path: "$.body.validation", message }];
}

/** The refusal of a handoff that nobody issued. */
export function unknownHandoff(id: string): Problem {
  return makeProblem("unknown-request", id, `There is no handoff "${shorten(id, summaryCharactersMax)}".`, {
    received: id.slice(0, summaryCharactersMax).toWellFormed(),
    hint: "`baton handoff list --all` shows those that were issued.",
  });
}

const noReasons = makeProblem("missing-field", argument("reasons"), "A rejection says why, and this one does not.", {
  expected: "at least one reason",
  hint: 'Say what is wrong, such as "the story has no acceptance criteria".',
});
