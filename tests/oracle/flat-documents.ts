/**
 * The documents of the first revisions read as data: one heading a message, its senders and receivers in the heading (or
 * in the line below it), its fields in the JSON example, which of them are required in a table where there is one.
 */
import type { JsonObject } from "../../src/base/json.ts";
import { documentText } from "./documents.ts";

/** What a document of a first revision says of one message. */
export interface FlatMessage {
  readonly type: string;
  /** As the document writes them: `Scout`, `QA Lead`, `Any`. */
  readonly senders: readonly string[];
  readonly receivers: readonly string[];
  /** Additional words: `when team_mode=teammate`, `internal`. */
  readonly remark: string;
  readonly isBidirectional: boolean;
  readonly example: JsonObject;
  /** Required fields by the document's table; null where it has none. */
  readonly required: ReadonlyMap<string, boolean> | null;
  /** Words that a line of the text lists for a field: `resolved_by`: user, owner ... */
  readonly listed: ReadonlyMap<string, readonly string[]>;
}

/** The messages of the document whose file name begins with `prefix`; null where nobody has named their folder. */
export function flatDocument(prefix: string): readonly FlatMessage[] | null {
  const text = documentText(prefix);
  if (text === null) return null;
  const sections = text.split(/^#{2,3} `/m).slice(1);
  return sections.map(flatMessage);
}

function flatMessage(section: string): FlatMessage {
  const [heading = "", ...lines] = section.split("\n");
  const type = heading.slice(0, heading.indexOf("`"));
  const inHeading = /\(([^)]*)\)/.exec(heading)?.[1] ?? "";
  const below = /\*\*Sender:\*\* ([^|]+) \| \*\*Receiver:\*\* (.+)/.exec(section);
  const [way = "", ...remarks] = inHeading.split(", ");
  const [sources = "", targets = ""] = below === null ? way.split(/ (?:->|<->) /) : [below[1] ?? "", below[2] ?? ""];
  const example = /```json\n([\s\S]*?)```/.exec(lines.join("\n"))?.[1] ?? "{}";
  return {
    type,
    senders: named(sources),
    receivers: named(targets),
    remark: [/internal/.test(way) ? "internal" : "", ...remarks].filter((one) => one !== "").join(", "),
    isBidirectional: way.includes("<->"),
    example: JSON.parse(example) as JsonObject,
    required: tableOf(section),
    listed: new Map(
      [...section.matchAll(/^- `([a-z_]+)`: .*?((?:"[a-z]+"(?: \| )?)+)$/gm)].map(([, field = "", words = ""]) => [
        field,
        words.split(" | ").map((word) => word.replaceAll('"', "")),
      ]),
    ),
  };
}

/** `Frontend Lead + Backend Lead` are two; `Lead (Execute or QA skill)` is the lead. */
function named(cell: string): readonly string[] {
  return cell
    .replace(/\(.*\)/, "")
    .split(" + ")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

function tableOf(section: string): ReadonlyMap<string, boolean> | null {
  const rows = [...section.matchAll(/^\| `([a-z_]+)` \| (yes|no) \|/gm)];
  return rows.length === 0 ? null : new Map(rows.map(([, field = "", answer]) => [field, answer === "yes"]));
}
