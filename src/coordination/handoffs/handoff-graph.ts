/**
 * Handoffs as a graph in Mermaid's words: a box for each, an arrow from each to those that follow it. What agents wrote
 * is escaped letter by letter, so it is never read as part of the graph.
 */
import { shorten } from "../../base/text.ts";
import type { Handoff } from "./handoff-state.ts";

/** The graph of these handoffs as text; an arrow from one that is not among them is left out. */
export function handoffGraph(handoffs: readonly Handoff[]): string {
  const names = new Map(handoffs.map(({ id }, index) => [id, `h${index + 1}`]));
  const boxes = handoffs.map(
    (handoff) => `  ${names.get(handoff.id) ?? ""}["${labelOf(handoff)}"]:::${handoff.standing}`,
  );
  const arrows = handoffs.flatMap(({ id, after }) => {
    const [from, to] = [names.get(after ?? ""), names.get(id)];
    if (from === undefined || to === undefined) return [];
    const isAgain = handoffs.some((earlier) => earlier.id === after && earlier.standing === "rejected");
    return [isAgain ? `  ${from} -. issued again .-> ${to}` : `  ${from} --> ${to}`];
  });
  return ["flowchart TD", ...boxes, ...arrows, ...styles].join("\n");
}

const styles = [
  "  classDef issued stroke-dasharray:4",
  "  classDef accepted stroke-width:2px",
  "  classDef rejected fill:#fdd,color:#000",
  "  classDef completed fill:#dfd,color:#000",
];

/** Most characters of one line of a box. */
const lineCharactersMax = 60;

function labelOf({ id, source, target, summary, standing, rejection }: Handoff): string {
  const why = rejection === null ? "" : `: ${rejection.reasons.join("; ")}`;
  const lines = [`${source} to ${target}`, summary, `${standing}${why}`, id];
  return lines.map((line) => escaped(shorten(line, lineCharactersMax))).join("<br/>");
}

/** Letters, digits and blanks as they are, everything else by its number, as Mermaid reads it. */
function escaped(text: string): string {
  return Array.from(text, (character) =>
    /^[\p{L}\p{N} .,_/-]$/u.test(character) ? character : `#${character.codePointAt(0) ?? 0};`,
  ).join("");
}
