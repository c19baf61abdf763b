/** The page as a whole: whether there is a session, which team is watched, and what time it is for the ages shown. */
import type { Clock } from "../../../base/clock.ts";
import type { Problem } from "../../../base/problem.ts";
import {
  ask,
  type Brought,
  endSession,
  exchangeToken,
  hubClock,
  openSession,
  type Session,
  takeCode,
  teamsOf,
} from "../hub/request.ts";
import type { Place } from "../shown/places.ts";
import { Router } from "./router.svelte.ts";
import { TeamView } from "./team-view.svelte.ts";

export type Phase = "starting" | "signed-out" | "unreachable" | "no-team" | "nowhere" | "ready";

const secondMs = 1000;
/** A team whose state is there sooner is drawn once, with it; after so long it is drawn without. */
const waitMs = 500;

/** Where a team's page begins. */
export function homeOf(team: string): Place {
  return { team, view: "overview", item: null, query: {} };
}

export class App {
  phase = $state<Phase>("starting");
  session = $state.raw<Session | null>(null);
  team = $state.raw<TeamView | null>(null);
  problems = $state.raw<readonly Problem[]>([]);
  /** Whether this browser came by a link to read or decide that opens nothing any more. */
  isLinkOver = $state(false);
  /** The hub's time in milliseconds since the epoch, moved every second: ages are shown by it. */
  now = $state(0);

  readonly clock: Clock = hubClock;
  readonly router = new Router();
  #checking = false;
  /** The team that is shown, or will be in a moment. */
  #coming: TeamView | null = null;
  /** Counts entries by a code: a newer one ends the waiting of an older. */
  #turn = 0;

  /** Shows a team, or why there is none; again whenever a code comes into the address of the open page. */
  async start(): Promise<void> {
    this.now = this.clock.now();
    void this.#tick();
    window.addEventListener("hashchange", () => {
      const code = takeCode(location, history);
      if (code !== null && this.phase !== "ready") void this.#enter(code);
    });
    await this.#enter(takeCode(location, history));
  }

  async #enter(brought: Brought | null): Promise<void> {
    const turn = ++this.#turn;
    for (;;) {
      const session = await openSession(brought);
      if (turn !== this.#turn) return;
      if (session.ok) return this.#begin(session.value);
      // A visitor without a code learns how to get one, not that one is missing.
      this.problems = brought === null && session.error.status === 401 ? [] : session.error.problems;
      this.isLinkOver = brought?.what === "share" && session.error.status === 401;
      this.phase = session.error.status === 0 ? "unreachable" : "signed-out";
      if (session.error.status !== 0) return;
      await this.clock.wait(secondMs * 2);
    }
  }

  /** The teams that may be watched. */
  get teams(): readonly string[] {
    return this.session === null ? [] : teamsOf(this.session);
  }

  /** Shows the team that the address names, without one the first. Called again when the address changes. */
  arrive(): void {
    if (this.session === null) return;
    const { place, isLost } = this.router;
    const [first] = this.teams;
    if (first === undefined) this.phase = "no-team";
    else if (isLost || (place !== null && !this.teams.includes(place.team))) {
      this.#stop();
      this.phase = "nowhere";
    } else if (place === null) this.router.go(homeOf(first), { replace: true });
    else if (this.#coming?.name !== place.team) this.#watch(place.team);
  }

  #watch(name: string): void {
    this.#stop();
    const team = new TeamView(name, this.router, {
      clock: this.clock,
      present: () => this.now,
      onRefused: () => void this.#checkSession(),
      readsUntil: this.session?.readOnlyUntil ?? null,
      person: this.session?.person ?? null,
    });
    this.#coming = team;
    const loaded = team.load();
    void team.open(loaded);
    void Promise.race([loaded, this.clock.wait(waitMs)]).then(() => {
      if (this.#coming !== team) return;
      this.team = team;
      this.phase = "ready";
    });
  }

  #stop(): void {
    this.#coming?.leave();
    this.#coming = null;
    this.team = null;
  }

  /** Begins a session with the owner's token. */
  async signIn(token: string): Promise<void> {
    const exchanged = await exchangeToken(token);
    if (exchanged.ok) await this.#enter(null);
    else this.problems = exchanged.error.problems;
  }

  async signOut(): Promise<void> {
    await endSession();
    this.#leave([]);
  }

  #begin(session: Session): void {
    this.session = session;
    this.problems = [];
    this.isLinkOver = false;
    // The first answer says what time it is there.
    this.now = this.clock.now();
  }

  /** A stream that is refused means a session that is over, or a hub in trouble; only the first ends the page. */
  async #checkSession(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    const session = await ask<Session>("/api/session");
    this.#checking = false;
    if (session.ok || session.error.status !== 401) return;
    this.isLinkOver = this.session !== null && this.session.readOnlyUntil !== null;
    this.#leave(this.isLinkOver ? [] : session.error.problems);
  }

  #leave(problems: readonly Problem[]): void {
    this.#stop();
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
