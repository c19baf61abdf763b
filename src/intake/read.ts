/**
 * The way from a text to its reading: decode and limits first, then recognising. The two steps are apart so that a
 * sender's text is parsed once, before any lock, and recognised under it with the dialects then in force.
 * Source: semantics.md section 1, guarantees.md section 2 (Inputs).
 */
import { decodeUtf8, type Json, messageJsonLimits, parseBounded } from "../base/json.ts";
import { messageBytesMax } from "../base/limits.ts";
import { type Problem, problem } from "../base/problem.ts";
import { invalidText, proseReading, type Reading } from "./reading.ts";
import { type RecogniseOptions, recognise } from "./recognise.ts";

/** A text after decoding and limits: JSON, prose, or a fault that no reading can heal. */
export type Decoded =
  | { readonly as: "json"; readonly text: string; readonly value: Json }
  | { readonly as: "prose"; readonly text: string }
  | { readonly as: "fault"; readonly text: string; readonly problem: Problem };

/**
 * Decodes bytes or text. A text that begins like a JSON object (or an array of objects) and is not JSON is a fault,
 * not prose: its sender meant a message, and a broken message must not pass as words. `bytesMax` may lower the limit.
 */
export function decode(input: string | Uint8Array, options: { readonly bytesMax?: number } = {}): Decoded {
  const bytesMax = Math.min(options.bytesMax ?? messageBytesMax, messageBytesMax);
  const tooLarge = sizeProblem(input, bytesMax);
  if (tooLarge !== null) return { as: "fault", text: "", problem: tooLarge };
  const decoded = typeof input === "string" ? { ok: true as const, value: input } : decodeUtf8(input);
  if (!decoded.ok) return { as: "fault", text: "", problem: decoded.error };
  const text = decoded.value;
  if (!looksLikeJson(text)) {
    // A bare value or a list that is JSON as a whole is JSON too, only no message; anything else is words.
    const bare = mayBeBareJson(text) ? parseBounded(text, messageJsonLimits) : null;
    return bare?.ok === true ? { as: "json", text, value: bare.value } : decodeProse(text);
  }
  const parsed = parseBounded(text, messageJsonLimits);
  if (parsed.ok) return { as: "json", text, value: parsed.value };
  return { as: "fault", text, problem: parsed.error };
}

/** Prose has fewer bounds than JSON: it must be there, and be text that any store and any reader can hold. */
function decodeProse(text: string): Decoded {
  if (text.trim() === "") {
    return {
      as: "fault",
      text,
      problem: problem("empty-message", "$", "The message is empty.", { hint: "Write a message, or pass its file." }),
    };
  }
  if (text.includes("\0")) {
    return {
      as: "fault",
      text,
      problem: problem("nul-character", "$", "The text holds a NUL character.", { hint: "Remove it." }),
    };
  }
  if (!text.isWellFormed()) {
    return {
      as: "fault",
      text,
      problem: problem("lone-surrogate", "$", "The text holds half of a surrogate pair.", {
        hint: "Send the whole character or leave it out.",
      }),
    };
  }
  return { as: "prose", text };
}

function sizeProblem(input: string | Uint8Array, bytesMax: number): Problem | null {
  // A UTF-16 unit takes at most three bytes of UTF-8, so most texts need no count.
  if (typeof input === "string" && input.length * 3 <= bytesMax) return null;
  const bytes = typeof input === "string" ? new TextEncoder().encode(input).byteLength : input.byteLength;
  if (bytes <= bytesMax) return null;
  return problem("too-large", "$", `The message has ${bytes} bytes; at most ${bytesMax} are taken.`, {
    expected: `at most ${bytesMax} bytes`,
    received: `${bytes} bytes`,
    hint: "Commit the long part as a file and name its path in the message.",
  });
}

/** The reading of a decoded text. */
export function readDecoded(decoded: Decoded, options: RecogniseOptions): Reading {
  if (decoded.as === "json") return recognise(decoded.value, decoded.text, options);
  return decoded.as === "prose" ? proseReading(decoded.text) : invalidText(decoded.text, decoded.problem);
}

/**
 * Reads a text whole, without a team. Never throws; see `Reading` for what comes out. Form, cross-field rules and
 * `author_role` against the type are judged; receivers and the state of any work are not.
 */
export function read(input: string | Uint8Array, options: RecogniseOptions): Reading {
  const reading = readDecoded(decode(input), options);
  if (reading.outcome !== "accepted") return reading;
  const definition = options.dialects.find(({ id }) => id === reading.dialect)?.definitions.get(reading.type);
  const role = reading.fact.head.authorRole;
  if (definition === undefined || role === null || definition.senders.some((sender) => sender === role)) return reading;
  const fault = problem(
    "sender-not-authorised",
    "$.author_role",
    `${role} may not send ${reading.type} in ${reading.dialect}.`,
    {
      expected: definition.senders.join(" | "),
      received: role,
      hint: `Messages of this type come from ${definition.senders.join(" or ")}.`,
    },
  );
  return { ...reading, outcome: "invalid", fact: null, problems: [fault] };
}

function mayBeBareJson(text: string): boolean {
  return /^[-0-9"tfn[]/.test(text.trimStart());
}

function looksLikeJson(text: string): boolean {
  return /^(?:\{|\[\s{0,64}[[{"\]])/.test(text.trimStart());
}
