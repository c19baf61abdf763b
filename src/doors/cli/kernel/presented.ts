/**
 * What commands print of what an operation shows: with `--json` a line a value, else formatted for people. An operation that
 * shows something registers its text here; layout is written by hand, for people. So is what a command adds to its line.
 * The function that formats it is loaded with the command.
 */

import type { listApprovals } from "../../../approvals/operations.ts";
import { invariant } from "../../../base/invariant.ts";
import { type JsonObject, jsonLine } from "../../../base/json.ts";
import type { Problem } from "../../../base/problem.ts";
import type { Result } from "../../../base/result.ts";
import type { listEscalations } from "../../../escalations/operations.ts";
import type { listAgentEvents, listBreakerEvents, listBreakers } from "../../../health/operations.ts";
import type { listNeeds } from "../../../needs/operations.ts";
import type { ShownBy } from "../../../perform/operations/define.ts";
import type { CompleteTask } from "../../../perform/operations/generated/calls.ts";
import type { Reply } from "../../../perform/operations/reply.ts";
import type { Team } from "../../../perform/team.ts";
import type { listRemotes } from "../../../remotes/operations.ts";
import type { listAsks } from "../../../tasks/operations/asks.ts";
import type { listTasks, showBoard } from "../../../tasks/operations/tasks.ts";
import type { listAgents } from "../../../team/operations/agents.ts";
import type { listShares, listTokens } from "../../../team/operations/tokens.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-codes.ts";
import type { Paint } from "../terminal/output.ts";
import type { Call } from "./command.ts";

/** How the answers of one call are printed. */
interface Presentation {
  /** What `--json` prints, a line each. */
  results(value: unknown): readonly unknown[];
  text(value: unknown, paint: Paint): Promise<string>;
  /** The words for people where there are no results. */
  readonly none: string;
  /** Those where nothing was asked for in particular; absent: `none`. */
  noneYet?(): Promise<string>;
}

/** A function that formats a value for people, loaded from its file. */
type Text<Value> = () => Promise<(value: Value, paint: Paint) => string>;

/** By the method of `Team`. */
const presentations: { readonly [call: string]: Presentation } = {
  agents: listed<ShownBy<typeof listAgents>>(
    async () => (await import("../../../team/text/agents-text.ts")).agentsText,
    "No agents yet. Add one with: baton agent register dev-1 --role dev",
  ),
  agentEvents: listed<ShownBy<typeof listAgentEvents>>(jsonLines, "Nothing has happened to agents."),
  breakerEvents: listed<ShownBy<typeof listBreakerEvents>>(jsonLines, "Nothing has happened to breakers."),
  breakers: listed<ShownBy<typeof listBreakers>>(async () => {
    const { breakerText } = await import("../../../team/text/agents-text.ts");
    return (breakers, paint) => breakers.map((each) => breakerText(each, paint)).join("\n");
  }, "No agents yet, so there is nothing to break."),
  approvals: listed<ShownBy<typeof listApprovals>>(async () => {
    const { approvalText } = await import("../../../needs/text/decision-text.ts");
    return (approvals, paint) => approvals.map((each) => approvalText(each, paint)).join("\n");
  }, "No agent has asked for an answer."),
  escalations: listed<ShownBy<typeof listEscalations>>(async () => {
    const { escalationText } = await import("../../../needs/text/decision-text.ts");
    return (escalations, paint) => escalations.map((each) => escalationText(each, paint)).join("\n");
  }, "Nothing was held up."),
  tasks: listed<ShownBy<typeof listTasks>>(
    async () => (await import("../../../tasks/text/task-text.ts")).tasksText,
    "No such task. A plan_contract brings tasks, or: baton task add 1-1-T1 --plan 1-1",
    async () => (await import("../../../tasks/text/task-text.ts")).noTasksYet,
  ),
  asks: listed<ShownBy<typeof listAsks>>(
    async () => (await import("../../../tasks/text/task-text.ts")).asksText,
    "Nobody has asked the team for anything.",
  ),
  remotes: listed<ShownBy<typeof listRemotes>>(
    async () => (await import("../../../team/text/agents-text.ts")).remotesText,
    "No remotes. The owner adds one: baton remote add NAME URL",
  ),
  board: single<ShownBy<typeof showBoard>>(
    async () => (await import("../../../tasks/text/task-text.ts")).boardText,
    (board) => ({ ...board, tasks: undefined }),
  ),
  shares: listed<ShownBy<typeof listShares>>(
    async () => (await import("../../../team/text/agents-text.ts")).sharesText,
    "No links yet. Make one with: baton token create --link",
  ),
  tokens: listed<ShownBy<typeof listTokens>>(
    async () => (await import("../../../team/text/agents-text.ts")).tokensText,
    "No tokens yet. Make one with: baton token create AGENT",
  ),
};

/** What is added to the line about a recorded act, by the method of `Team`. */
const additions: { readonly [call: string]: Addition } = {
  // The call that an addition is registered for takes such an input.
  complete: async (call, team, reply, input) =>
    (await import("../../../evidence/text/verdict-text.ts")).verdictToCome(call, team, reply, input as CompleteTask),
};

type Addition = (call: Call, team: Team, reply: Reply, input: object) => Promise<string>;

/** What a person must know in addition to the receipt; mostly nothing. */
export async function additionTo(name: string, ...about: Parameters<Addition>): Promise<string> {
  return (await additions[name]?.(...about)) ?? "";
}

/** What a command adds to what its operation shows, by the method of `Team`: with `--json` `json`, else `text`. */
const extensions: { readonly [call: string]: Extension } = {
  // The call that an extension is registered for shows such a value.
  needs: async (call, team, value) =>
    (await import("../../../needs/text/need-text.ts")).offeredNeeds(call, team, value as ShownBy<typeof listNeeds>),
};

type Extension = (
  call: Call,
  team: Team,
  value: unknown,
) => Promise<Result<{ readonly json: unknown; text(paint: Paint): string }, Problem>>;

/** Prints what the method `name` of `team` has shown for `input`. */
export async function present(call: Call, team: Team, name: string, value: unknown, input: object): Promise<ExitCode> {
  const { output } = call;
  const extend = extensions[name];
  if (extend !== undefined) {
    const shown = await extend(call, team, value);
    if (!shown.ok) return output.fail(shown.error);
    output.result(shown.value.json, () => shown.value.text(output.paint.stdout));
    return exitCodes.done;
  }
  const presentation = presentations[name];
  invariant(presentation !== undefined, `what ${name} shows has its text`);
  const results = presentation.results(value);
  if (output.json) for (const each of results) output.result(each, () => null);
  else if (results.length > 0) output.raw(await presentation.text(value, output.paint.stdout));
  if (results.length === 0) {
    const isFiltered = Object.values(input).some((each) => each !== undefined);
    output.say((isFiltered ? undefined : await presentation.noneYet?.()) ?? presentation.none);
  }
  return exitCodes.done;
}

/** What other programs read is the same with `--json` and without. */
async function jsonLines(): Promise<(values: readonly JsonObject[]) => string> {
  return (values) => values.map((each) => jsonLine(each)).join("\n");
}

/** A list, a value a line of JSON. */
function listed<Values extends readonly unknown[]>(
  text: Text<Values>,
  none: string,
  noneYet?: () => Promise<string>,
): Presentation {
  // The call that a presentation is registered for answers such values, as the compiler holds by `ShownBy`.
  return {
    results: (value) => value as Values,
    text: async (value, paint) => (await text())(value as Values, paint),
    none,
    ...(noneYet === undefined ? {} : { noneYet }),
  };
}

/** One value, which is never nothing. `json`: what of it `--json` prints. */
function single<Value>(text: Text<Value>, json: (value: Value) => unknown = (value) => value): Presentation {
  // As above.
  return {
    results: (value) => [json(value as Value)],
    text: async (value, paint) => (await text())(value as Value, paint),
    none: "",
  };
}
