/**
 * What stands in a team now: its agents, tasks, open approvals, shutdown rounds, what is held up, and the journal. Asked anew when entries come, at most a few times
 * a second, and now and then without one, as an agent's reading makes no entry.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import type { ApprovalState } from "../../../coordination/approvals.ts";
import type { TaskView } from "../../../coordination/board.ts";
import type { Escalation } from "../../../coordination/escalation-state.ts";
import type { ShutdownView } from "../../../runtime/shutdown-certificate.ts";
import type { TeamStatus } from "../../../runtime/team-status.ts";
import { ask, teamPath } from "../hub/request.ts";
import { ApprovalCards } from "./approval-cards.svelte.ts";
import { Joined } from "./joined.ts";

export class Facts {
  status = $state.raw<TeamStatus | null>(null);
  approvals = $state.raw<readonly ApprovalState[]>([]);
  tasks = $state.raw<readonly TaskView[]>([]);
  /** Rounds that go on; where none does, the certificate of the last one. */
  shutdowns = $state.raw<readonly ShutdownView[]>([]);
  escalations = $state.raw<readonly Escalation[]>([]);
  /** Why the last asking failed; empty: it did not. */
  problems = $state.raw<readonly Problem[]>([]);
  /** Counts answers: what is shown in detail is asked anew when it changes. */
  turn = $state(0);

  readonly cards: ApprovalCards;

  readonly #team: string;
  readonly #joined: Joined;

  constructor(team: string, clock: Clock) {
    this.#team = team;
    this.#joined = new Joined(() => this.#ask(), clock);
    this.cards = new ApprovalCards(team, clock);
  }

  /** Asks for everything; calls while it is asking are joined into one more. */
  refresh(): Promise<void> {
    return this.#joined.run();
  }

  async #ask(): Promise<void> {
    const [status, approvals, tasks, escalations, shutdowns] = await Promise.all([
      ask<TeamStatus>(teamPath(this.#team, "status")),
      ask<{ readonly approvals: readonly ApprovalState[] }>(teamPath(this.#team, "approvals")),
      ask<{ readonly tasks: readonly TaskView[] }>(teamPath(this.#team, "tasks")),
      ask<{ readonly escalations: readonly Escalation[] }>(teamPath(this.#team, "escalations")),
      ask<{ readonly shutdowns: readonly ShutdownView[] }>(`${teamPath(this.#team, "shutdowns")}?latest=true`),
    ]);
    if (status.ok) this.status = status.value;
    if (approvals.ok) {
      this.approvals = approvals.value.approvals;
      this.cards.take(this.approvals);
    }
    if (tasks.ok) this.tasks = tasks.value.tasks;
    if (escalations.ok) this.escalations = escalations.value.escalations;
    if (shutdowns.ok) this.shutdowns = shutdowns.value.shutdowns;
    const failed = [status, approvals, tasks, escalations, shutdowns].find((answer) => !answer.ok);
    this.problems = failed === undefined || failed.ok ? [] : failed.error.problems;
    this.turn += 1;
  }
}
