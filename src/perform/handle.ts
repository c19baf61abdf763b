/**
 * The handle that doors hold: a team bound to one actor, each call a row. What a call needs is loaded when it is first made:
 * a command that looks at its mail does not load how a phase ends. A hub makes a handle for each credential over the same
 * journal, the command line one for its process.
 */

import type { AskPermissions } from "../evidence/services/gate.ts";
import { type Actor, type Context, type TeamContext, withDialects } from "./context.ts";
import { aliveWhile, heartbeat } from "./heartbeat.ts";
import type { Named } from "./operations/generated/calls.ts";
import { plain, spoken } from "./operations/generated/performed.ts";
import type { Reply } from "./operations/reply.ts";
import { type On, type Operation, perform } from "./perform.ts";
import { entryOf } from "./reply.ts";
import type { LocalTeam, SendOptions } from "./team.ts";
import { fireDue, keepDeadlineIndex } from "./timers.ts";

/** What is loaded by need. Node's loader is asked once for each: asking it costs more than reading a message. */
const parts = {
  approvals: once(() => import("../approvals/handlers.ts")),
  answering: once(() => import("../mail/handlers/answer.ts")),
  artifacts: once(() => import("../evidence/handlers/artifact-verdicts.ts")),
  askList: once(() => import("../tasks/view/ask-list.ts")),
  board: once(() => import("../tasks/view/task-list.ts")),
  commits: once(() => import("../evidence/handlers/commit-view.ts")),
  dialects: once(() => import("./team-dialects.ts")),
  edits: once(() => import("../evidence/handlers/edit-taking.ts")),
  effects: once(() => import("../needs/handlers/approval-effect.ts")),
  entries: once(() => import("../record/view/entry-lookup.ts")),
  escalations: once(() => import("../escalations/handlers.ts")),
  fixes: once(() => import("../phases/services/fixes.ts")),
  folders: once(() => import("../planning/handlers/folder-changes.ts")),
  gate: once(() => import("../evidence/services/gate.ts")),
  handoffs: once(() => import("../handoffs/handlers/handoffs.ts")),
  health: once(() => import("../health/view/health-views.ts")),
  healthRecord: once(() => import("../health/handlers.ts")),
  inspection: once(() => import("../shutdown/services/shutdown-inspection.ts")),
  landing: once(() => import("../landing/services/landing.ts")),
  lanes: once(() => import("../record/view/lanes.ts")),
  log: once(() => import("../record/view/log.ts")),
  mail: once(() => import("../mail/handlers/inbox.ts")),
  messages: once(() => import("../mail/handlers/receive.ts")),
  needs: once(() => import("../needs/handlers/needs.ts")),
  past: once(() => import("./past-looks.ts")),
  phases: once(() => import("../phases/handlers.ts")),
  passing: once(() => import("../shutdown/services/shutdown-passing.ts")),
  programs: once(() => import("../team/handlers/programs.ts")),
  receipts: once(() => import("../receipts/handlers.ts")),
  reassignment: once(() => import("../tasks/handlers/reassignment.ts")),
  remotes: once(() => import("../remotes/handlers.ts")),
  resuming: once(() => import("../team/handlers/resuming.ts")),
  restoring: once(() => import("./restoring.ts")),
  rounds: once(() => import("../shutdown/services/shutdown-certificate.ts")),
  status: once(() => import("../team/handlers/status.ts")),
  tags: once(() => import("../team/view/view-tags.ts")),
  tasks: once(() => import("../tasks/handlers/tasks.ts")),
  tokens: once(() => import("../team/handlers/credentials.ts")),
};

function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | null = null;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** What the rows of the table need. */
interface Handle extends On<TeamContext> {
  /** The context with the dialects, which are loaded when first needed. */
  speaking(): Promise<Context>;
  /** Closes what the handle's owner opened. */
  close(): Promise<void>;
}

type Load<Part> = () => Promise<Part>;
/** A subject's function in its part. */
type Of<Part, Known, Given extends readonly unknown[], Value> = (
  part: Part,
) => (context: Known, actor: Actor, ...given: Given) => Promise<Value>;
type Calls<Given extends readonly unknown[], Value> = (handle: Handle) => (...given: Given) => Promise<Value>;

/** A call that needs the journal only. */
function call<Part, Given extends readonly unknown[], Value>(
  part: Load<Part>,
  of: Of<Part, TeamContext, Given, Value>,
): Calls<Given, Value> {
  return ({ context, actor }) =>
    async (...given) =>
      of(await part())(context, actor, ...given);
}

/** A call that reads or writes messages in the team's dialects. */
function talk<Part, Given extends readonly unknown[], Value>(
  part: Load<Part>,
  of: Of<Part, Context, Given, Value>,
): Calls<Given, Value> {
  return ({ speaking, actor }) =>
    async (...given) =>
      of(await part())(await speaking(), actor, ...given);
}

/** A view of the work, with every deadline that has passed in it. */
function view<Part, Given extends readonly unknown[], Value>(
  part: Load<Part>,
  of: Of<Part, Context, Given, Value>,
): Calls<Given, Value> {
  return ({ context, speaking, actor }) =>
    async (...given) => {
      await fireDue(context);
      return of(await part())(await speaking(), actor, ...given);
    };
}

/** The same of a view that shows no messages. */
function plainView<Part, Given extends readonly unknown[], Value>(
  part: Load<Part>,
  of: Of<Part, TeamContext, Given, Value>,
): Calls<Given, Value> {
  return ({ context, actor }) =>
    async (...given) => {
      await fireDue(context);
      return of(await part())(context, actor, ...given);
    };
}

/** An operation by its call, as it is found. */
type Performed<Table> = {
  readonly [Call in keyof Table & keyof LocalTeam]: (handle: Handle) => LocalTeam[Call];
};

/** The operation behind a call of this type. */
type OperationOf<Call> = Call extends (input: infer Input, options?: Named) => Promise<Reply<infer More>>
  ? Operation<NonNullable<Input>, Context, More>
  : never;

type Operations = { readonly [Call in keyof LocalTeam]?: () => Promise<OperationOf<LocalTeam[Call]>> };

function performed<Table extends { readonly [call: string]: () => Promise<unknown> }>(
  table: Table,
  contextOf: (handle: Handle) => TeamContext | Promise<Context>,
): Performed<Table> {
  const rows = Object.entries(table).map(([call, load]) => {
    const loaded = once(load);
    const row =
      (handle: Handle) =>
      async (input: object = {}, { id }: Named = {}) => {
        const context = await contextOf(handle);
        return perform({ context, actor: handle.actor }, (await loaded()) as Operation<object, TeamContext>, input, id);
      };
    return [call, row];
  });
  return Object.fromEntries(rows) as Performed<Table>; // The operation of a call takes its input and gives its reply.
}

/** The calls whose operation is data, which a handler exports under the name of its definition. */
const operations = {
  ...performed(plain satisfies Operations, ({ context }) => context),
  ...performed(spoken satisfies Operations, ({ speaking }) => speaking()),
};

/**
 * The reply with verdicts, where reports are checked as soon as they are recorded. A message that brought nothing about has
 * none, so for that the rules and dialects are not loaded.
 */
async function judged({ context, actor, speaking }: Handle, reply: Reply): Promise<Reply> {
  if (context.judgesAt === undefined || reply.outcome !== "accepted") return reply;
  const entry = await entryOf(context, reply.receipt.seq);
  if (entry.ok && entry.value.command === undefined && entry.value.events === undefined) return reply;
  return (await parts.artifacts()).withVerdicts(await speaking(), actor, reply);
}

/** What an agent may change, with every deadline that has passed in it. */
function permissionsFor({ context, speaking }: Handle): AskPermissions {
  return async (asked) => {
    await fireDue(context);
    return (await parts.gate()).permissions(await speaking(), asked);
  };
}

/** Every call of a team, by its name. */
const rows: { readonly [Name in keyof LocalTeam]: (handle: Handle) => LocalTeam[Name] } = {
  ...operations,
  name: ({ context }) => context.team,
  actor: ({ actor }) => actor,
  condition:
    ({ context }) =>
    () =>
      context.journal.condition(),
  send: (handle) => async (text, options) => judged(handle, await send(handle, text, options)),
  inbox: plainView(
    parts.mail,
    (m) =>
      (context, actor, options = {}) =>
        aliveWhile(context, actor, options, () => m.inbox(context, actor, options)),
  ),
  heartbeat:
    ({ context, actor }) =>
    () =>
      heartbeat(context, actor),
  attend: call(parts.programs, (m) => m.attend),
  leave: call(parts.programs, (m) => m.leave),
  refuseProgram: call(parts.programs, (m) => m.refuseProgram),
  seen: call(parts.mail, (m) => m.markSeen),
  shown: call(parts.mail, (m) => m.markShown),
  acknowledge: call(parts.mail, (m) => m.acknowledge),
  log: ({ context }) =>
    async function* (options) {
      yield* (await parts.log()).log(context, options);
    },
  follow: ({ context }) =>
    async function* (options) {
      yield* (await parts.log()).followLines(context, options);
    },
  logPage: call(parts.log, (m) => (context, _, options) => m.logPage(context, options)),
  show: call(parts.entries, (m) => (context, _, key, options) => m.show(context, key, options)),
  status:
    ({ context }) =>
    async () => {
      await keepDeadlineIndex(context, await fireDue(context));
      return (await parts.status()).status(context);
    },
  agents: view(parts.status, (m) => m.agents),
  approvals: plainView(parts.status, (m) => (context, _, wanted) => m.approvals(context, wanted)),
  contracts: call(parts.status, (m) => m.contracts),
  answer: view(parts.answering, (m) => m.answer),
  tasks: plainView(parts.board, (m) => m.tasks),
  board: view(parts.board, (m) => m.board),
  summary: view(
    parts.board,
    (m) =>
      (context, actor, { plan }) =>
        m.summary(context, actor, plan),
  ),
  ask: (handle) => async (input, options) => {
    if (input.paths === undefined) return await operations.ask(handle)(input, options);
    return await talk(parts.answering, (m) => m.askLeave)(handle)(input, options);
  },
  task: view(parts.past, (m) => m.taskLook),
  claim: call(parts.tasks, (m) => m.claim),
  complete: (handle) => async (input, options) => judged(handle, await operations.complete(handle)(input, options)),
  reassign: call(parts.reassignment, (m) => m.reassign),
  permissions: permissionsFor,
  judgeStaged: (handle) => async (place, agent) =>
    (await parts.gate()).judgeStaged(permissionsFor(handle), place, agent),
  judgeRange: (handle) => async (place, range, who) =>
    (await parts.gate()).judgeRange(permissionsFor(handle), place, range, who),
  editFiles: view(parts.edits, (m) => m.editFiles),
  resumeAgents: call(parts.resuming, (m) => m.resumeAgents),
  passAgents: call(parts.passing, (m) => m.passAgents),
  inspectRounds: talk(parts.inspection, (m) => m.inspectRounds),
  verifyArtifacts: view(parts.artifacts, (m) => m.artifactVerdicts),
  verify: view(parts.fixes, (m) => m.verifyWithFixes),
  land: call(parts.landing, (m) => m.land),
  escalations: plainView(parts.escalations, (m) => (context, _, options) => m.escalations(context, options)),
  phases: view(parts.phases, (m) => (context, _, options) => m.phases(context, options)),
  shutdowns: plainView(parts.rounds, (m) => (context, _, options) => m.shutdowns(context, options)),
  breakers: view(parts.health, (m) => m.breakers),
  agentEvents: view(parts.healthRecord, (m) => (context) => m.healthRecord(context, "health")),
  breakerEvents: view(parts.healthRecord, (m) => (context) => m.healthRecord(context, "breaker")),
  handoff: plainView(parts.handoffs, (m) => m.handoff),
  handoffs: plainView(parts.handoffs, (m) => m.handoffs),
  handoffsBefore: plainView(parts.handoffs, (m) => m.handoffsBefore),
  asks: view(parts.askList, (m) => m.listAsks),
  remotes: call(parts.remotes, (m) => m.remotes),
  remoteWork: call(parts.remotes, (m) => m.remoteWork),
  reportRemote: call(parts.remotes, (m) => m.reportRemote),
  reachRemoteOnce: call(parts.remotes, (m) => m.reachRemoteOnce),
  tokens: call(parts.tokens, (m) => m.tokens),
  issueToken: call(parts.tokens, (m) => m.issueToken),
  shares: call(parts.tokens, (m) => m.shares),
  createShare: call(parts.tokens, (m) => m.createShare),
  viewTag: view(parts.tags, (m) => m.viewTag),
  needs: plainView(parts.needs, (m) => (context, _, wanted) => m.needs(context, wanted)),
  forms: talk(parts.dialects, (m) => m.messageForms),
  past: talk(parts.past, (m) => (context, _, asked) => m.pastLook(context, asked, handleAt)),
  seqAt: talk(parts.lanes, (m) => (context, _, asked) => m.seqAt(context, asked)),
  lanes: view(
    parts.lanes,
    (m) =>
      (context, _, range = {}) =>
        m.lanes(context, range),
  ),
  effect: view(parts.effects, (m) => m.approvalEffect),
  receipt: call(parts.receipts, (m) => m.receipt),
  commit: talk(parts.commits, (m) => (context, _, given) => m.commitView(context, given)),
  remember: talk(parts.restoring, (m) => m.remember),
  folderChanges: talk(parts.folders, (m) => (context, _, asked) => m.folderChanges(context, asked)),
  [Symbol.asyncDispose]: ({ close }) => close,
};

/**
 * The team as `actor` uses it. What is due is fired before every view of the work and every operation, so that deadlines
 * pass without a hub too. `close` runs when the handle is disposed; a hub passes one that does nothing.
 */
export function teamHandle(context: TeamContext, actor: Actor, close: () => Promise<void>): LocalTeam {
  const handle: Handle = { context, actor, speaking: once(() => withDialects(context)), close };
  const bound = Reflect.ownKeys(rows).map((name) => [name, rows[name as keyof LocalTeam](handle)]);
  return Object.fromEntries(bound) as LocalTeam; // The table has a row for each name.
}

/** The team as it was, which nobody disposes of. */
function handleAt(context: Context, actor: Actor): LocalTeam {
  return teamHandle(context, actor, () => Promise.resolve());
}

/** Sends a message. One to a remote is an ask, or words about one: no dialect of the team is read in it. */
async function send(
  { context, actor }: Handle,
  text: string | Uint8Array,
  { id, ...options }: SendOptions = {},
): Promise<Reply> {
  const [receiver, another] = options.to ?? [];
  if (receiver === undefined || !("remote" in receiver) || another !== undefined) {
    const reply = await perform({ context, actor }, (await parts.messages()).sendMessage, { text, ...options }, id);
    const isLess = reply.outcome === "accepted" && reply.notes.some(({ code }) => code === "approval-taken-back");
    if (isLess) await (await parts.approvals()).tellTakenBack(context, reply);
    return reply;
  }
  const { remote, ask } = receiver;
  const words = typeof text === "string" ? text : Buffer.from(text).toString();
  const asked = { remote, text: words, ...(ask === null ? {} : { ask }) };
  return await perform({ context, actor }, (await parts.remotes()).askRemote, asked, id);
}
