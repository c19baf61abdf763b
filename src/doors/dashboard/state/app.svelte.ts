/** The page as a whole: whether there is a session, which team is watched, and what time it is for the ages shown. */
import { type Clock, systemClock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import { ask, exchangeToken, openSession, type Session, takeCode } from "../hub/request.ts";
import { TeamView } from "./team-view.svelte.ts";

export type Phase = "starting" | "signed-out" | "unreachable" | "no-team" | "ready";

const secondMs = 1000;

export class App {
  phase = $state<Phase>("starting");
  session = $state.raw<Session | null>(null);
  team = $state.raw<TeamView | null>(null);
  problems = $state.raw<readonly Problem[]>([]);
  /** Milliseconds since the epoch, moved every second: ages are shown by it. */
  now = $state(0);

  readonly clock: Clock = systemClock;
  #checking = false;
  /** Counts entries by a code: a newer one ends the waiting of an older. */
  #turn = 0;

  /** Shows the first team, or why there is none; again whenever a code comes into the address of the open page. */
  async start(): Promise<void> {
    this.now = this.clock.now();
    void this.#tick();
    window.addEventListener("hashchange", () => {
      const code = takeCode(location, history);
      if (code !== null && this.phase !== "ready") void this.#enter(code);
    });
    await this.#enter(takeCode(location, history));
  }

  async #enter(code: string | null): Promise<void> {
    const turn = ++this.#turn;
    for (;;) {
      const session = await openSession(code);
      if (turn !== this.#turn) return;
      if (session.ok) return this.#begin(session.value);
      // A visitor without a code learns how to get one, not that one is missing.
      this.problems = code === null && session.error.status === 401 ? [] : session.error.problems;
      this.phase = session.error.status === 0 ? "unreachable" : "signed-out";
      if (session.error.status !== 0) return;
      await this.clock.wait(secondMs * 2);
    }
  }

  /** Watches this team instead of the present one. */
  watch(name: string): void {
    this.team?.close();
    const team = new TeamView(name, this.clock, () => void this.#checkSession());
    this.team = team;
    this.phase = "ready";
    void team.open();
  }

  /** Begins a session with the owner's token. */
  async signIn(token: string): Promise<void> {
    const exchanged = await exchangeToken(token);
    if (exchanged.ok) await this.#enter(null);
    else this.problems = exchanged.error.problems;
  }

  /** Ends the session here and at the hub. */
  async signOut(): Promise<void> {
    await ask("/api/session", { method: "DELETE" });
    this.#leave([]);
  }

  #begin(session: Session): void {
    this.session = session;
    this.problems = [];
    const first = session.team ?? session.teams[0];
    if (first === undefined) this.phase = "no-team";
    else this.watch(first);
  }

  /** A stream that is refused means a session that is over, or a hub in trouble; only the first ends the page. */
  async #checkSession(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const session = await ask<Session>("/api/session");
    this.#checking = false;
    if (!session.ok && session.error.status === 401) this.#leave(session.error.problems);
  }

  #leave(problems: readonly Problem[]): void {
    this.team?.close();
    this.team = null;
    this.session = null;
    this.problems = problems;
    this.phase = "signed-out";
  }

  async #tick(): Promise<void> {
    for (;;) {
      await this.clock.wait(secondMs);
      this.now = this.clock.now();
    }
  }
}
