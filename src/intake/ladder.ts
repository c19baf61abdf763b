/**
 * From a candidate to its reading: native frames by their own marks, then the dialects, then prose. What stands among
 * words counts as a message only where it could not act for somebody else or end anything; else it is prose.
 * Source: docs/protocol/reading.md, sections 7 and 8.
 */
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { problem } from "../base/problem.ts";
import { documentKey } from "../dialects/definition.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Note } from "../message/message.ts";
import { withoutSession } from "../message/program-names.ts";
import { type Decoded, isBrokenJson } from "./decode.ts";
import { readMarkdown } from "./markdown.ts";
import { readNative } from "./native.ts";
import { type AcceptedReading, invalidText, proseReading, type Reading } from "./reading.ts";
import { type RecogniseOptions, recognise } from "./recognise.ts";
import { mayBeSaidAmongWords } from "./said.ts";
import { transcriptMark } from "./teammate-message.ts";
import { withValidWorkIds } from "./work-ids.ts";
import { yamlMessage } from "./yaml-message.ts";

export interface LadderOptions extends RecogniseOptions {
  /** Whom the text comes from, where that is known: somebody else's message among words is a quotation. */
  readonly sender?: Sender;
  /** What becomes of JSON that does not parse; absent: it is refused. `strict` refuses it always. */
  readonly brokenJson?: "refuse" | "prose";
}

/** Whom a text comes from. */
export interface Sender {
  readonly agent: string;
  readonly role: string | null;
  /** What else an agent program calls it (`message/program-names.ts`). */
  readonly called?: readonly string[];
}

/** The reading of a decoded text; `connection` stands for that of the options. Never throws. */
export function readDecoded(
  decoded: Decoded,
  options: LadderOptions,
  connection: LadderOptions["connection"] = options.connection,
): Reading {
  const reading = readCandidate(decoded, options, connection);
  const { mailbox } = decoded;
  return mailbox === undefined ? reading : throughMailbox(reading, mailbox.from, options);
}

function readCandidate(decoded: Decoded, options: LadderOptions, connection: LadderOptions["connection"]): Reading {
  switch (decoded.as) {
    case "fault":
      return isBrokenJson(decoded) && passesBroken(options)
        ? proseReading(decoded.text, [decoded.problem], [brokenNote])
        : invalidText(decoded.text, decoded.problem);
    case "json": {
      const { value, text } = decoded;
      const reading = readNative(value, text) ?? recognise(value, text, options, connection);
      return reading.outcome === "accepted" ? withValidWorkIds(reading, options.dialects) : reading;
    }
    case "quoted":
      return readQuoted(decoded, options, connection);
    case "prose":
      return readWords(decoded, options);
  }
}

/** Whether JSON that does not parse is prose here. */
function passesBroken({ brokenJson, strict }: LadderOptions): boolean {
  return brokenJson === "prose" && strict !== true;
}

const brokenNote: Note = {
  code: "read-as-prose",
  path: "$",
  message: "The text begins like JSON and does not parse; it is delivered as prose, without effect.",
};

/** An accepted message names tasks and plans by ids that such things may have. */
function checked(reading: Reading, { dialects }: LadderOptions): Reading {
  return reading.outcome === "accepted" ? withValidWorkIds(reading, dialects) : reading;
}

/** The reading of a mailbox entry's text. The entry says whom it is from, which must not be another than the sender. */
function throughMailbox(reading: Reading, from: string, { sender }: LadderOptions): Reading {
  if (sender !== undefined && !isOf(sender, withoutSession(from))) {
    const fault = problem("identity-mismatch", "$.from", `${sender.agent} sends this, but its entry is from another.`, {
      expected: sender.agent,
      received: from.slice(0, 160),
      hint: "Send the text of your own messages only.",
    });
    return { ...invalidText(reading.text, fault), dialect: reading.dialect, type: reading.type };
  }
  const note: Note = {
    code: "mailbox-entry",
    path: "$.text",
    message: "The message was read out of a mailbox entry; whom the entry names as its sender is not proven.",
  };
  return { ...reading, notes: [...reading.notes, note] };
}

function isOf({ agent, role, called = [] }: Sender, name: string): boolean {
  return name === agent || name === role || called.includes(name);
}

/** One object among words. It is typed or invalid where it carries a mark of v2, and never acts. */
function readQuoted(
  { value, text, isExample }: Decoded & { readonly as: "quoted" },
  options: LadderOptions,
  connection: LadderOptions["connection"],
): Reading {
  const prose = (message: string): Reading => readMarkdown(text, options.dialects, [quotedNote(message)]);
  if (readNative(value, text) !== null) return prose("A control frame among words is a quotation.");
  if (text.includes(transcriptMark)) return prose("The text quotes a transcript, so the message in it is part of it.");
  const reading = checked(recognise(value, text, { ...options, strict: false }, connection), options);
  if (reading.outcome === "prose") {
    return prose("The JSON object among the words is of no known type, so it is part of them.");
  }
  if (reading.outcome === "invalid") return reading;
  const told = `The text quotes a message of type ${reading.type}.`;
  if (isExample === true) return prose(`${told} The words before it call it an example, so it is part of them.`);
  if (isForeign(reading, options)) {
    return prose(`${told} It is not the sender's own, so the text is delivered as prose.`);
  }
  if (!mayBeSaidAmongWords(reading.fact)) {
    return prose(`${told} Such a message counts only when it is the whole text; send it alone.`);
  }
  if (options.strict === true) {
    const fault = problem("not-json", "$", "Words stand around the message.", {
      expected: "the message alone",
      hint: "Send the JSON object alone, without words or a fence around it.",
    });
    return { ...invalidText(text, fault), dialect: reading.dialect, type: reading.type, message: reading.message };
  }
  return { ...reading, notes: [...reading.notes, quotedNote(`${told} The words around it were left out.`)] };
}

/** Whether a message among words is another's: its role or its source is not the sender, or may not say such a thing. */
function isForeign(
  { fact, type, dialect, message, notes }: AcceptedReading,
  { sender, dialects }: LadderOptions,
): boolean {
  if (sender === undefined) return false;
  // The role in an envelope that was filled in is the sender's own, whoever wrote the message.
  const authorRole = notes.some(({ code }) => code === "lifted") ? null : fact.head.authorRole;
  if (authorRole !== null) return authorRole !== sender.role;
  const source = sourceOf(message);
  if (source !== null) return !isOf(sender, withoutSession(source));
  const definition = dialects.find(({ id }) => id === dialect)?.definitions.get(type);
  return definition !== undefined && !definition.senders.some((role) => role === sender.role);
}

/** Whom a handoff document comes from, as it says; null: it is none. */
function sourceOf({ [documentKey]: handoff }: JsonObject): string | null {
  const metadata = isJsonObject(handoff) ? handoff.metadata : undefined;
  const source = isJsonObject(metadata) ? metadata.source_agent : undefined;
  return typeof source === "string" ? source : null;
}

/** Words. A broken object among them that carries a mark of v2 makes the text invalid: it must not pass as words. */
function readWords(decoded: Decoded & { readonly as: "prose" }, options: LadderOptions): Reading {
  const { text, broken, several } = decoded;
  if (broken !== null && !passesBroken(options) && carriesMarkInText(broken.text, options.dialects)) {
    return invalidText(text, broken.problem);
  }
  const written =
    several === 0 && broken === null ? yamlMessage(text, [...options.dialects, ...(options.foreign ?? [])]) : null;
  if (written?.isTyped === true && written.isAlone) return invalidText(text, written.problem);
  const notes: Note[] = [];
  if (broken !== null) notes.push(quotedNote(broken.problem.message));
  if (several > 1) {
    notes.push(
      quotedNote(`The text holds ${several} JSON objects that look like messages; which one is meant is not clear.`),
    );
  }
  if (written?.isAlone === false) notes.push({ code: "not-typed", path: "$", message: written.problem.message });
  const prose = readMarkdown(text, options.dialects, notes);
  return written?.isAlone === true ? { ...prose, problems: [written.problem] } : prose;
}

/** The marks of v2 in a text that is no JSON: its version, role and payload, or a type that only typed dialects know. */
function carriesMarkInText(text: string, dialects: readonly Dialect[]): boolean {
  if (text.includes("schema_version") || (text.includes("author_role") && text.includes("payload"))) return true;
  const type = /type["']?\s*:\s*["']([A-Za-z_]+)["']/.exec(text)?.[1];
  if (type === undefined) return false;
  const knowing = dialects.filter((dialect) => dialect.definitions.has(type));
  return knowing.length > 0 && knowing.every((dialect) => dialect.form === "typed");
}

function quotedNote(message: string): Note {
  return { code: "quoted-message", path: "$", message };
}
