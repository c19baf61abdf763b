/**
 * The checker: everything that must be true at every step, compared with separate models. It reads the entries and the
 * answers as they were given, and asks no decider.
 */
import type { Entry } from "../../../src/journal/entry.ts";
import type { Act, Told } from "../agents/act.ts";
import { checkDenial } from "./denial-check.ts";
import { type Models, newModels, takeEvent } from "./models.ts";
import { see, type Wrong } from "./seen.ts";

export interface Checker {
  readonly models: Models;
  /** What was found wrong, in order. */
  readonly wrongs: readonly string[];
  /** An entry of the journal. */
  takeEntry(entry: Entry, atMs: number): void;
  /** What the core told somebody who had asked. */
  takeTold(act: Act, told: Told, asked: AskedAt): void;
  /** Something found wrong elsewhere. */
  wrong: Wrong;
}

/** The state of the team when an operation reached the core, when that was, and whether its process could write. */
export interface AskedAt {
  readonly head: number;
  readonly atMs: number;
  readonly isWritable: boolean;
}

/** The operation that an agent asked under an id; null: none, or several. */
type ActOf = (agent: string, id: string) => Act | null;

/** A checker of a team that has no entry yet. */
export function newChecker(actOf: ActOf, hasRepository: boolean): Checker {
  const wrongs: string[] = [];
  const wrong: Wrong = (what) => void wrongs.push(what);
  const models = newModels(wrong, hasRepository);
  return {
    models,
    wrongs,
    wrong,
    takeEntry: (entry, atMs) => takeEntry(models, wrong, actOf, { entry, atMs }),
    takeTold: (act, told, asked) => takeTold(models, wrong, act, { told, asked }),
  };
}

function takeEntry(
  models: Models,
  wrong: Wrong,
  actOf: ActOf,
  { entry, atMs }: { readonly entry: Entry; readonly atMs: number },
): void {
  const { record, counts, roster, health, escalations, handoffs, shutdowns, mail, signs } = models;
  const seen = see(entry, atMs);
  const { events = [], team = [], effect, problems } = seen.content;
  const { agent } = entry.principal;
  record.take(seen);
  counts.set(entry.kind, (counts.get(entry.kind) ?? 0) + 1);
  roster.checkPrincipal(seen);
  escalations.checkLeft(seen);
  handoffs.checkLeaving(seen);
  health.checkProgram(seen, entry.id === null ? undefined : actOf(agent, entry.id)?.program);
  checkDenial(models, seen, actOf, wrong);
  if (entry.kind === "refusal" && events.length > 0) wrong("a refusal has an effect");
  if (effect === false && events.length > 0) wrong(`entry ${entry.seq} is only shown, and has an effect`);
  for (const event of events) takeEvent(models, event, seen);
  for (const event of team) {
    roster.take(event, seen);
    if (event.event !== "team-revised") continue;
    models.takeDefinition(event.definition);
    signs.revise(atMs);
  }
  shutdowns.checkEntry(seen);
  health.checkEntry(seen);
  handoffs.checkEntry(seen);
  mail.take(seen);
  // What a program does that was replaced says nothing of its agent.
  if (problems?.[0]?.code !== "session-replaced") signs.sign(agent, atMs);
}

function takeTold(
  { record, work, mail, signs }: Models,
  wrong: Wrong,
  { id, agent, asked: act }: Act,
  { told: { reply, inbox, granted }, asked }: { readonly told: Told; readonly asked: AskedAt },
): void {
  if (reply !== null && reply.outcome !== "failed" && reply.receipt !== null) record.takeReceipt(reply.receipt);
  const receipt = reply?.outcome === "accepted" && act.do !== "acknowledge" ? reply.receipt : null;
  if (receipt !== null && receipt.id !== id) wrong(`${agent} asked under ${id}, and has a receipt for ${receipt.id}`);
  if (granted !== null) {
    const known = work.find(granted.task, null)?.grants ?? [...work.tasks.values()].flatMap(({ grants }) => grants);
    const isKnown = known.some(({ holder, token }) => holder === agent && token === granted.token);
    if (!isKnown) wrong(`${agent} gets the token ${granted.token} of ${granted.task}, which is none`);
  }
  if (inbox === null || act.do !== "inbox") return;
  mail.checkPage(agent, inbox, { head: asked.head, limit: act.limit });
  // A process that cannot write keeps no sign either.
  if (asked.isWritable) signs.sign(agent, asked.atMs);
}
