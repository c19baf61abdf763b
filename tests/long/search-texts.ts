/** Random texts of entries, and random questions about them, for searches that are compared with reading. */
import type { Chance } from "../crash/seed.ts";

/** Words that an index may get wrong: cases that fold, several alphabets, signs of patterns, quotes, broken characters. */
const words = [
  "claim",
  "Verified",
  "TAX",
  "aaa",
  "aaaa",
  "δέλτα",
  "ΔΈΛΤΑ",
  "straße",
  "İstanbul",
  "K",
  "日本語の文",
  "🙂🙃",
  "x%_y",
  "100%",
  "\\",
  '"quoted"',
  "'; DROP TABLE search; --",
  "tab\there",
  "line\nbreak",
  "\u0000",
  "\ud800",
  "src/price.js",
  "e\u0301",
];

function oneOf<Each>(list: readonly Each[], chance: Chance): Each | undefined {
  return list[chance.below(list.length)];
}

/** Some words, with numbers between, mostly few and now and then many. */
export function randomText(chance: Chance): string {
  const count = chance.below(20) === 0 ? 200 : 1 + chance.below(6);
  const parts = Array.from({ length: count }, () =>
    chance.below(4) === 0 ? String(chance.below(5_000)) : (oneOf(words, chance) ?? ""),
  );
  return parts.join(oneOf([" ", "", "-", ", "], chance));
}

/** A piece of one of these texts in any case, two words that may meet nowhere, or nothing that is there. */
export function randomQuestion(texts: readonly string[], chance: Chance): string {
  const kind = chance.below(10);
  if (kind === 0) return `nowhere ${chance.below(100)}`;
  if (kind === 1) return `${oneOf(words, chance)} ${oneOf(words, chance)}`;
  const text = oneOf(texts, chance) ?? "";
  const start = chance.below(Math.max(1, text.length));
  const piece = text.slice(start, start + 1 + chance.below(kind < 5 ? 4 : 24));
  const cased = [piece, piece.toUpperCase(), piece.toLowerCase()];
  return oneOf(cased, chance) || "a";
}
