/**
 * What a fact says, in one line for people: what it is about, and then the pieces of its kind (`line-pieces.ts`). A kind
 * that has none, as a team's own types have, is said by its fields in their order. Total: whatever stands in a field, a
 * piece is said or left out. Texts are the agent's: brought on one line here, their other characters escaped by the doors.
 */
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../base/json.ts";
import { shorten } from "../base/text.ts";
import type { Fact } from "./facts.ts";
import { linePieces, type Piece } from "./line-pieces.ts";

/** More characters of one text than any line shows. */
const textCharactersMax = 400;
/** As many characters of a commit's hash as tell it from others for people. */
const commitCharacters = 12;
/** More fields of an unlisted kind than any line shows. */
const fieldsMax = 8;

const pieces: ReadonlyMap<string, readonly Piece[]> = new Map(Object.entries(linePieces));

/** The line; empty: nothing of the fact can be said in one. */
export function factLine({ kind, head, body }: Fact): string {
  const fields: JsonObject = { ...body, phase: head.phase };
  const said = piecesSaid(pieces.get(kind) ?? [], fields);
  return [aboutOf(head.task, fields), said === "" ? fieldsSaid(body) : said].filter((each) => each !== "").join(": ");
}

/** The task that it is about, or else its plan. */
function aboutOf(task: string | null, fields: JsonObject): string {
  const [named, plan] = [textOf(task ?? fields.taskId), textOf(fields.planId)];
  if (named === "") return plan === "" ? "" : `plan ${plan}`;
  // A task that is counted within its plan is told with it.
  return (task ?? "") !== "" || plan === "" || named.startsWith(plan) ? named : `${plan}/${named}`;
}

/** The pieces that the message has something for; what was said before is not said twice. */
function piecesSaid(wanted: readonly Piece[], fields: JsonObject): string {
  const said: string[] = [];
  let line = "";
  for (const piece of wanted) {
    const { before = "", join = ", ", unless } = piece;
    if (unless !== undefined && textOf(fields[unless]) !== "") continue;
    const words = pieceSaid(piece, valueAt(fields, piece.field), fields);
    const whole = `${before}${words}`;
    if (words === "" || said.includes(whole)) continue;
    said.push(whole);
    line += `${line === "" ? "" : join}${whole}`;
  }
  return line;
}

function pieceSaid(piece: Piece, value: Json | undefined, fields: JsonObject): string {
  switch (piece.say) {
    case "text":
      return textOf(value);
    case "word":
      return textOf(value).replaceAll("_", " ");
    case "commit":
      return textOf(value).slice(0, commitCharacters);
    case "count": {
      const count = isJsonList(value) ? value.length : value;
      if (typeof count !== "number" || (piece.some && count === 0)) return "";
      return `${count} ${count === 1 ? piece.one : piece.many}`;
    }
    case "share": {
      const whole = valueAt(fields, piece.of);
      return typeof value === "number" && typeof whole === "number" ? `${value} of ${whole} ${piece.noun}` : "";
    }
    case "flag":
      return typeof value === "boolean" ? (value ? piece.yes : piece.no) : "";
    case "first":
      return isJsonList(value) ? firstSaid(value, piece.by) : "";
  }
}

function firstSaid(list: readonly Json[], by: readonly string[]): string {
  const [one] = list;
  const words = isJsonObject(one) ? by.map((field) => textOf(one[field])).join(" ") : textOf(one);
  if (words.trim() === "") return "";
  return list.length === 1 ? words : `${words} and ${list.length - 1} more`;
}

/** A body as names and values: its texts, numbers and flags, and how long its lists are. */
function fieldsSaid(body: JsonObject): string {
  const said: string[] = [];
  for (const [name, value] of Object.entries(body)) {
    const words = isJsonList(value) ? String(value.length) : typeof value === "boolean" ? String(value) : textOf(value);
    if (words !== "") said.push(`${namedOf(name)}: ${words}`);
    if (said.length === fieldsMax) break;
  }
  return said.join(", ");
}

/** A field's name as words, `open since`, whether it is neutral, `openSince`, or a team's own, `open_since`. */
function namedOf(name: string): string {
  return textOf(name)
    .replaceAll("_", " ")
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function valueAt(fields: JsonObject, path: string): Json | undefined {
  let value: Json | undefined = fields;
  for (const step of path.split(".")) {
    if (!isJsonObject(value) || !Object.hasOwn(value, step)) return undefined;
    value = value[step];
  }
  return value;
}

/** A text, a number or a list of them on one line; empty for everything else. */
function textOf(value: Json | undefined): string {
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return onLine(value);
  if (!isJsonList(value)) return "";
  const words = value.slice(0, fieldsMax).map((each) => (isJsonList(each) ? "" : textOf(each)));
  return words.filter((each) => each !== "").join(", ");
}

/** Blanks of every kind, line feeds among them, are one blank. */
function onLine(text: string): string {
  return shorten(text, textCharactersMax)
    .replaceAll(/[\s\u0085]+/g, " ")
    .trim();
}
