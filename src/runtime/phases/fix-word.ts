/**
 * What Baton says of fixes that a review asked for: that one was reported and is not to be seen, and that it is seen after
 * all. Both whoever claimed it and whoever asked for it are told: the one can mend it, the other decides whether it is.
 * Source: docs/protocol/reviews.md.
 */
import { visible } from "../../base/text.ts";
import type { CoordinationEvent } from "../../coordination/deciders.ts";
import { type MustFix, reviewOf } from "../../coordination/phases/reviews/review-state.ts";
import { prose } from "../delivery/prose.ts";
import { hearers, line, shownMax, type Told } from "../evidence/verdict-word.ts";
import type { TeamState } from "../state.ts";

/**
 * What these events, which record findings, tell of the places as they were before them. Null: nothing, because they hold
 * no finding, or each bears out what nobody had doubted.
 */
export function toldOfFixes(state: TeamState, events: readonly CoordinationEvent[]): Told | null {
  const [judged] = events.flatMap((event) => (event.event === "fixes-judged" ? [event] : []));
  if (judged === undefined) return null;
  const { plan, fixes } = judged;
  const places = reviewOf(state.coordination.reviews, plan).review?.mustFix ?? [];
  const found = fixes.flatMap((finding) => {
    const place = places.find(({ at, cycle }) => at === finding.at && cycle === finding.cycle);
    return place === undefined ? [] : [{ place, ...finding }];
  });
  const missing = found.filter(({ isTouched }) => !isTouched);
  const mended = found.filter(({ isTouched, place }) => isTouched && place.untouchedAt !== undefined);
  const meant = [...missing, ...mended].map(({ place }) => place);
  if (meant.length === 0) return null;
  const said = [
    ...missing.map(({ place, commit }) => missingLine(place, commit)),
    ...mended.map(({ place, commit }) => mendedLine(place, commit)),
  ];
  const more = said.length - shownMax;
  const lines = [
    headOf(plan, missing.length > 0),
    ...said.slice(0, shownMax),
    ...(more > 0 ? [`Further places: ${more}; the phase shows all.`] : []),
    ...(missing.length === 0
      ? []
      : [
          whatToDo(
            state,
            missing.map(({ place }) => place),
          ),
        ]),
  ];
  return { message: prose(lines), receivers: receiversOf(state, meant) };
}

function headOf(plan: string, isMissing: boolean): string {
  const what = isMissing
    ? "a required change was reported as made, but the repository does not show it."
    : "a required change that was missing is made now.";
  return `Review of plan ${visible(plan)}: ${what}`;
}

function missingLine({ at, issue, askedBy, seq, claimedBy, claimedAt }: MustFix, commit: string): string {
  const asked = askedBy === undefined ? `asked for in entry ${seq}` : `${askedBy} asked for it (entry ${seq})`;
  const claimed =
    claimedBy === undefined ? "it was reported as fixed" : `${claimedBy} reported it as fixed (entry ${claimedAt})`;
  return line(
    "Found",
    `${at} is as it was; ${asked}, ${claimed} with commit ${commit}.${issue === null ? "" : ` ${issue}`}`,
  );
}

function mendedLine({ at, untouchedAt }: MustFix, commit: string): string {
  return line(
    "Fixed",
    `${at} is changed by commit ${commit}, and what entry ${untouchedAt} said against it no longer holds.`,
  );
}

function whatToDo(state: TeamState, missing: readonly MustFix[]): string {
  const isGone = missing.every(({ claimedBy }) => hearers(state, claimedBy ?? "").isGone);
  const askers = askersOf(state, missing);
  const mend = `${isGone ? "have somebody change" : "change"} what was asked for, and report the task as complete again with the commit that holds it`;
  const decides =
    askers.length === 0 ? "the next review decides" : `tell ${askers.join(", ")}, whose next review decides`;
  return `What to do: ${mend}. Where it was put right in another place, ${decides}.`;
}

function receiversOf(state: TeamState, places: readonly MustFix[]): readonly string[] {
  const claimants = places.flatMap(({ claimedBy }) => hearers(state, claimedBy ?? "").receivers);
  return [...new Set([...claimants, ...askersOf(state, places)])];
}

/** Those who asked for it and are there still; where one is gone, somebody else reviews next. */
function askersOf({ team }: TeamState, places: readonly MustFix[]): readonly string[] {
  const askers = new Set(places.flatMap(({ askedBy }) => askedBy ?? []));
  return [...askers].filter((agent) => team.roster.get(agent)?.status === "active");
}
