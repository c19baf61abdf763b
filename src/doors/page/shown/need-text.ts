/** How needs are named: their kind in a word with its shape and colour, and what a decision on them is called. */

import { remotePrefix } from "../../../messages/remote-address.ts";
import { type Need, type NeedVerb, needVerbs, type Triage } from "../../../needs/view/need-ranking.ts";
import type { Look } from "./look.ts";

const kinds: { readonly [Kind in Need["kind"]]: Look & { readonly word: string } } = {
  hold: { shape: "stop", tone: "bad", word: "Hold" },
  revision: { shape: "document", tone: "warn", word: "Team file" },
  approval: { shape: "ask", tone: "warn", word: "Approval" },
  dispute: { shape: "disputed", tone: "bad", word: "Disputed" },
  check: { shape: "ask", tone: "warn", word: "Check" },
  unchecked: { shape: "stop", tone: "warn", word: "Not checked" },
  conflict: { shape: "blocked", tone: "warn", word: "Conflict" },
  landing: { shape: "up", tone: "accent", word: "Landing" },
  finding: { shape: "stop", tone: "bad", word: "Found later" },
  unguarded: { shape: "stop", tone: "bad", word: "Not protected" },
  signoff: { shape: "ask", tone: "accent", word: "Sign-off" },
  escalation: { shape: "up", tone: "warn", word: "Escalated" },
  unresponsive: { shape: "gone", tone: "gone", word: "Unresponsive" },
  idle: { shape: "blocked", tone: "warn", word: "Idle" },
  handoff: { shape: "document", tone: "accent", word: "Handoff" },
  remote: { shape: "remote", tone: "warn", word: "Remote" },
  loop: { shape: "loop", tone: "warn", word: "Stuck in a loop" },
  "over-budget": { shape: "coin", tone: "warn", word: "Over budget" },
};

/** What each matter is called over its list, with its colour. */
export const triageWords: { readonly [Each in Triage]: readonly [word: string, tone: "bad" | "warn" | "accent"] } = {
  broken: ["False or broken", "bad"],
  stuck: ["Stuck", "warn"],
  decide: ["Yours to decide", "warn"],
  ready: ["Ready", "accent"],
};

const requestTypes = {
  scope_change: "Scope change",
  plan_approval: "Plan approval",
  gate_override: "Gate override",
} as const;

/** The look of a need and the word for it. A kind that only a later hub knows is shown by its own name. */
export function needLook({ kind, requestType }: Pick<Need, "kind" | "requestType">): Look & { readonly word: string } {
  const look = kinds[kind] ?? { shape: "dot", tone: "warn", word: kind };
  return requestType === null ? look : { ...look, word: requestTypes[requestType] };
}

/** A decision: what its button says, what is about to happen while it can be taken back, and what was done. */
export const verbWords: { readonly [Each in NeedVerb]: readonly [says: string, doing: string, done: string] } = {
  approve: ["Approve", "Approving", "Approved"],
  deny: ["Deny", "Denying", "Denied"],
  decide: ["Decide", "Deciding", "Decided"],
  lift: ["Lift the hold", "Lifting the hold", "Lifted"],
  ship: ["Ship the phase", "Shipping the phase", "Shipped"],
  confirm: ["Confirm the change", "Confirming the change", "Confirmed"],
  decline: ["Decline", "Declining", "Declined"],
  once: ["Run it once", "Letting it run once", "Allowed once"],
  no: ["Do not run it", "Not letting it run", "Not allowed"],
  always: ["Always run it", "Letting it always run", "Always allowed"],
};

interface DecidedTogether {
  readonly verb: NeedVerb;
  readonly items: readonly { readonly recorded: number | null; readonly busy: boolean; readonly isUnknown: boolean }[];
}

/** What was done, of several decided together. */
export function batchWords({ verb, items }: DecidedTogether): string {
  const recorded = items.filter((item) => item.recorded !== null).length;
  const unknown = items.filter(({ busy, isUnknown }) => busy || isUnknown).length;
  const not = items.length - recorded - unknown;
  return [
    `${verbWords[verb][0]}: ${recorded} of ${items.length} recorded`,
    ...(not === 0 ? [] : [`${not} not recorded`]),
    ...(unknown === 0 ? [] : [`${unknown} not known yet`]),
  ].join(", ");
}

/** Whether a decision can be undone once it was sent; shown before it is sent. */
export function finalWords({ kind }: Pick<Need, "kind">): string {
  const before = "A decision is sent after five seconds; until then you can take it back.";
  if (kind === "revision")
    return `${before} Later a declined change can still be confirmed; a confirmed one is undone only by another change of the file.`;
  return `${before} After that it is in the journal and cannot be taken back.`;
}

/** Who waits for a need, and for what of it. */
export interface Waiting {
  readonly agent: string;
  readonly what: string;
}

/** What there is of a task to see who waits. */
interface HeldTask {
  readonly task: string;
  readonly holder: string | null;
}

/** Who waits: those who asked, and those who hold a task that it blocks. `blocks`: the ids of these tasks. */
export function waitingFor(
  { kind, agent }: Pick<Need, "kind" | "agent">,
  originators: readonly string[],
  blocks: readonly string[],
  tasks: readonly HeldTask[],
): readonly Waiting[] {
  const askers = kind === "approval" && agent !== null ? [agent] : kind === "escalation" ? originators : [];
  const what = kind === "approval" ? "for the answer" : "for the decision";
  const blocked = new Set(blocks);
  const holders = tasks.filter(({ task, holder }) => holder !== null && blocked.has(task));
  return [
    ...askers.map((each) => ({ agent: each, what })),
    ...holders.map(({ task, holder }) => ({ agent: holder ?? "", what: `holds ${task}, which waits for it` })),
  ];
}

/** Kinds of which the hub says which tasks wait for them. */
export const blockingKinds: ReadonlySet<Need["kind"]> = new Set(["hold", "approval", "dispute", "escalation"]);

/** Who reads the text next to the decision, and whether it must be there. */
export function reasonHint({ kind, agent }: Pick<Need, "kind" | "agent">): string {
  if (kind === "escalation") return "Your decision; those who are held up read it";
  if (kind === "hold") return "Why the phase may go on; everybody can read it";
  if (kind === "revision") return "Reason, if you decline";
  if (kind === "check" || kind === "signoff") return "";
  if (needVerbs[kind].length === 0) return `A question; ${agent ?? "the agent"} reads it`;
  return `Reason; ${agent ?? "the asker"} reads it. Needed to deny.`;
}

/** What a key says that has no meaning for what is shown. */
export function nothingToDo(order: string, key: string): string {
  const what: Readonly<Record<string, string>> = {
    approve: "There is nothing to approve or decide here.",
    deny: "There is nothing to deny here.",
    edit: "There is nothing to edit here.",
    ask: "There is nobody to ask here.",
    undo: "There is nothing to take back.",
    mark: "There is nothing to mark here.",
    snooze: "There is nothing to put off here.",
  };
  return what[order] ?? `The key ${key} means nothing here; ? shows the keys.`;
}

/** Whom a question about a need is sent to; null: nobody would answer it. */
export function askedOf({ kind, agent, target }: Pick<Need, "kind" | "agent" | "target">): string | null {
  if (kind === "unresponsive") return null;
  // A remote that cannot be reached is named by itself, and what it asks by the ask.
  if (kind === "remote") return target.includes("/") ? `${remotePrefix}${target}` : null;
  return agent;
}
