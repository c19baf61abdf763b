/**
 * The record as minutes in Markdown: who said what to whom, day by day, in the words of the messages. Agents' words are
 * escaped, so that they can be nothing but words.
 */
import type { TeamName } from "../../base/ids.ts";
import { isJsonList, isJsonObject, type Json } from "../../base/json.ts";
import { markdownText, shorten } from "../../base/text.ts";
import type { Entry } from "../../journal/entry.ts";
import { contentOf } from "./content.ts";
import { logLine } from "./log.ts";
import { isInView } from "./log-line.ts";
import { summaryOf } from "./summary.ts";

/** Most characters of one thing that was said. */
const wordsMax = 2_000;

export interface Minutes {
  /** The lines that an entry adds; none where it is bookkeeping. */
  take(entry: Entry): readonly string[];
  /** The last lines. */
  end(): readonly string[];
}

/** Minutes of a team, from their heading on. */
export function minutesOf(team: TeamName): Minutes {
  let day = "";
  let last: Entry | null = null;
  return {
    take(entry) {
      const isFirst = last === null;
      last = entry;
      const line = logLine(entry);
      const head = isFirst ? [`# Minutes of ${markdownText(team)}`] : [];
      if (!isInView(line, "messages")) return head;
      const today = entry.recordedAt.slice(0, 10);
      const heading = today === day ? [] : ["", `## ${markdownText(today)}`, ""];
      day = today;
      return [...head, ...heading, ...said(entry)];
    },
    end() {
      if (last === null) return [`# Minutes of ${markdownText(team)}`, "", "Nothing is recorded."];
      return ["", `Up to entry ${last.seq}, ${markdownText(last.recordedAt)}, hash \`${last.hash}\`.`];
    },
  };
}

function said(entry: Entry): readonly string[] {
  const content = contentOf(entry);
  const { kind, type, dialect, sender, receivers } = logLine(entry);
  const { imported, message } = content;
  const from = imported === undefined ? sender : `${imported.from ?? "somebody"}, imported by ${sender}`;
  const to = imported?.to ?? receivers.join(", ");
  const what = kind === "refusal" ? "refused" : (type ?? (message === undefined ? kind : "words"));
  const format = dialect === null ? "" : ` (${markdownText(dialect)})`;
  const head = `- ${markdownText(entry.recordedAt)} **${markdownText(from)}**${to === "" ? "" : ` to ${markdownText(to)}`}: ${markdownText(what)}${format}, entry ${entry.seq}`;
  const fields = message?.fact?.body;
  if (fields === undefined) {
    const words = message === undefined ? summaryOf(content) : message.text;
    return [head, ...(words === "" ? [] : [`  - ${shown(words)}`])];
  }
  const lines = Object.entries(fields).flatMap(([name, value]) => fieldLine(name, value));
  return [head, ...lines];
}

function fieldLine(name: string, value: Json): readonly string[] {
  const words = wordsOf(value);
  return words === "" ? [] : [`  - ${markdownText(name)}: ${shown(words)}`];
}

function wordsOf(value: Json): string {
  if (isJsonList(value)) return value.map(wordsOf).join("; ");
  if (isJsonObject(value)) return JSON.stringify(value);
  return value === null ? "" : String(value);
}

function shown(words: string): string {
  return markdownText(shorten(words, wordsMax));
}
