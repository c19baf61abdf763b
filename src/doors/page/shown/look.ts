/**
 * How an entry looks: the shape, the colour and the word of what became of it, and where nothing became of it the shape of
 * what it says. A word is always next to the colour, and every shape is another. The colour follows from what is known
 * now, never from the type of a message: a report that is disputed is nowhere shown as good.
 */
import type { Outcome } from "../../../perform/line-outcome.ts";
import type { LogLine } from "../../../record/operations/entries.ts";
import { type AgentSigns, type AgentState, stateOf } from "../../../team/view/agent-state.ts";

export type Tone = "good" | "said" | "warn" | "bad" | "gone" | "accent" | "faint";

export interface Look {
  readonly shape: Shape;
  readonly tone: Tone;
}

type Fact = NonNullable<LogLine["fact"]>;

/** What became of an entry, as it is shown. Only these words are shown for it. */
export const outcomeLooks: Readonly<Record<Outcome, Look & { readonly word: string }>> = {
  refused: { shape: "refused", tone: "bad", word: "refused" },
  disputed: { shape: "disputed", tone: "bad", word: "disputed" },
  gone: { shape: "loop", tone: "bad", word: "gone" },
  failed: { shape: "stop", tone: "bad", word: "failed" },
  denied: { shape: "refused", tone: "bad", word: "denied" },
  rejected: { shape: "refused", tone: "bad", word: "rejected" },
  expired: { shape: "gone", tone: "gone", word: "expired" },
  open: { shape: "ask", tone: "warn", word: "open" },
  partial: { shape: "said", tone: "said", word: "partial" },
  repaired: { shape: "disputed", tone: "warn", word: "disputed, then repaired" },
  superseded: { shape: "said", tone: "faint", word: "superseded" },
  reported: { shape: "said", tone: "said", word: "unverified" },
  held: { shape: "working", tone: "accent", word: "held" },
  verified: { shape: "done", tone: "good", word: "verified" },
  approved: { shape: "done", tone: "good", word: "approved" },
  accepted: { shape: "hand", tone: "good", word: "accepted" },
  completed: { shape: "done", tone: "good", word: "completed" },
  resolved: { shape: "done", tone: "good", word: "decided" },
};

/** The worst first. */
export const outcomeNames = Object.keys(outcomeLooks) as readonly Outcome[]; // the keys of that record

const quiet = (shape: Shape): Look => ({ shape, tone: "faint" });
const open = (shape: Shape): Look => ({ shape, tone: "warn" });

/** What an entry says, where nothing became of it. */
const factLooks: Readonly<Record<Exclude<Fact, `own:${string}`>, Look>> = {
  findings: quiet("document"),
  contract: quiet("document"),
  progress: { shape: "said", tone: "said" },
  blocker: open("blocked"),
  diagnosis: quiet("document"),
  verdict: quiet("document"),
  "approval-request": open("ask"),
  "approval-response": quiet("talk"),
  "shutdown-request": open("stop"),
  "shutdown-response": quiet("stop"),
  "idle-notice": quiet("idle"),
  "assignment-notice": quiet("hand"),
  "completion-notice": quiet("talk"),
  "termination-notice": quiet("stop"),
  "permission-notice": quiet("ask"),
  critique: quiet("document"),
  "test-plan": quiet("document"),
  design: quiet("document"),
  specification: quiet("document"),
  "review-changes": open("loop"),
  "review-result": quiet("document"),
  "code-verdict": quiet("document"),
  "security-audit": quiet("document"),
  research: quiet("document"),
  escalation: open("up"),
  resolution: quiet("talk"),
  health: quiet("clock"),
  breaker: open("stop"),
  claim: { shape: "working", tone: "accent" },
  completion: { shape: "said", tone: "said" },
  summary: quiet("document"),
  "phase-progress": quiet("clock"),
  "design-handoff": quiet("hand"),
  "api-contract": quiet("document"),
  "department-result": quiet("document"),
  "owner-review": quiet("document"),
  "owner-signoff": quiet("document"),
  handoff: { shape: "hand", tone: "accent" },
};

const kindLooks: Readonly<Record<LogLine["kind"], Look>> = {
  message: quiet("talk"),
  command: quiet("dot"),
  refusal: outcomeLooks.refused,
  ack: quiet("done"),
  timer: open("clock"),
  team: quiet("dot"),
  epoch: outcomeLooks.disputed,
};

/** The look of an entry. A kind or an outcome that only a later hub knows is shown quietly, not as nothing. */
export function lookOf({ kind, fact, outcome, remote }: Pick<LogLine, "kind" | "fact" | "outcome" | "remote">): Look {
  if (remote !== undefined) return remoteLook(remote.says);
  if (outcome !== null && !isOfRound({ fact, outcome })) return outcomeLooks[outcome] ?? quiet("dot");
  if (fact === null) return kindLooks[kind] ?? quiet("dot");
  return fact.startsWith("own:") ? quiet("document") : (factLooks[fact as keyof typeof factLooks] ?? quiet("dot"));
}

/** What a remote says that asks for something, or that it did not do it. */
const remoteWarns: ReadonlySet<string> = new Set(["input-required", "rejected", "failed", "canceled", "refused"]);

/** The look of what a remote is asked, or says: never good, because its word is no verdict. */
export function remoteLook(says: string | null): Look {
  return { shape: "remote", tone: says === null ? "faint" : remoteWarns.has(says) ? "warn" : "said" };
}

/** What a remote says of what it was asked, as its word: `says completed`. */
export function remoteWords({ state, isWithdrawn }: { readonly state: string; readonly isWithdrawn: boolean }): string {
  const word =
    state === "unsent"
      ? "not sent yet"
      : state === "refused"
        ? "would not take it"
        : `says ${state.replaceAll("-", " ")}`;
  return isWithdrawn ? `${word}, withdrawn` : word;
}

/** Whether an outcome is that of a shutdown round, which is shown at its request and not at the last of its answers. */
export function isOfRound({ fact, outcome }: Pick<LogLine, "fact" | "outcome">): boolean {
  return fact === "shutdown-response" && outcome === "completed";
}

const agentLooks: Readonly<Partial<Record<AgentState, Look>>> = {
  disappeared: { shape: "gone", tone: "gone" },
  "has ended": { shape: "gone", tone: "gone" },
  "waits for an answer": open("waiting"),
  "at its prompt": open("idle"),
  working: { shape: "working", tone: "accent" },
};

/** How an agent is, with the word for it. */
export function agentLook(agent: AgentSigns): Look & { readonly word: AgentState } {
  const word = stateOf(agent);
  return { ...(agentLooks[word] ?? quiet("idle")), word };
}

/** The verb between who says it and what is said; empty: the line has one. */
export function verbOf({ kind, fact }: Pick<LogLine, "kind" | "fact">): string {
  if (kind === "refusal") return "was";
  return kind === "message" && fact !== null ? (verbs[fact as keyof typeof verbs] ?? "") : "";
}

/** What is between the sender and what the line says: a verb, or a colon where it is what somebody said. */
export function joinOf(line: Pick<LogLine, "kind" | "fact">): string {
  const verb = verbOf(line);
  if (verb !== "") return ` ${verb} `;
  return line.kind === "timer" || (line.kind === "message" && line.fact === null) ? ": " : " ";
}

const verbs: Readonly<Partial<Record<Fact, string>>> = {
  findings: "found",
  contract: "sets the contract of",
  progress: "reports",
  completion: "reports",
  blocker: "is blocked on",
  diagnosis: "diagnoses",
  verdict: "judges",
  "approval-request": "asks",
  critique: "criticises",
  "test-plan": "wrote tests for",
  design: "designs",
  specification: "specifies",
  "review-changes": "wants changes to",
  "review-result": "reviewed",
  "code-verdict": "checked the code of",
  "security-audit": "audited",
  research: "researched",
  escalation: "escalates",
  resolution: "decides",
  claim: "claims",
  summary: "sums up",
  "phase-progress": "reports",
  "department-result": "reports",
  handoff: "hands over",
};

const words: Readonly<Record<LogLine["kind"], string>> = {
  message: "prose",
  command: "command",
  refusal: "refused",
  ack: "acknowledged",
  timer: "deadline",
  team: "team",
  epoch: "new epoch",
};

/** An entry's type as the dialect spells it, or what kind of entry it is. */
export function labelOf(line: Pick<LogLine, "kind" | "type">): string {
  return line.type ?? words[line.kind];
}

/** Words for how a phase, a part of it, a step, a handoff or a file of it is, by the tone that they have. */
const tonesOfWords: Readonly<Partial<Record<Tone, string>>> = {
  good: "ended shipped SHIP PASS complete agreed implemented completed ok",
  bad: "stopped held shipped-with-findings HOLD FAIL failed disputed rejected changed missing outside incomplete",
  warn: "waiting PARTIAL WARN partial issued",
  accent: "running accepted",
};
const wordTones = new Map(
  Object.entries(tonesOfWords).flatMap(([tone, words]) => words.split(" ").map((word) => [word, tone] as const)),
);

/** The tone of such a word; of findings it is bad whatever the word; empty: it has none. */
export function toneOf(word: string, hasFindings = false): string {
  return hasFindings ? "bad" : (wordTones.get(word) ?? "");
}

/** Small pictures as paths of a square of twelve. Each has another shape, so that colour alone says nothing. */
export const shapes = {
  working: "M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9z",
  waiting: "M6 1.6a4.4 4.4 0 1 0 0 8.8a4.4 4.4 0 1 0 0-8.8zM6 1.6v8.8",
  idle: "M6 1.9a4.1 4.1 0 1 0 0 8.2a4.1 4.1 0 1 0 0-8.2z",
  gone: "M2.4 2.4l7.2 7.2M9.6 2.4L2.4 9.6",
  done: "M2 6.4l2.8 2.8L10 3.4",
  said: "M6 1.8a4.2 4.2 0 1 0 0 8.4a4.2 4.2 0 1 0 0-8.4z",
  disputed: "M6 1.4l4.9 9H1.1zM6 4.7v2.7M6 8.9v.2",
  refused: "M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM3 9l6-6",
  blocked: "M1.8 1.8h8.4v8.4H1.8zM4 6h4",
  stop: "M4 .9h4L11.1 4v4L8 11.1H4L.9 8V4zM3.8 6h4.4",
  ask: "M1.2 2.2h9.6v6.2H6.4L3.8 10.8V8.4H1.2z",
  up: "M6 10.5V2M2.6 5.2L6 1.8l3.4 3.4",
  document: "M2.6 1.2h4.6l2.4 2.4v7.2h-7z",
  hand: "M1 6h8M6.4 3l3 3-3 3",
  talk: "M2 4h8M2 8h5.5",
  clock: "M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM6 3.4V6l1.8 1.2",
  loop: "M10 6a4 4 0 1 1-1.3-3M9 .9v2.4H6.6",
  coin: "M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM6 3.3v5.4M4.4 4.6h3.2",
  remote:
    "M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM1.4 6h9.2M6 1.4c-2.5 2.7-2.5 6.5 0 9.2c2.5-2.7 2.5-6.5 0-9.2z",
  dot: "M6 5.4v1.2",
} as const;

export type Shape = keyof typeof shapes;

/** Those whose inside has the colour too. */
export const filledShapes: ReadonlySet<Shape> = new Set(["working"]);
