/** Shutdown rounds of a hub's team: the calls, and how their answers must look for the client to take them. */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { UncommittedFiles } from "../../coordination/shutdown-rounds.ts";
import type { Reply } from "../../operations/reply.ts";
import type { ShutdownView, StoppingView } from "../../runtime/shutdown-certificate.ts";
import type { Team } from "../../runtime/team.ts";
import type { Asked } from "./client-caller.ts";
import { count, flag, list, nullable, object, oneOf, type Shape, text, word } from "./client-shape.ts";

/** How the client's calls are made: a path of the team, an act under an id (absent: a new one), something read. */
export interface Calls {
  at(...rest: readonly string[]): readonly string[];
  act(path: readonly string[], body: object, id?: string): Promise<Reply>;
  read<Value>(asked: Asked<Value>): Promise<Result<Value, Problem>>;
}

const seconds: Shape<number> = (value): value is number => typeof value === "number";
const workLeft = ["clean", "in_progress", "error"] as const;

const uncommitted = nullable(object<UncommittedFiles>({ count, files: list(text) }));

const part = object<StoppingView>({
  agent: text,
  outcome: nullable(oneOf([...workLeft, "refused-then-clean", "late", "forced", "not_addressed", "left-work"])),
  status: nullable(oneOf(workLeft)),
  pendingWork: list(text),
  openClaims: list(text),
  disputed: list(text),
  unverified: list(text),
  unread: count,
  artifactsCommitted: nullable(flag),
  uncommitted,
  refusals: count,
  silences: count,
  joined: flag,
  seq: nullable(count),
});

const round = object<ShutdownView>({
  round: text,
  seq: count,
  outcome: oneOf(["open", "complete", "incomplete"]),
  requester: text,
  reason: text,
  teamName: nullable(text),
  asked: count,
  askingsMax: count,
  deadlineSeconds: seconds,
  startedAt: word,
  dueAt: nullable(word),
  endedAt: nullable(word),
  uncommitted,
  agents: list(part),
});

const shutdowns = object<{ shutdowns: readonly ShutdownView[] }>({ shutdowns: list(round) });

/** Starting and reading rounds, by these calls. */
export function remoteShutdowns({ at, act, read }: Calls): Pick<Team, "startShutdown" | "shutdowns"> {
  return {
    startShutdown: (start, options = {}) => act(at("shutdowns"), start, options.id),
    async shutdowns({ round: id, latest } = {}) {
      const query = { ...(id === undefined ? {} : { round: id }), ...(latest === undefined ? {} : { latest }) };
      const found = await read({ method: "GET", path: at("shutdowns"), query, shape: shutdowns });
      return found.ok ? ok(found.value.shutdowns) : found;
    },
  };
}
