/**
 * The state of an agent in a shutdown round, in words for people: the command and the hub's page say the same. What
 * agents wrote is in it as they wrote it, so callers that show it must make it harmless. Pure, and fit for a browser.
 */
import { counted } from "../../base/text.ts";
import type { ShutdownView, StoppingView } from "../operations.ts";

/** How many uncommitted files are named. */
const filesShown = 5;

/** Whether and how it has stopped, and that it left something behind: what, `leftBehind` says. */
export function stoppingStatusOf(part: StoppingView): string {
  const { outcome, refusals, silences, joined } = part;
  if (joined) return "joined during the round, not asked";
  if (outcome === "not_addressed") return "not asked";
  if (outcome !== null) {
    const ended = endings[outcome] ?? outcome.replaceAll("_", " ");
    return leavesWork(part) ? `${ended}, and left behind` : ended;
  }
  if (refusals > 0) return `refused${refusals > 1 ? ` ${refusals} times` : ""}, works on`;
  return silences > 0 ? `silent ${silences === 1 ? "once" : `${silences} times`}, asked again` : "waited for";
}

const endings: { readonly [outcome in NonNullable<StoppingView["outcome"]>]?: string } = {
  clean: "stopped",
  "left-work": "stopped",
  gone: "had ended",
  idle: "was idle",
};

/** What an agent can leave behind. */
export type LeftBehind = Pick<
  StoppingView,
  | "pendingWork"
  | "openClaims"
  | "disputed"
  | "gone"
  | "unverified"
  | "handoffs"
  | "unread"
  | "artifactsCommitted"
  | "uncommitted"
>;

/** What it left behind, each thing for itself; empty: nothing. */
export function leftBehind(part: LeftBehind): readonly string[] {
  const {
    pendingWork,
    openClaims,
    disputed,
    gone,
    unverified,
    handoffs = [],
    unread,
    artifactsCommitted,
    uncommitted,
  } = part;
  return [
    ...(pendingWork.length === 0 ? [] : [`pending: ${pendingWork.join("; ")}`]),
    ...(openClaims.length === 0 ? [] : [`claims: ${openClaims.join(", ")}`]),
    ...(disputed.length === 0 ? [] : [`disputed: ${disputed.join(", ")}`]),
    ...(gone.length === 0 ? [] : [`gone: ${gone.join(", ")}`]),
    ...(unverified.length === 0 ? [] : [`not verified: ${unverified.join(", ")}`]),
    ...(handoffs.length === 0 ? [] : [`handoffs: ${handoffs.join(", ")}`]),
    ...(unread === 0 ? [] : [counted(unread, "unread message")]),
    ...(artifactsCommitted === false ? ["artifacts not committed, as it says"] : []),
    ...filesLeft(uncommitted),
  ];
}

/** Whether it left work behind: mail that nobody read is none. */
export function leavesWork(part: LeftBehind): boolean {
  return leftBehind({ ...part, unread: 0 }).length > 0;
}

/** What is uncommitted and was in nobody's hand; empty: nothing, or nobody looked. */
export function leftByNobody({ uncommitted }: ShutdownView): readonly string[] {
  return filesLeft(uncommitted);
}

function filesLeft(found: StoppingView["uncommitted"]): readonly string[] {
  if (found === null || found.count === 0) return [];
  const more = found.count > filesShown ? `, and ${found.count - filesShown} more` : "";
  const kept = found.kept === undefined ? "" : ` (kept as commit ${found.kept.slice(0, 12)})`;
  return [`${counted(found.count, "uncommitted file")}: ${found.files.slice(0, filesShown).join(", ")}${more}${kept}`];
}
