/**
 * The current state of a team: its agents, tasks, open approvals, shutdown rounds, what is held up, and the journal.
 * Each is asked again when an entry came that may have changed it, and requests that come together are joined
 * (`refetching.ts`); what changes when an agent reads, which makes no entry, is refetched now and then.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import { ok, type Result } from "../../../base/result.ts";
import type { Escalation } from "../../../escalations/state.ts";
import { forInvited, type Need, type Needs } from "../../../needs/view/need-ranking.ts";
import type { LogLine } from "../../../record/operations/entries.ts";
import type { Past } from "../../../record/operations/lanes.ts";
import type { ShutdownView } from "../../../shutdown/operations.ts";
import type { TaskView } from "../../../tasks/view/task-view.ts";
import type { TeamStatus } from "../../../team/operations/status.ts";
import { ask, type Refused, shownPaths, teamPath } from "../hub/request.ts";
import { Inbox } from "./inbox.svelte.ts";
import { Joined, type Shown as Part, touched } from "./refetching.ts";

/** Those that this list shows; handoffs have a separate list, and a request is asked for where it is opened. */
type Shown = Exclude<Part, "handoffs" | "approvals"> | "needs";

export class Facts {
  status = $state.raw<TeamStatus | null>(null);
  tasks = $state.raw<readonly TaskView[]>([]);
  /** Rounds that go on; where none does, the certificate of the last one. */
  shutdowns = $state.raw<readonly ShutdownView[]>([]);
  escalations = $state.raw<readonly Escalation[]>([]);

  /** What the team file wants beyond what is in force; null: nothing. */
  readonly proposal = $derived(this.status?.proposal ?? null);
  /** The task that a silent agent held, by agent. */
  readonly lost: ReadonlyMap<string, string> = $derived.by(
    () =>
      new Map(
        this.needs.flatMap(({ kind, agent, task }) =>
          kind === "unresponsive" && agent !== null && task !== null ? [[agent, task] as const] : [],
        ),
      ),
  );
  /** How much needs the person, who decides something here. */
  readonly waiting = $derived.by(() => (this.inbox.isReadOnly ? 0 : this.inbox.total));

  readonly inbox: Inbox;

  /** Why the last asking for each failed; empty: it did not. */
  #problems = $state.raw<Readonly<Partial<Record<Shown, readonly Problem[]>>>>({});
  /** Why something that is shown may be old; empty: nothing failed. */
  readonly problems = $derived(Object.values(this.#problems).find((problems) => problems.length > 0) ?? []);
  #needs = $state.raw<Needs | null>(null);
  /** What needs the owner, also where somebody else looks, who decides less. */
  readonly needs = $derived(this.#needs?.needs ?? []);
  readonly #isPast: boolean;
  readonly #parts: { readonly [Each in Shown]: Joined };

  /** `at`: the entry as of which the facts are; absent: the present. `isReadOnly`: nothing is decided here. */
  constructor(
    team: string,
    clock: Clock,
    {
      at = null,
      isReadOnly = at !== null,
      isInvited = false,
    }: Partial<Pick<Inbox, "isReadOnly" | "isInvited">> & { readonly at?: number | null } = {},
  ) {
    this.inbox = new Inbox(team, clock, { isReadOnly, isInvited });
    const paths = shownPaths(team);
    const part = <Answer>(name: Shown, take: (answer: Answer) => void) =>
      new Joined(async () => {
        const answer = at === null ? await ask<Answer>(paths[name]) : await askPast<Answer>(team, at, name);
        if (answer.ok) take(answer.value);
        this.#problems = { ...this.#problems, [name]: answer.ok ? [] : answer.error.problems };
      }, clock);
    this.#parts = {
      status: part<TeamStatus>("status", (status) => {
        this.status = status;
        this.#takeNeeds();
      }),
      needs: part<Needs>("needs", (needs) => {
        this.#needs = needs;
        this.#takeNeeds();
      }),
      tasks: part<{ tasks: readonly TaskView[] }>("tasks", ({ tasks }) => {
        this.tasks = tasks;
      }),
      escalations: part<{ escalations: readonly Escalation[] }>("escalations", ({ escalations }) => {
        this.escalations = escalations;
      }),
      shutdowns: part<{ shutdowns: readonly ShutdownView[] }>("shutdowns", ({ shutdowns }) => {
        this.shutdowns = shutdowns;
      }),
    };
    this.#isPast = at !== null;
  }

  /** Shows what others say until its own is there: nothing flickers while somebody steps through the past. */
  showAs({ status, tasks, escalations }: Facts): void {
    Object.assign(this, { status, tasks, escalations });
  }

  /** A change of the team file that was declined needs nobody, but may still be confirmed. */
  #takeNeeds(): void {
    if (this.#needs === null) return;
    const { needs } = this.#needs;
    // Of two answers one may be older and list it as waiting still.
    const declined = declinedNeed(this.proposal).filter(({ id }) => needs.every((need) => need.id !== id));
    const all = { ...this.#needs, needs: [...needs, ...declined] };
    this.inbox.take(this.inbox.isInvited ? forInvited(all) : all);
  }

  /** Asks for everything now; what is being asked for is asked once more. */
  async refresh(): Promise<void> {
    // The hub does not show shutdown rounds of the past.
    const parts = Object.entries(this.#parts).filter(([name]) => !this.#isPast || name !== "shutdowns");
    await Promise.all(parts.map(([, part]) => part.run()));
  }

  /** An entry came: what it may have changed is asked for again, a moment later. */
  follow(line: LogLine): void {
    // A round that is only being asked for may be one that the entry is of.
    const isStopping = this.shutdowns.length > 0 || this.#parts.shutdowns.isUnderWay;
    // What needs the person may follow from any entry but that an agent has read something.
    if (line.kind !== "ack") void this.#parts.needs.soon();
    for (const part of touched(line, isStopping)) {
      if (part !== "handoffs" && part !== "approvals") void this.#parts[part].soon();
    }
  }

  /** Asks for what changes without an entry: who reads, and how long a claim lasts by its holder's heartbeats. */
  async refreshUnseen(): Promise<void> {
    const isClaimed = this.tasks.some(({ expiresAt }) => expiresAt !== null);
    await Promise.all([
      this.#parts.status.run(),
      this.#parts.needs.run(),
      isClaimed ? this.#parts.tasks.run() : undefined,
    ]);
  }
}

/** What the hub answers of the past; a list is there without the name that it has in an answer of the present. */
async function askPast<Answer>(team: string, at: number, name: Shown): Promise<Result<Answer, Refused>> {
  const answer = await ask<Past>(teamPath(team, `at/${at}/${name}`));
  if (!answer.ok) return answer;
  const { value } = answer.value;
  // The hub promises what the operation of that view answers.
  return ok((Array.isArray(value) ? { [name]: value } : value) as Answer);
}

function declinedNeed(proposal: TeamStatus["proposal"]): readonly Need[] {
  if (proposal?.status !== "declined") return [];
  const need = {
    id: `revision:${proposal.id}`,
    kind: "revision",
    triage: "decide",
    subject: "The team file differs from what is in force.",
    asks: null,
    help: null,
    why: `You declined this change${proposal.reason === null ? "" : `: ${proposal.reason}`}`,
    agent: null,
    task: null,
    plan: null,
    phase: null,
    target: proposal.id,
    requestType: null,
    blocks: [],
    blocksTotal: 0,
    dueAt: null,
    dueBy: null,
    since: null,
    group: null,
    subgroup: null,
    count: 1,
    ifSeq: 0,
  } as const satisfies Need;
  return [need];
}
