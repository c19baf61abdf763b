/** Readers with a planted bug each, which the campaign must find. */
import { isJsonList, isJsonObject, type Json } from "../../src/base/json.ts";
import { readMessage } from "../../src/messages/intake/read-message.ts";
import { library, type Reader } from "./campaign.ts";
import { undisguised } from "./faults.ts";

function withoutNulls(value: Json): Json {
  if (isJsonList(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, held]) => held !== null);
  return Object.fromEntries(kept.map(([key, held]) => [key, withoutNulls(held)]));
}

/** By what is wrong with them. */
export const plantedReaders: { readonly [bug: string]: Reader } = {
  "takes a look-alike letter for the letter": (text, dialect, strict) => library(undisguised(text), dialect, strict),
  "takes null for nothing": (text, dialect, strict) =>
    library(JSON.stringify(withoutNulls(JSON.parse(text) as Json)), dialect, strict),
  "lets unknown fields pass under strict": (text, dialect, strict) => {
    const reading = library(text, dialect, strict);
    const isStranger = reading.problems.every(({ code }) => code === "unknown-field");
    return strict && isStranger ? library(text, dialect, false) : reading;
  },
  "reads drifted spellings under strict": (text, dialect) => library(text, dialect, false),
  "reads what no definition knows as words": (text, dialect, strict) => {
    const reading = library(text, dialect, strict);
    return reading.problems.some(({ code }) => code === "missing-field") ? readMessage("words") : reading;
  },
};
