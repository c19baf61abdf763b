/**
 * The record as people look at it, without its bookkeeping: which entries a view shows. Judged by a line of the log alone,
 * so the journal's reader, those who follow and the hub's page show the same. Pure, and fit for a browser.
 */
import { ownerName } from "../message/principal.ts";
import type { LogLine } from "./log-line.ts";

/**
 * `messages`: what was said and what was turned down, that is messages, the owner's answers, acts and deadlines that
 * somebody was told of, agents' refusals, and where entries were lost. `refusals`: what agents were refused.
 */
export const logViews = ["messages", "refusals"] as const;

export type LogView = (typeof logViews)[number];

/** What of a line a view is judged by. */
export type Gist = Pick<LogLine, "kind" | "sender" | "receivers" | "fact">;

/**
 * Whether a view shows the line. A command that speaks, as the owner's answer does, states a fact; a command or a deadline
 * that somebody is told of has receivers.
 */
export function isInView({ kind, sender, receivers, fact }: Gist, view: LogView): boolean {
  // A slip of the owner's own is not what a team's reader looks for.
  if (kind === "refusal") return sender !== ownerName;
  if (view === "refusals") return false;
  if (kind === "command") return fact !== null || receivers.length > 0;
  if (kind === "timer") return receivers.length > 0;
  return kind === "message" || kind === "epoch";
}
