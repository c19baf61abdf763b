/**
 * Remote agents, and what the team asks of them: agents of other teams and vendors that a hub reaches by A2A. Words for a
 * remote are recorded before they are sent, so the record is the outbox. What a remote reports is kept as its word: it
 * verifies nothing here.
 * Rules: docs/protocol/doors.md, section 17.
 */
import { argument } from "../base/argument.ts";
import { unreachable } from "../base/invariant.ts";
import { makeProblem, type Problem } from "../base/problem.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { Decided, Decider } from "../perform/decider.ts";

/** How it is with what a remote was asked. `unsent`: it has not taken it yet; `refused`: it would not take it. */
export const remoteStates = [
  "unsent",
  "submitted",
  "working",
  "input-required",
  "completed",
  "rejected",
  "failed",
  "canceled",
  "refused",
] as const;
export type RemoteState = (typeof remoteStates)[number];

/** What a remote says that it did. Nothing of it is checked. */
export interface RemoteWork {
  readonly commit: string | null;
  readonly files: readonly string[];
  /** The word of the remote for its state, such as `verified`. */
  readonly state: string | null;
}

/** Something that an agent of the team asked a remote for. */
export interface RemoteAsk {
  readonly ask: string;
  readonly remote: string;
  readonly asker: string;
  /** The task of the team's board that it is about. */
  readonly task: string | null;
  readonly title: string;
  readonly state: RemoteState;
  /** Entries whose words the remote has not taken yet, oldest first. */
  readonly unsent: readonly number[];
  /** The task's id and context at the remote. */
  readonly remoteTask: string | null;
  readonly remoteContext: string | null;
  /** The remote's last words about it. */
  readonly words: string | null;
  readonly work: RemoteWork | null;
  readonly isWithdrawn: boolean;
  /** The entry that asked, and the last one that is about it. */
  readonly seq: number;
  readonly changed: number;
}

/** A remote as the team knows it; its address and its token are in the hub's state folder. */
export interface Remote {
  readonly remote: string;
  readonly seq: number;
  /** Since which entry it cannot be reached, and why; null: it was reached last, or never tried. */
  readonly problem: { readonly code: string; readonly message: string; readonly seq: number } | null;
}

export interface Remotes {
  readonly known: Map<string, Remote>;
  readonly asks: Map<string, RemoteAsk>;
}

/** Asks of one agent that may be open at a time. */
export const openRemoteAsksMax = 100;

/** What an agent asks of a remote. */
type NewRemoteAsk = Pick<RemoteAsk, "ask" | "remote" | "asker" | "task" | "title"> & { readonly seq: number };

export type RemoteCommand =
  | { readonly command: "add-remote"; readonly remote: string; readonly seq: number }
  | { readonly command: "remove-remote"; readonly remote: string; readonly seq: number }
  | ({ readonly command: "ask-remote" } & NewRemoteAsk)
  | { readonly command: "write-remote"; readonly ask: string; readonly remote: string; readonly seq: number }
  | { readonly command: "withdraw-remote"; readonly ask: string; readonly seq: number }
  | ({ readonly command: "report-remote"; readonly ask: string; readonly seq: number } & RemoteReport)
  | {
      readonly command: "reach-remote";
      readonly remote: string;
      /** Null: it is reached. */
      readonly problem: { readonly code: string; readonly message: string } | null;
      readonly seq: number;
    };

/** What is known of an ask after a look at the remote. */
export interface RemoteReport {
  /** The entry whose words the remote has taken; null: none. */
  readonly sent: number | null;
  readonly remoteTask: string | null;
  readonly remoteContext: string | null;
  readonly state: RemoteState;
  readonly words: string | null;
  readonly work: RemoteWork | null;
}

export type RemoteEvent =
  | { readonly event: "remote-added"; readonly remote: string; readonly seq: number }
  | { readonly event: "remote-removed"; readonly remote: string; readonly seq: number }
  | ({ readonly event: "remote-asked" } & NewRemoteAsk)
  | { readonly event: "remote-written"; readonly ask: string; readonly seq: number }
  | { readonly event: "remote-withdrawn"; readonly ask: string; readonly seq: number }
  | ({ readonly event: "remote-reported"; readonly ask: string; readonly seq: number } & RemoteReport)
  | {
      readonly event: "remote-reached";
      readonly remote: string;
      readonly problem: { readonly code: string; readonly message: string } | null;
      /** What entries of 0.1.0 call it. */
      readonly fault?: { readonly code: string; readonly message: string } | null;
      readonly seq: number;
    };

type Outcome = Result<Decided<RemoteEvent>, readonly Problem[]>;

/**
 * Refuses `unknown-receiver` for a remote that the team does not have, `too-many-requests`, `unknown-task` for an ask that
 * nobody made, and `task-done` for one that is over. What changes nothing has no events.
 */
export const remotes: Decider<Remotes, RemoteCommand, RemoteEvent> = {
  name: "remotes",
  initial: () => ({ known: new Map(), asks: new Map() }),
  decide(command, state) {
    switch (command.command) {
      case "add-remote":
        return addRemote(command, state);
      case "remove-remote":
        return state.known.has(command.remote)
          ? one({ event: "remote-removed", remote: command.remote, seq: command.seq })
          : err([unknownRemote(state, command.remote)]);
      case "ask-remote":
        return askRemote(command, state);
      case "write-remote":
        return writeRemote(command, state);
      case "withdraw-remote": {
        const found = openAsk(state, command.ask);
        if (!found.ok) return found;
        return found.value.isWithdrawn
          ? nothing
          : one({ event: "remote-withdrawn", ask: command.ask, seq: command.seq });
      }
      case "report-remote": {
        const { command: _, ...report } = command;
        return isNews(state.asks.get(command.ask), report) ? one({ event: "remote-reported", ...report }) : nothing;
      }
      case "reach-remote": {
        const { remote, problem, seq } = command;
        const known = state.known.get(remote);
        if (known === undefined || known.problem?.code === problem?.code) return nothing;
        return one({ event: "remote-reached", remote, problem, seq });
      }
      default:
        return unreachable(command);
    }
  },
  evolve(state, event) {
    if ("ask" in event) {
      const next = evolveAsk(state.asks.get(event.ask), event);
      if (next !== null) state.asks.set(event.ask, next);
      return state;
    }
    const { remote, seq } = event;
    if (event.event === "remote-added") state.known.set(remote, { remote, seq, problem: null });
    else if (event.event === "remote-removed") removeRemote(state, remote, seq);
    else {
      const known = state.known.get(remote);
      const problem = event.fault === undefined ? event.problem : event.fault;
      if (known !== undefined)
        state.known.set(remote, { ...known, problem: problem === null ? null : { ...problem, seq } });
    }
    return state;
  },
};

const nothing: Outcome = ok({ events: [], notes: [] });

function one(event: RemoteEvent): Outcome {
  return ok({ events: [event], notes: [] });
}

function addRemote({ remote, seq }: Extract<RemoteCommand, { command: "add-remote" }>, state: Remotes): Outcome {
  if (!state.known.has(remote)) return one({ event: "remote-added", remote, seq });
  const message = `${remote} is a remote of the team already.`;
  return ok({ events: [], notes: [{ code: "already-so", path: "remote", message }] });
}

function askRemote(order: Extract<RemoteCommand, { command: "ask-remote" }>, state: Remotes): Outcome {
  const { command: _command, ...asked } = order;
  if (!state.known.has(asked.remote)) return err([unknownRemote(state, asked.remote)]);
  const open = [...state.asks.values()].filter((each) => each.asker === asked.asker && !isRemoteOver(each.state));
  if (open.length < openRemoteAsksMax) return one({ event: "remote-asked", ...asked });
  const most = `at most ${openRemoteAsksMax} open asks`;
  const hint = "Wait until some are over, or withdraw them.";
  const many = `${asked.asker} waits for ${open.length} answers of remotes.`;
  return err([makeProblem("too-many-requests", asked.asker, many, { expected: most, hint })]);
}

function writeRemote(
  { ask, remote, seq }: Extract<RemoteCommand, { command: "write-remote" }>,
  state: Remotes,
): Outcome {
  const found = openAsk(state, ask);
  if (!found.ok) return found;
  if (found.value.remote === remote && !found.value.isWithdrawn) return one({ event: "remote-written", ask, seq });
  const why = found.value.isWithdrawn ? "was withdrawn" : `is one of ${found.value.remote}`;
  return err([makeProblem("wrong-value", argument("to"), `The ask ${ask} ${why}.`, { expected: found.value.remote })]);
}

function openAsk({ asks }: Remotes, ask: string): Result<RemoteAsk, readonly Problem[]> {
  const found = asks.get(ask);
  const path = argument("ask");
  const hint = "`baton remote list` shows what remotes were asked.";
  if (found === undefined) return err([makeProblem("unknown-task", path, "No remote was asked so.", { hint })]);
  if (!isRemoteOver(found.state)) return ok(found);
  return err([makeProblem("task-done", path, `The ask ${ask} is over: it is ${found.state}.`, { hint })]);
}

function unknownRemote({ known }: Remotes, remote: string): Problem {
  return makeProblem("unknown-receiver", argument("to"), `The team has no remote "${remote}".`, {
    expected: [...known.keys()].map((each) => `remote:${each}`).join(" | ") || "a remote that the owner has added",
    received: `remote:${remote}`,
    hint: "The owner adds one: `baton remote add NAME URL`.",
  });
}

/** Whether nothing more comes of it. */
export function isRemoteOver(state: RemoteState): boolean {
  return ["completed", "rejected", "failed", "canceled", "refused"].includes(state);
}

/** What waits for a remote: words to be sent, a withdrawal, or its answer. */
export function openRemoteAsks({ asks }: Remotes): readonly RemoteAsk[] {
  return [...asks.values()].filter(({ state }) => !isRemoteOver(state));
}

/** Whether the report says what is not known yet. */
export function isNews(known: RemoteAsk | undefined, report: RemoteReport): boolean {
  if (known === undefined || isRemoteOver(known.state)) return false;
  const { sent, remoteTask, state, words, work } = report;
  if (sent !== null && known.unsent.includes(sent)) return true;
  const told = JSON.stringify([known.remoteTask, known.state, known.words, known.work]);
  return told !== JSON.stringify([remoteTask ?? known.remoteTask, state, words, work]);
}

function evolveAsk(
  known: RemoteAsk | undefined,
  event: Extract<RemoteEvent, { readonly ask: string }>,
): RemoteAsk | null {
  const { seq } = event;
  if (event.event === "remote-asked") {
    const { ask, remote, asker, task, title } = event;
    const nothingYet = { remoteTask: null, remoteContext: null, words: null, work: null, isWithdrawn: false } as const;
    return { ask, remote, asker, task, title, state: "unsent", unsent: [seq], ...nothingYet, seq, changed: seq };
  }
  if (known === undefined) return null;
  switch (event.event) {
    case "remote-written":
      return { ...known, unsent: [...known.unsent, seq], changed: seq };
    case "remote-withdrawn":
      return { ...known, isWithdrawn: true, changed: seq };
    case "remote-reported": {
      const { sent, state, words, work } = event;
      const unsent = known.unsent.filter((each) => each !== sent);
      const place = {
        remoteTask: event.remoteTask ?? known.remoteTask,
        remoteContext: event.remoteContext ?? known.remoteContext,
      };
      return { ...known, ...place, unsent, state, words, work, changed: seq };
    }
    default:
      return unreachable(event);
  }
}

/** What was asked of a remote that is removed is over: its answer will not be received. */
function removeRemote({ known, asks }: Remotes, remote: string, seq: number): void {
  known.delete(remote);
  for (const each of asks.values()) {
    if (each.remote !== remote || isRemoteOver(each.state)) continue;
    asks.set(each.ask, { ...each, state: "canceled", words: "The remote was removed from the team.", changed: seq });
  }
}
