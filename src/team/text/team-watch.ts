/**
 * `baton watch` on a terminal: the whole screen, drawn again whenever something is recorded and once a second, and the keys
 * to decide. A decision waits five seconds in which it can be taken back. The terminal is left as it was found, whatever
 * ends it.
 */
import { systemClock } from "../../base/clock.ts";
import { newMessageId } from "../../base/new-ids.ts";
import { visible } from "../../base/text.ts";
import type { Call } from "../../doors/cli/kernel/command.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { type Need, type NeedVerb, needVerbs, undoMs, verbsWithReason } from "../../needs/view/need-ranking.ts";
import { problemsOf, type Reply } from "../../perform/operations/reply.ts";
import type { Team } from "../../perform/team.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import { chosenNeed, meantNeeds, type ScreenState, screenLines, shownNeeds, undecided } from "./team-screen.ts";

/** Entries that come together are one look. */
const gatherMs = 150;
const tickMs = 1_000;
/** Looked at again without an entry: who reads makes none. */
const lookMs = 10_000;
const recentMax = 200;

const enter = "\u001b[?1049h\u001b[?25l";
const leave = "\u001b[?25h\u001b[?1049l";

/** Shows the team until the person leaves. `size`: of the terminal now. */
export async function watchTeam(
  call: Call,
  team: Team,
  size: () => { rows: number; columns: number },
): Promise<ExitCode> {
  const screen = new TeamWatch(call, team, size);
  const { stdin, stdout } = process;
  const draw = () => screen.draw();
  const keys = (data: Buffer | string) => screen.typed(data.toString());
  const restore = () => void stdout.write(leave);
  process.once("exit", restore);
  call.signal.addEventListener("abort", () => screen.end(), { once: true });
  stdout.write(enter);
  stdin.setRawMode(true);
  stdin.on("data", keys).once("end", () => screen.end());
  stdout.on("resize", draw);
  try {
    await screen.run();
  } finally {
    stdin.off("data", keys).setRawMode(false).pause();
    stdout.off("resize", draw);
    process.off("exit", restore);
    restore();
  }
  return exitCodes.done;
}

/** What is shown, what was typed, and what is about to be sent. */
class TeamWatch {
  readonly #call: Call;
  readonly #team: Team;
  readonly #size: () => { rows: number; columns: number };
  readonly #left = new AbortController();
  #state: ScreenState = {
    status: null,
    needs: null,
    tasks: [],
    recent: [],
    chosen: null,
    isOpen: false,
    foreseen: null,
    writing: null,
    filter: "",
    marked: new Set(),
    pending: null,
    told: "",
    nowMs: systemClock.now(),
  };
  /** The decision that waits to be sent. */
  #undo: AbortController | null = null;
  #dueMs = 0;
  /** The entries of the decisions that were made here, by need. */
  readonly #decided = new Map<string, number>();
  #isLooking = false;
  #isLookDue = false;

  constructor(call: Call, team: Team, size: () => { rows: number; columns: number }) {
    this.#call = call;
    this.#team = team;
    this.#size = size;
  }

  end(): void {
    this.#left.abort();
  }

  async run(): Promise<void> {
    const { signal } = this.#left;
    this.draw();
    const status = await this.#team.status();
    const head = status.ok ? status.value.head.seq : 0;
    if (!status.ok) this.#set({ told: status.error.message });
    const recent: LogLine[] = [];
    for await (const line of this.#team.log({ before: head + 1, limit: recentMax, newestFirst: true })) {
      if (!line.ok || signal.aborted) break;
      recent.push(line.value);
    }
    this.#set({ recent: recent.slice(0, recentMax) });
    await this.#look();
    await Promise.all([this.#follow(head, signal), this.#tick(signal)]);
  }

  async #follow(after: number, signal: AbortSignal): Promise<void> {
    let head = after;
    while (!signal.aborted) {
      for await (const line of this.#team.follow({ after: head, signal })) {
        if (signal.aborted || line.seq <= head) continue;
        head = line.seq;
        this.#set({ recent: [line, ...this.#state.recent].slice(0, recentMax) });
        void this.#lookSoon();
      }
      // Following ends by itself where it can no longer be done: the status says why, and it begins again.
      await this.#look();
      await systemClock.wait(tickMs, signal);
    }
  }

  async #tick(signal: AbortSignal): Promise<void> {
    for (let at = 1; !signal.aborted; at += 1) {
      await systemClock.wait(tickMs, signal);
      if (at % (lookMs / tickMs) === 0) void this.#lookSoon();
      this.#set({});
    }
  }

  async #lookSoon(): Promise<void> {
    if (this.#isLookDue) return;
    this.#isLookDue = true;
    await systemClock.wait(gatherMs, this.#left.signal);
    this.#isLookDue = false;
    if (!this.#left.signal.aborted) await this.#look();
  }

  /** Asks for the current state, once at a time. */
  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const [status, needs, tasks] = [await this.#team.status(), await this.#team.needs(), await this.#team.tasks()];
    this.#isLooking = false;
    const problem = [status, needs, tasks].find(({ ok }) => !ok);
    this.#set({
      ...(status.ok ? { status: status.value } : {}),
      ...(needs.ok ? { needs: undecided(needs.value, this.#decided) } : {}),
      ...(tasks.ok ? { tasks: tasks.value } : {}),
      ...(problem === undefined || problem.ok ? {} : { told: problem.error.message }),
    });
  }

  #set(change: Partial<ScreenState>): void {
    const nowMs = systemClock.now();
    const { pending } = this.#state;
    const seconds = Math.max(1, Math.ceil((this.#dueMs - nowMs) / 1000));
    this.#state = {
      ...this.#state,
      ...(pending === null ? {} : { pending: { ...pending, seconds } }),
      nowMs,
      ...change,
    };
    this.draw();
  }

  draw(): void {
    if (this.#left.signal.aborted) return;
    const lines = screenLines(this.#state, { ...this.#size(), paint: this.#call.output.paint.stdout });
    // From the top, each line cleared behind its end, and everything below the last.
    process.stdout.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join("\n")}\u001b[J`);
  }

  /** Keys as the terminal sends them; several may come at once. */
  typed(data: string): void {
    // A sequence that begins with escape is one key.
    for (const [key] of data.matchAll(/\u001b\[[0-9;]*[A-Za-z~]|./gsu)) this.#key(key);
  }

  #key(key: string): void {
    if (key === "\u0003") this.end();
    else if (this.#state.writing === null) this.#order(key);
    else this.#write(key, this.#state.writing);
  }

  #write(key: string, { verb, text }: NonNullable<ScreenState["writing"]>): void {
    if (key === "\u001b") this.#set({ writing: null, told: "", ...(verb === "find" ? { filter: "" } : {}) });
    else if (key === "\r" || key === "\n") {
      if (verb === "find") this.#set({ writing: null });
      else this.#decide(verb, text.trim());
    } else if (key === "\u007f" || key === "\b") this.#type(verb, [...text].slice(0, -1).join(""));
    else if (key === "\u0015") this.#type(verb, "");
    else if (visible(key) === key) this.#type(verb, text + key);
  }

  /** What somebody looks for narrows the screen while it is written. */
  #type(verb: NeedVerb | "find", text: string): void {
    this.#set({ writing: { verb, text }, ...(verb === "find" ? { filter: text } : {}) });
  }

  #order(key: string): void {
    const need = chosenNeed(this.#state);
    const verbs = need === null ? [] : (needVerbs[need.kind] ?? []);
    if (key === "q") this.end();
    else if (key === "j" || key === "\u001b[B") this.#move(1);
    else if (key === "k" || key === "\u001b[A") this.#move(-1);
    else if (key === "\r") void this.#open(need);
    else if (key === "\u001b") this.#leave();
    else if (key === "z") this.#takeBack();
    else if (key === "/") this.#set({ writing: { verb: "find", text: this.#state.filter }, isOpen: false, told: "" });
    else if (key === "x" && need !== null) this.#mark(need.id);
    else if ((key === "a" || key === "d") && this.#state.pending === null) {
      const verb = verbs[key === "a" ? 0 : 1];
      if (verb !== undefined) this.#set({ chosen: need?.id ?? null, writing: { verb, text: "" }, told: "" });
    }
  }

  /** Back by one step: from an opened need, then from the marks, then from what the screen is narrowed to. */
  #leave(): void {
    const { isOpen, marked } = this.#state;
    if (isOpen) this.#set({ isOpen: false, told: "" });
    else if (marked.size > 0) this.#set({ marked: new Set(), told: "" });
    else this.#set({ filter: "", told: "" });
  }

  #mark(id: string): void {
    const marked = new Set(this.#state.marked);
    if (!marked.delete(id)) marked.add(id);
    this.#set({ marked, told: "" });
    this.#move(1);
  }

  #move(by: number): void {
    const needs = shownNeeds(this.#state);
    const at = needs.findIndex(({ id }) => id === chosenNeed(this.#state)?.id);
    const next = needs[Math.min(Math.max(at + by, 0), needs.length - 1)];
    if (next === undefined) return;
    if (this.#state.isOpen) void this.#open(next);
    else this.#set({ chosen: next.id });
  }

  /** Shows it whole; of a request also its evidence and what follows from an answer. */
  async #open(need: Need | null): Promise<void> {
    this.#set({ isOpen: true, chosen: need?.id ?? null });
    if (need?.kind !== "approval") return;
    const request = need.target;
    const [asked, effect] = [await this.#team.approvals({ request }), await this.#team.effect({ request })];
    if (!asked.ok || !effect.ok) return;
    const { approve, deny } = effect.value;
    const facts = [
      ["evidence", asked.value.find(({ requester }) => requester === need.agent)?.evidence ?? null],
      ["if yes", [...approve.says, ...approve.problems.map(({ message }) => message)].join(" ")],
      ["if no", deny.says.join(" ")],
    ] as const;
    this.#set({ foreseen: { id: need.id, facts } });
  }

  #takeBack(): void {
    if (this.#undo === null) return;
    this.#undo.abort();
    this.#undo = null;
    this.#set({ pending: null, told: "Taken back; nothing was sent." });
  }

  #decide(verb: NeedVerb, reason: string): void {
    const needs = meantNeeds(this.#state, verb);
    const [first] = needs;
    if (first === undefined || (reason === "" && verbsWithReason.has(verb))) {
      this.#set(
        first === undefined ? { writing: null } : { told: "Say why: those who wait act on it, and it is recorded." },
      );
      return;
    }
    const undo = new AbortController();
    this.#undo = undo;
    this.#dueMs = systemClock.now() + undoMs;
    const subject = needs.length === 1 ? first.subject : `${needs.length} needs`;
    this.#set({ writing: null, told: "", pending: { verb, subject, seconds: undoMs / 1000 } });
    void this.#sendLater(needs, verb, reason, AbortSignal.any([undo.signal, this.#left.signal]));
  }

  /** Sends the decision on each, one by one; each is recorded or refused for itself. */
  async #sendLater(meant: readonly Need[], verb: NeedVerb, reason: string, signal: AbortSignal): Promise<void> {
    await systemClock.wait(undoMs, signal);
    if (signal.aborted) return;
    this.#undo = null;
    const replies: (readonly [Need, Reply])[] = [];
    for (const need of meant) {
      const reply = await sendDecision(this.#team, need, { verb, reason });
      if (reply.outcome === "accepted") this.#decided.set(need.id, reply.receipt.seq);
      replies.push([need, reply]);
    }
    const { needs, isOpen } = this.#state;
    const left = needs === null ? null : undecided(needs, this.#decided);
    const isDone = replies.every(([, { outcome }]) => outcome === "accepted");
    this.#set({
      pending: null,
      told: toldOfDecisions(verb, replies),
      needs: left,
      marked: new Set(
        replies.flatMap(([{ id }, { outcome }]) => (meant.length > 1 && outcome !== "accepted" ? [id] : [])),
      ),
      isOpen: !isDone && isOpen,
    });
    void this.#lookSoon();
  }
}

/* Decisions as they are sent, and what became of them. */

/** A decision with its reason, which may be empty where none is needed. */
interface Decision {
  readonly verb: NeedVerb;
  readonly reason: string;
}

/** Sends the decision; it counts only for what was shown. */
function sendDecision(team: Team, { target, ifSeq }: Need, { verb, reason }: Decision): Promise<Reply> {
  const named = { id: newMessageId() };
  switch (verb) {
    case "approve":
    case "deny":
      return team.answer(
        { request: target, approved: verb === "approve", reason: reason === "" ? "approved" : reason, ifSeq },
        named,
      );
    case "decide":
      return team.resolve({ escalation: target, decision: reason, ifSeq }, named);
    case "lift":
      return team.liftStop({ stop: target, reason, ifSeq }, named);
    case "ship":
      return team.endPhase({ phase: target }, named);
    case "once":
    case "always":
    case "no":
      return team.answerCheck({ check: target, as: verb, ifSeq }, named);
    case "confirm":
      return team.confirmRevision({ proposal: target }, named);
    case "decline":
      return team.declineRevision({ proposal: target, ...(reason === "" ? {} : { reason }) }, named);
  }
}

/** What became of decisions that were made together, in a line. */
function toldOfDecisions(verb: NeedVerb, replies: readonly (readonly [Need, Reply])[]): string {
  const recorded = replies.flatMap(([, reply]) => (reply.outcome === "accepted" ? [reply.receipt.seq] : []));
  const [first] = replies.filter(([, { outcome }]) => outcome !== "accepted");
  if (first === undefined) {
    return replies.length === 1
      ? `${verb}: recorded, entry ${recorded[0]}`
      : `${verb}: ${replies.length} recorded, entries ${recorded.join(", ")}`;
  }
  const [need, reply] = first;
  const [problem] = problemsOf(reply);
  const of = replies.length === 1 ? "" : ` ${recorded.length} of ${replies.length} recorded. ${need.subject}`;
  return `${verb}:${of} not recorded. ${problem?.message ?? ""}`;
}
