/**
 * What commands print of what an operation shows: with `--json` a line a value, else text for people. An operation that
 * shows something registers its text here; layout is written by hand, for people. So is what a command adds to its line.
 */
import { invariant } from "../../../base/invariant.ts";
import type { Receipt } from "../../../journal/entry.ts";
import type { listApprovals } from "../../../operations/approvals.ts";
import type { ShownBy } from "../../../operations/define.ts";
import type { listEscalations } from "../../../operations/escalations.ts";
import type { CompleteTask } from "../../../operations/generated/calls.ts";
import type { Reply } from "../../../operations/reply.ts";
import type { listTasks, showBoard } from "../../../operations/tasks.ts";
import type { listTokens } from "../../../operations/tokens.ts";
import type { IssuedToken, Team } from "../../../runtime/team/team.ts";
import { approvalText } from "../overview/approval-text.ts";
import { escalationText } from "../overview/escalation-text.ts";
import { boardText, tasksText } from "../tasks/task-text.ts";
import { verdictToCome } from "../tasks/verdict-to-come.ts";
import { showToken, tokensText } from "../team/token-text.ts";
import type { Output } from "../terminal/output.ts";
import type { Paint } from "../terminal/paint.ts";
import type { Call } from "./command.ts";
import { type ExitCode, exitCodes } from "./exit-codes.ts";

/** How the answers of one call are printed. */
interface Presentation {
  /** What `--json` prints, a line each. */
  results(value: unknown): readonly unknown[];
  text(value: unknown, paint: Paint): string;
  /** The words for people where there are no results. */
  readonly none: string;
}

/** By the method of `Team`. */
const presentations: { readonly [call: string]: Presentation } = {
  approvals: listed<ShownBy<typeof listApprovals>>(
    (approvals, paint) => approvals.map((each) => approvalText(each, paint)).join("\n"),
    "No approval waits for an answer.",
  ),
  escalations: listed<ShownBy<typeof listEscalations>>(
    (escalations, paint) => escalations.map((each) => escalationText(each, paint)).join("\n"),
    "Nothing waits for a decision.",
  ),
  tasks: listed<ShownBy<typeof listTasks>>(
    tasksText,
    "No such task. A plan_contract brings tasks, or: baton task add 1-1-T1 --plan 1-1",
  ),
  board: single<ShownBy<typeof showBoard>>(boardText, (board) => ({ ...board, tasks: undefined })),
  tokens: listed<ShownBy<typeof listTokens>>(tokensText, "No tokens yet. Make one with: baton token create AGENT"),
};

/** How what comes with a receipt is printed, by the method of `Team`. */
const results: { readonly [call: string]: (come: never, receipt: Receipt, output: Output) => void } = {
  issueToken: (come: IssuedToken, receipt, output) => showToken(come, receipt, output),
};

/** Prints what came with the receipt of an accepted act. */
export function presentResult(call: string, come: object, receipt: Receipt, output: Output): ExitCode {
  const show = results[call];
  invariant(show !== undefined, `what comes of ${call} has its text`);
  show(come as never, receipt, output); // the call answers what its text takes
  return exitCodes.done;
}

/** What is added to the line about a recorded act, by the method of `Team`. */
const additions: { readonly [call: string]: Addition } = {
  // The call that an addition is registered for takes such an input.
  complete: (call, team, reply, input) => verdictToCome(call, team, reply, input as CompleteTask),
};

type Addition = (call: Call, team: Team, reply: Reply, input: object) => Promise<string>;

/** What a person must know in addition to the receipt; mostly nothing. */
export async function additionTo(name: string, ...about: Parameters<Addition>): Promise<string> {
  return (await additions[name]?.(...about)) ?? "";
}

/** Prints what the call has shown. */
export function present(call: string, value: unknown, output: Output): ExitCode {
  const presentation = presentations[call];
  invariant(presentation !== undefined, `what ${call} shows has its text`);
  const results = presentation.results(value);
  if (output.json) for (const each of results) output.result(each, () => null);
  else if (results.length > 0) output.raw(presentation.text(value, output.paint.stdout));
  if (results.length === 0) output.say(presentation.none);
  return exitCodes.done;
}

/** A list, a value a line of JSON. */
function listed<Values extends readonly unknown[]>(
  text: (values: Values, paint: Paint) => string,
  none: string,
): Presentation {
  // The call that a presentation is registered for answers such values, as the compiler holds by `ShownBy`.
  return { results: (value) => value as Values, text: (value, paint) => text(value as Values, paint), none };
}

/** One value, which is never nothing. `json`: what of it `--json` prints. */
function single<Value>(
  text: (value: Value, paint: Paint) => string,
  json: (value: Value) => unknown = (value) => value,
): Presentation {
  // As above.
  return { results: (value) => [json(value as Value)], text: (value, paint) => text(value as Value, paint), none: "" };
}
