/**
 * The handle of a program that comes and goes, such as a command: what a call needs is loaded when it is made, so that a
 * look at the mail does not load how a phase ends. What is done is the same as by `handle.ts`, which a hub has at hand.
 */
import type { Reply } from "../operations/reply.ts";
import { type Actor, type TeamContext, withDialects } from "./context.ts";
import { aliveWhile, signOfLife } from "./health/heartbeat.ts";
import { entryOf } from "./record/recorded-act.ts";
import type { LocalTeam } from "./team/team.ts";
import { fireDue, keepDeadlineIndex } from "./timers.ts";

/** The team as `actor` uses it, as `teamHandle` gives it. `close` runs when the handle is disposed. */
export function lateHandle(context: TeamContext, actor: Actor, close: () => Promise<void>): LocalTeam {
  const whole = once(async () => (await import("./handle.ts")).teamHandle(await withDialects(context), actor, close));
  type Act = (...given: readonly never[]) => unknown;
  const late = wholly.map((name) => [name, async (...given: never[]) => ((await whole())[name] as Act)(...given)]);
  return {
    ...(Object.fromEntries(late) as Pick<LocalTeam, (typeof wholly)[number]>), // each calls what its name says
    ...mail(context, actor),
    ...looks(context, actor),
    name: context.team,
    actor,
    condition: () => context.journal.condition(),
    send: async (text, options) => {
      if (options?.to?.some((receiver) => "remote" in receiver) === true) return (await whole()).send(text, options);
      const { receive } = await parts.receiving();
      return judged(context, await receive(context, actor, text, options));
    },
    claim: async (task, options) => (await parts.tasks()).claim(context, actor, task, options),
    complete: async (task, options) => {
      const { complete } = await parts.tasks();
      return judged(context, await complete(context, actor, task, options));
    },
    log: async function* (options) {
      yield* (await parts.record()).log(context, options);
    },
    follow: async function* (options) {
      yield* (await parts.record()).followLines(context, options);
    },
    show: async (key, options) => (await parts.entries()).show(context, key, options),
    [Symbol.asyncDispose]: close,
  };
}

/** What is loaded by need. Node's loader is asked once for each: asking it costs more than reading a message. */
const parts = {
  receiving: once(() => import("./delivery/receive.ts")),
  mail: once(() => import("./delivery/inbox.ts")),
  programs: once(() => import("./team/programs.ts")),
  tasks: once(() => import("./tasks/tasks.ts")),
  board: once(() => import("./tasks/board.ts")),
  status: once(() => import("./team/status.ts")),
  escalations: once(() => import("./escalations/escalation.ts")),
  shutdowns: once(() => import("./shutdown/shutdown-certificate.ts")),
  record: once(() => import("./record/log.ts")),
  entries: once(() => import("./record/entry-lookup.ts")),
  verdicts: once(() => import("./evidence/artifact-verdicts.ts")),
};

function once<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loaded: Promise<Value> | null = null;
  return () => {
    loaded ??= load();
    return loaded;
  };
}

/** What loads the whole handle: nobody asks for it again and again. */
const wholly = [
  "addTask",
  "renew",
  "release",
  "reassign",
  "board",
  "summary",
  "answer",
  "agents",
  "contracts",
  "register",
  "retire",
  "breakers",
  "closeBreaker",
  "agentEvents",
  "breakerEvents",
  "raise",
  "resolve",
  "phases",
  "skipStep",
  "endPhase",
  "excludeDepartment",
  "liftStop",
  "startShutdown",
  "logPage",
  "verify",
  "verifyArtifacts",
  "reportedWork",
  "recordFinding",
  "settleVerdict",
  "inspectRounds",
  "standings",
  "editFiles",
  "judgeStaged",
  "judgeRange",
  "configuredAgent",
  "viewTag",
  "needs",
  "forms",
  "past",
  "seqAt",
  "metrics",
  "lanes",
  "effect",
  "commit",
  "task",
  "remember",
  "folderChanges",
  "refuseProgram",
  "confirmRevision",
  "declineRevision",
  "limits",
  "setLimits",
  "acceptHandoff",
  "ask",
  "asks",
  "completeHandoff",
  "createShare",
  "discuss",
  "endTask",
  "handoff",
  "handoffs",
  "handoffsBefore",
  "issueToken",
  "rejectHandoff",
  "revokeShare",
  "revokeToken",
  "shares",
  "tokens",
  "addRemote",
  "removeRemote",
  "remotes",
  "askRemote",
  "withdrawRemote",
  "remoteWork",
  "reportRemote",
  "reachRemoteOnce",
] as const satisfies readonly (keyof LocalTeam)[];

/** What an agent asks and says again and again. */
function mail(
  context: TeamContext,
  actor: Actor,
): Pick<LocalTeam, "inbox" | "signOfLife" | "attend" | "leave" | "seen" | "shown" | "acknowledge"> {
  return {
    inbox: async (options) => {
      await fireDue(context);
      const { inbox } = await parts.mail();
      return aliveWhile(context, actor, options ?? {}, () => inbox(context, actor, options));
    },
    signOfLife: () => signOfLife(context, actor),
    attend: async () => (await parts.programs()).attend(context, actor),
    leave: async () => (await parts.programs()).leave(context, actor),
    seen: async (seq) => (await parts.mail()).markSeen(context, actor, seq),
    shown: async (shown) => (await parts.mail()).markShown(context, actor, shown),
    acknowledge: async (seq, options) => (await parts.mail()).acknowledge(context, actor, seq, options),
  };
}

/** What `baton status` shows, and the list of tasks. */
function looks(
  context: TeamContext,
  actor: Actor,
): Pick<LocalTeam, "status" | "approvals" | "tasks" | "escalations" | "shutdowns"> {
  return {
    status: async () => {
      const due = await fireDue(context);
      if (due.ok) await keepDeadlineIndex(context);
      return (await parts.status()).status(context);
    },
    approvals: async (wanted) => {
      await fireDue(context);
      return (await parts.status()).approvals(context, wanted);
    },
    tasks: async (filter) => {
      await fireDue(context);
      return (await parts.board()).tasks(context, actor, filter);
    },
    escalations: async (options) => {
      await fireDue(context);
      return (await parts.escalations()).escalations(context, options);
    },
    shutdowns: async (options) => {
      await fireDue(context);
      return (await parts.shutdowns()).shutdowns(context, options);
    },
  };
}

/** The reply with what the repository shows, where one is at hand. Nothing does of an entry that brought nothing about. */
function judged(context: TeamContext, reply: Reply): Reply | Promise<Reply> {
  return context.judgesAt === undefined || reply.outcome !== "accepted" ? reply : judgedNow(context, reply);
}

async function judgedNow(
  context: TeamContext,
  reply: Extract<Reply, { readonly outcome: "accepted" }>,
): Promise<Reply> {
  const entry = await entryOf(context, reply.receipt.seq);
  if (entry.ok && entry.value.command === undefined && (entry.value.events ?? []).length === 0) return reply;
  return await (await parts.verdicts()).withVerdicts(await withDialects(context), reply);
}
