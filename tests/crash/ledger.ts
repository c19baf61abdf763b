/**
 * The ledger: what writers know to be recorded, compared with what a journal holds afterwards. This is the one
 * judgement that every destructive campaign shares, and the one each negative control must trip.
 */

import type { Receipt } from "../../src/journal/entry.ts";

/** One line that a writer prints or appends after it has a receipt. */
export interface Acknowledgement {
  readonly id: string;
  /** Absent where the writer only knows "recorded". */
  readonly seq?: number;
  readonly hash?: string;
  readonly duplicate?: boolean;
  readonly receipt?: Receipt;
}

/** What a journal holds: its entries with an id, in order, and every error seen on the way. */
export interface Holding {
  readonly entries: readonly { readonly id: string; readonly seq: number; readonly hash: string }[];
  readonly faults: readonly string[];
}

/** Everything wrong with `holding`, given what was acknowledged; empty: nothing lost, each once, no gap. */
export function compare(acknowledged: Iterable<Acknowledgement>, holding: Holding): readonly string[] {
  const wrong: string[] = [...holding.faults];
  const byId = new Map<string, Holding["entries"][number]>();
  for (const [index, entry] of holding.entries.entries()) {
    if (byId.has(entry.id)) wrong.push(`${entry.id} stands twice`);
    byId.set(entry.id, entry);
    if (entry.seq !== index + 1) wrong.push(`seq ${entry.seq} stands where ${index + 1} belongs`);
  }
  for (const { id, seq, hash } of acknowledged) {
    const entry = byId.get(id);
    if (entry === undefined) wrong.push(`${id} was acknowledged and is lost`);
    else if (seq !== undefined && (entry.seq !== seq || entry.hash !== hash))
      wrong.push(`${id} is not the entry of its receipt`);
  }
  return wrong;
}

/** The acknowledgements among whole lines; a last line without its end does not count as given. */
export function readAcknowledgements(text: string): readonly Acknowledgement[] {
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .filter((line) => line.startsWith('{"id":'))
    .map((line) => JSON.parse(line) as Acknowledgement); // our own writer's lines
}
