/** What lanes say in words, for those who read them instead of looking at the canvas. */
import { counted } from "../../../base/text.ts";
import { type Look, outcomeLooks } from "../shown/look.ts";
import { timeOfDay } from "../shown/moment.ts";
import { type Lane, type LaneModel, type Span, tones, within } from "./lanes-model.ts";

/** An agent as it is named next to its lane. */
export interface LaneName {
  readonly agent: string;
  readonly role: string;
  readonly look: Look & { readonly word: string };
  /** Its claims in the part that is in view. */
  readonly summary: string;
}

/** Claims that are named; of more there is the number. */
const claimsMax = 5;

/** One entry as a sentence. */
export function entryWords(model: LaneModel, place: number): string {
  const { lanes, senders, receivers, times, seqs } = model;
  const nameOf = (lane: number) => lanes[lane]?.agent ?? "";
  const to = (receivers[place] ?? []).map(nameOf);
  const outcome = model.outcomeOf(place);
  const task = model.taskOf(place);
  return [
    `${timeOfDay(times[place] ?? 0)} ${nameOf(senders[place] ?? 0)}${to.length === 0 ? "" : ` to ${to.join(", ")}`}`,
    model.kindOf(place).replaceAll("-", " "),
    ...(task === null ? [] : [task]),
    ...(outcome === null ? [] : [outcomeLooks[outcome].word]),
    `entry ${seqs[place]}`,
  ].join(", ");
}

/** The claims of a lane in a part of the time. */
export function claimsWords({ claims }: Lane, { from, to }: Span): string {
  const inView = claims.filter((claim) => claim.from <= to && (claim.to ?? Infinity) >= from);
  const named = inView.slice(-claimsMax).map((claim) => {
    const end = claim.to === null ? "held" : `until ${timeOfDay(claim.to)}, ${claim.word}`;
    return `${claim.task} from ${timeOfDay(claim.from)}, ${end}`;
  });
  const more = inView.length - named.length;
  return [counted(inView.length, "claim"), ...(more > 0 ? [`${more} before`] : []), ...named].join(". ");
}

/** What is in a part of the time. */
export function spanWords(model: LaneModel, span: Span, shown: Uint8Array | null): string {
  const [first, end] = within(model.times, span.from, span.to);
  let [entries, bad] = [0, 0];
  for (let place = first; place < end; place++) {
    if (shown !== null && shown[place] === 0) continue;
    entries += 1;
    if (tones[model.toneOf[place] ?? 0] === "bad") bad += 1;
  }
  return `${timeOfDay(span.from)} – ${timeOfDay(span.to)}: ${counted(entries, "entry", "entries")}, ${bad} refused or disputed`;
}
