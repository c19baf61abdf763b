/** Replaces pieces of a document and leaves the rest of it byte by byte. */

/** One piece of text in the place of another. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** `text` with these splices, whose places do not overlap. Of two at one place the later one comes behind the earlier. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let edited = text;
  // From the end, so that the places of the others stay.
  for (const splice of splices.toReversed().toSorted((a, b) => b.from - a.from)) {
    edited = edited.slice(0, splice.from) + splice.text + edited.slice(splice.to);
  }
  return edited;
}
