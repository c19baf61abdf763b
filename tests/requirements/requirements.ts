/**
 * Five published documents describe the messages that teams of agents send each other; Baton's dialects follow them. The
 * documents are not in the repository. The `.tsv` files in this folder list what they ask for, in our own words: a row is
 * one statement, with whether Baton holds it, where the protocol says so, and which tests show it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** What a row is about. All but `rule` are compared with the definitions, row by row. */
const requirementKinds = [
  "required",
  "optional",
  "type",
  "sender",
  "receiver",
  "route",
  "envelope",
  "example",
  "rule",
] as const;
type RequirementKind = (typeof requirementKinds)[number];

/** `held`: as the document says; `otherwise`: in another way, which the note gives; `outside`: not Baton's to hold. */
const requirementStates = ["held", "otherwise", "outside"] as const;
type RequirementState = (typeof requirementStates)[number];

export interface Requirement {
  readonly id: string;
  readonly kind: RequirementKind;
  /** The type, field or thing that it is about. */
  readonly of: string;
  readonly says: string;
  readonly state: RequirementState;
  /** A page of the protocol and a section of it, such as `messages 5`. */
  readonly section: string;
  /** Each `path: title`, the title as the test's source has it. */
  readonly tests: readonly string[];
  readonly note: string;
}

export interface RequirementList {
  /** The name of its file. */
  readonly name: string;
  readonly dialect: string;
  readonly rows: readonly Requirement[];
}

const documents = [
  ["vbw-1", "vbw/1"],
  ["vbw-2", "vbw/2"],
  ["yolo-1", "yolo/1"],
  ["bmad-1", "bmad/1"],
  ["yolo-2", "yolo/2"],
] as const;

/** The tests that compare each row of a kind with the definitions: `kinds.tsv` names them. */
function testsOfKinds(): ReadonlyMap<string, readonly string[]> {
  const [, ...lines] = readFileSync(join(import.meta.dirname, "kinds.tsv"), "utf8")
    .trimEnd()
    .split("\n");
  return new Map(
    lines.map((line) => {
      const [kind = "", tests = ""] = line.split("\t");
      return [kind, tests.split(" | ")];
    }),
  );
}

/** Reads every list. Throws where a line is not one: the files are written by hand. */
export function readRequirements(): readonly RequirementList[] {
  const ofKind = testsOfKinds();
  return documents.map(([name, dialect]) => {
    const text = readFileSync(join(import.meta.dirname, `${name}.tsv`), "utf8");
    const [, ...lines] = text.replace(/\n$/, "").split("\n");
    return { name, dialect, rows: lines.map((line) => rowOf(line, `${name}.tsv`, ofKind)) };
  });
}

function rowOf(line: string, file: string, ofKind: ReadonlyMap<string, readonly string[]>): Requirement {
  const cells = line.split("\t");
  const [id = "", kind = "", of = "", says = "", state = "", section = "", tests = "", note = ""] = cells;
  if (cells.length !== 8 || !isOne(requirementKinds, kind) || !isOne(requirementStates, state))
    throw new Error(`${file}: this is no requirement: ${line}`);
  const own = tests === "" ? [] : tests.split(" | ");
  return { id, kind, of, says, state, section, tests: [...(ofKind.get(kind) ?? []), ...own], note };
}

function isOne<Word extends string>(words: readonly Word[], word: string): word is Word {
  return words.some((each) => each === word);
}
