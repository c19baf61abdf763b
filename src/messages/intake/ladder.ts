/**
 * From a candidate to its reading: native frames by their own marks, then the dialects, then prose. What is among words
 * counts as a message only where it could not act for somebody else or end anything; else it is prose. Source:
 * docs/protocol/messages.md, sections 13 and 14.
 */
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { type Dialect, documentKey } from "../dialects/dialect.ts";
import type { Fact, FactKind } from "../facts.ts";
import type { Note } from "../message.ts";
import { withoutSession } from "../program-hooks.ts";
import { type Decoded, isBrokenJson } from "./decode.ts";
import { readDraft } from "./drafts.ts";
import { withValidWorkIds } from "./id-check.ts";
import { isSaid, type Line, readMarkdown, segmentsOf } from "./markdown.ts";
import { readNative } from "./native.ts";
import { type AcceptedReading, invalidText, proseReading, type Reading, type RecogniseOptions } from "./reading.ts";
import { recognise } from "./recognise.ts";
import { transcriptMark } from "./teammate-message.ts";

export interface LadderOptions extends RecogniseOptions {
  /** Whom the text comes from, where that is known: somebody else's message among words is a quotation. */
  readonly sender?: Sender;
  /** What becomes of JSON that does not parse; absent: it is refused. `strict` refuses it always. */
  readonly brokenJson?: "refuse" | "prose";
  /** The text is a draft: a type and its fields, which are filled in. */
  readonly draft?: boolean;
}

/** The sender of an input. */
export interface Sender {
  readonly agent: string;
  readonly role: string | null;
  /** What else an agent program calls it (`messages/program-hooks.ts`). */
  readonly called?: readonly string[];
}

/** The reading of a decoded text; `connection` stands for that of the options. Never throws. */
export function readDecoded(
  decoded: Decoded,
  options: LadderOptions,
  connection: LadderOptions["connection"] = options.connection,
): Reading {
  if (options.draft === true && connection !== undefined)
    return checked(readDraft(decoded, options.dialects, connection), options);
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
    const problem = makeProblem(
      "identity-mismatch",
      "$.from",
      `${sender.agent} sends this, but its entry is from another.`,
      {
        expected: sender.agent,
        received: from.slice(0, 160),
        hint: "Send only your own messages.",
      },
    );
    return { ...invalidText(reading.text, problem), dialect: reading.dialect, type: reading.type };
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
    const problem = makeProblem("not-json", "$", "There are words around the message.", {
      expected: "the message alone",
      hint: "Send the JSON object alone, without words or a fence around it.",
    });
    return { ...invalidText(text, problem), dialect: reading.dialect, type: reading.type, message: reading.message };
  }
  return { ...reading, notes: [...reading.notes, quotedNote(`${told} The words around it were left out.`)] };
}

/** Whether a message among words is another's: its role or its source is not the sender, or may not say such a thing. */
function isForeign(
  { fact, type, dialect, message, notes }: AcceptedReading,
  { sender, dialects }: LadderOptions,
): boolean {
  if (sender === undefined) return false;
  // The role in an envelope that was filled in is the sender's own, even if somebody else wrote the message.
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

/**
 * The marks of v2 in an input that is no JSON: its version, role and payload, or a type that only typed dialects know.
 */
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

/*
 * What may be said from among words. A message in a fence or a sentence may be a quotation, so nothing there approves,
 * shuts down, claims, completes or resolves. The list names what may be said: a kind that is not on it may not.
 * Source: docs/protocol/messages.md, sections 13 and 14.
 */
const sayable: ReadonlySet<FactKind> = new Set<FactKind>([
  "findings",
  "contract",
  "progress",
  "blocker",
  "diagnosis",
  "verdict",
  "approval-request",
  "critique",
  "test-plan",
  "design",
  "specification",
  "code-verdict",
  "security-audit",
  "research",
  "escalation",
  "phase-progress",
  "api-contract",
  "owner-review",
  "handoff",
]);

/** Whether a fact counts although words are around it. Reports of completion and agreements never do. */
function mayBeSaidAmongWords(fact: Fact): boolean {
  if (!sayable.has(fact.kind)) return false;
  const body: { readonly [field: string]: unknown } = fact.body;
  if (fact.kind === "progress") return body.status !== "complete";
  return fact.kind !== "api-contract" || body.status === "proposed";
}

/*
 * A message that was written as YAML instead of JSON. Only handoff documents are read so; another message in YAML is
 * reported as such, so that it does not pass for prose. Nothing here parses YAML: the lines at the first column decide.
 * Source: docs/protocol/messages.md, sections 13 and 14.
 */
const TYPE = /^["']?type["']?[ \t]*:[ \t]*["']?([A-Za-z_]{1,64})["']?[ \t]*(?:#.*)?$/;
const KEY = /^["']?([A-Za-z_][\w.-]{0,63})["']?[ \t]*:(?:[ \t]|$)/;

/** A message in YAML. */
export interface YamlMessage {
  readonly problem: Problem;
  /** Whether it can only be one in an envelope. */
  readonly isTyped: boolean;
  /** Whether no words are around it; a fence does not count. */
  readonly isAlone: boolean;
}

/** The message that an input is in YAML, or contains; null: none of a type that `dialects` know, or several. */
function yamlMessage(text: string, dialects: readonly Dialect[]): YamlMessage | null {
  if (!/^[ \t]*["']?type["']?[ \t]*:/m.test(text)) return null;
  const segments = segmentsOf(text);
  const found = segments.flatMap((segment) => {
    const keys = keysOf(segment.lines.filter(isSaid));
    const type = keys?.get("type") ?? "";
    const knowing = dialects.filter(({ form, definitions }) => form !== "document" && definitions.has(type));
    return keys === null || knowing.length === 0 ? [] : [{ segment, keys, type, knowing }];
  });
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return null;
  const { segment, keys, type, knowing } = only;
  const isMarked = keys.has("schema_version") || (keys.has("author_role") && keys.has("payload"));
  const around = segments.filter((each) => each !== segment && !each.isFenced);
  const told = makeProblem(
    "not-json",
    "$",
    `This is ${type} written in YAML, which is read of handoff documents only.`,
    {
      expected: "one JSON object",
      received: "YAML",
      hint: `Write it as JSON: {"type": "${type}", ...}.`,
    },
  );
  return {
    problem: told,
    isTyped: isMarked || knowing.every(({ form }) => form === "typed"),
    isAlone: !around.some(({ lines }) => lines.some((line) => isSaid(line) && !line.isInFence)),
  };
}

/** The keys at the first column of these lines, that of `type` with its word; null: not only keys are there. */
function keysOf(lines: readonly Line[]): ReadonlyMap<string, string> | null {
  const least = lines.reduce((least, { indent }) => Math.min(least, indent), Number.POSITIVE_INFINITY);
  const keys = new Map<string, string>();
  for (const { said, indent } of lines) {
    if (indent > least) continue;
    const key = KEY.exec(said)?.[1];
    // An entry of a list may be at the column of its key.
    if (key === undefined && !said.startsWith("- ")) return null;
    if (key !== undefined) keys.set(key, TYPE.exec(said)?.[1] ?? "");
  }
  return keys;
}
