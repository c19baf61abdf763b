/** Faults of a JSON text as a whole, found before any structure, and how faults of its characters are told. */
import { place } from "./json-path.ts";
import { type Problem, problem } from "./problem.ts";

/** The first such fault, or null. */
export function textFault(text: string): Problem | null {
  if (text.charCodeAt(0) === 0xfeff) {
    return problem("byte-order-mark", "$", "The text starts with a byte order mark.", {
      hint: "Save the text as UTF-8 without a byte order mark.",
    });
  }
  if (text.trim() === "") return problem("empty-message", "$", "The text is empty.", { expected: "a JSON value" });
  const nul = text.indexOf("\0");
  if (nul >= 0) return problem("nul-character", "$", ...nulCharacter(place(text, nul)));
  if (!text.isWellFormed()) {
    return problem("lone-surrogate", "$", ...loneSurrogate(place(text, firstLoneSurrogate(text))));
  }
  return null;
}

function firstLoneSurrogate(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if ((unit & 0xf800) !== 0xd800) continue;
    if (unit >= 0xdc00 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) return at;
    at++;
  }
  return 0;
}

/** What is said of a fault whose code and path are known. */
export type Words = readonly [
  message: string,
  more: { readonly expected?: string; readonly received?: string; readonly hint: string },
];

/** A NUL character, which `where` tells the place of. */
export function nulCharacter(where: string): Words {
  return [`The text contains the NUL character (${where}).`, { hint: "Remove it." }];
}

/** Half of a surrogate pair, which `where` tells the place of. */
export function loneSurrogate(where: string): Words {
  return [
    `The text contains half of a surrogate pair (${where}).`,
    { expected: "whole Unicode characters", hint: "Write the whole character, or remove the half." },
  ];
}
