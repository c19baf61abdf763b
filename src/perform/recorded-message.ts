/**
 * A message as an entry records it. The text is there verbatim, and nearly every value of the neutral fact is in that
 * text already; so the fact is recorded as its names, each with the place of its value:
 *
 *   {"kind":"progress","head":"phase task author_role ...","body":"plan_id task_id status approve=approved ..."}
 *
 * Words of `head` are fields of the text's object, words of `body` fields of its `payload`, or of the object itself
 * where the names are `flat`. The neutral name is the word after `=`, else the field's name in camel case; what the
 * text does not have, the fact has not either, and a part of the head without a word is null. Reading it back takes the
 * entry alone and asks no dialect, so a fact stays what it was, whatever later versions of a dialect read. A fact that
 * differs from this is recorded whole, and so is every message that its text does not simply parse to. Source:
 * docs/protocol/messages.md, section 19; docs/decisions.md.
 */
import { invariant } from "../base/invariant.ts";
import { isJsonObject, type Json, type JsonObject, parseBounded } from "../base/json.ts";
import type { Entry } from "../journal/entry.ts";
import type { Definition, WireForm } from "../messages/dialects/dialect.ts";
import type { Fact, FactHead } from "../messages/facts.ts";
import type { Message } from "../messages/message.ts";

/** The names of a fact, for an input that holds its values. */
interface FactNames {
  readonly kind: Fact["kind"];
  /** The fields are next to the head's. */
  readonly flat?: true;
  readonly head: string;
  readonly body: string;
}

/**
 * A message in an entry's content: with `fact`, whole; or with `names`. Without `wireId` it has the entry's id. The
 * text is the entry's own (`Entry.text`); `text` is here where a message comes in addition to an operation, and in the
 * first journals.
 */
export type RecordedMessage = Omit<Message, "wireId" | "text" | "fact"> & {
  readonly wireId?: string | null;
  readonly text?: string;
} & ({ readonly fact: Fact | null } | { readonly names: FactNames });

/** The head's fields as `isHeadOf` compares them; none is ever missing there. */
const headWords = "phase task author_role timestamp confidence";

/** Neutral name and wire name. */
type Naming = readonly [neutral: string, wire: string];

/** How a message was read that its text parses to. */
export interface WholeText {
  /** The object that the text was parsed to. */
  readonly wire: JsonObject;
  readonly form: WireForm;
  readonly definition: Definition;
}

/** What a definition gives to record, worked out once. */
interface Template {
  readonly names: FactNames;
  readonly body: readonly Naming[];
}

/** Null: a team's own field has a name that is no word. */
const templates = new WeakMap<Definition, Template | null>();

/**
 * `message` as the entry with the id `entryId` records it next to the message's text. `whole` says how that text was
 * read; null: the text is not the message and nothing else, or no definition read it.
 */
export function recordMessage(message: Message, entryId: string, whole: WholeText | null): RecordedMessage {
  const { dialect, type, rung, wireId, wire, fact } = message;
  const names = fact === null || whole === null ? null : namesOf(fact, whole);
  const said = names === null ? { fact } : { names };
  const head = wireId === entryId ? { dialect, type, rung } : { dialect, type, rung, wireId };
  return wire === undefined || whole !== null ? { ...head, ...said } : { ...head, ...said, wire };
}

/** What kind of thing the message of an entry says, without reading its text; null: it is prose, or there is none. */
export function recordedGist({ content }: Pick<Entry, "content">): Fact["kind"] | null {
  if (!isJsonObject(content) || !isJsonObject(content.message ?? null)) return null;
  // Entries are written by this runtime alone, and the chain proves that nobody changed them since.
  const message = content.message as unknown as RecordedMessage;
  return "names" in message ? message.names.kind : (message.fact?.kind ?? null);
}

/** The message that `entry` records, equal to the one that `recordMessage` was given. */
export function messageOf(recorded: RecordedMessage, entry: Pick<Entry, "id" | "text">): Message {
  const { dialect, type, rung, wireId = entry.id, text = entry.text ?? "", wire } = recorded;
  const fact = "names" in recorded ? factOf(recorded.names, text) : recorded.fact;
  const message = { dialect, type, rung, wireId, text, fact };
  return wire === undefined ? message : { ...message, wire };
}

/** The names of `fact` when `wire` holds exactly its values under the definition's fields; else null. */
function namesOf(fact: Fact, { wire, form, definition }: WholeText): FactNames | null {
  if (form === "document" || fact.extra !== undefined || fact.kind !== definition.kind) return null;
  const isFlat = form === "structured";
  const fields = isFlat ? wire : wire.payload;
  if (!isJsonObject(fields)) return null;
  const head = isFlat ? headWordsOf(fact.head, wire) : isHeadOf(fact.head, wire) ? headWords : null;
  if (head === null) return null;
  const body: { readonly [field: string]: Json } = fact.body;
  const template = templateOf(definition);
  if (template === null) return null;
  let missing = 0;
  for (const [neutral, name] of template.body) {
    const value = fields[name];
    // Lists and objects of the fact are those of the parsed text, not copies, so this compares whole values.
    if (value !== body[neutral]) return null;
    if (value === undefined) missing += 1;
  }
  if (missing + Object.keys(body).length !== template.body.length) return null;
  const { names } = template;
  return isFlat ? { kind: names.kind, flat: true, head, body: names.body } : names;
}

function isHeadOf(head: FactHead, wire: JsonObject): boolean {
  return (
    head.phase === wire.phase &&
    head.task === wire.task &&
    head.authorRole === wire.author_role &&
    head.timestamp === wire.timestamp &&
    head.confidence === wire.confidence
  );
}

/** The words of a head whose parts may be missing; null: a part is not what the text says under its name. */
function headWordsOf(head: FactHead, wire: JsonObject): string | null {
  const words: string[] = [];
  for (const word of headWords.split(" ")) {
    const part = head[camelCase(word) as keyof FactHead];
    if (part === null) continue;
    if (part !== wire[word]) return null;
    words.push(word);
  }
  return words.join(" ");
}

function templateOf(definition: Definition): Template | null {
  const known = templates.get(definition);
  if (known !== undefined) return known;
  const body = definition.fields
    .filter(({ neutral }) => !neutral.startsWith("head."))
    .map(({ neutral, name }): Naming => [neutral, name]);
  const isSayable = body.every((naming) => naming.every((word) => /^[^\s=]+$/.test(word)));
  const template = !isSayable ? null : { names: { kind: definition.kind, head: headWords, body: wordsOf(body) }, body };
  templates.set(definition, template);
  return template;
}

function wordsOf(fields: readonly Naming[]): string {
  return fields.map(([neutral, wire]) => (camelCase(wire) === neutral ? wire : `${wire}=${neutral}`)).join(" ");
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function factOf({ kind, flat, head, body }: FactNames, text: string): Fact {
  const parsed = parseBounded(text);
  invariant(parsed.ok && isJsonObject(parsed.value), "a message that is recorded by names is a JSON object");
  const fields = flat === true ? parsed.value : parsed.value.payload;
  invariant(isJsonObject(fields), "a typed message that is recorded by names has a payload");
  // The values are those of the fact that was recorded: `namesOf` compared each, and the chain keeps the text.
  return { kind, head: { ...emptyHead, ...pick(head, parsed.value) }, body: pick(body, fields) };
}

const emptyHead: FactHead = { phase: null, task: null, authorRole: null, timestamp: null, confidence: null };

function pick(words: string, values: JsonObject): { readonly [field: string]: Json } {
  const picked: { [field: string]: Json } = {};
  for (const word of words === "" ? [] : words.split(" ")) {
    const [wire = "", neutral = camelCase(wire)] = word.split("=");
    const value = Object.hasOwn(values, wire) ? values[wire] : undefined;
    if (value !== undefined) picked[neutral] = value;
  }
  return picked;
}
