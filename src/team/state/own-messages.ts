/**
 * Reads `.baton/messages/*.json`: the custom message types of a team. Pure: strings in, types or errors out.
 *
 *   {
 *     "type": "risk_report",                 optional, the file's name without .json where it is missing
 *     "summary": "Names a risk.",            optional, the schema's description where it is missing
 *     "senders": ["dev", "qa"],              required, at least one
 *     "receivers": ["lead"],                 required, at least one
 *     "schema": {"type": "object", …},       required, the payload in a subset of JSON Schema 2020-12
 *     "example": {"risk": "…"}               optional where one can be made up
 *   }
 *
 * Such a message has the envelope of the team's dialects that have one. Unknown keys are errors, as in the team file.
 */
import {
  isJsonList,
  isJsonObject,
  type Json,
  type JsonObject,
  messageJsonLimits,
  parseBounded,
} from "../../base/json.ts";
import { ownTypeBytesMax, ownTypesBytesMax, ownTypesMax } from "../../base/limits.ts";
import { jsonPath, makeProblem, type PathStep, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shortened } from "../../base/schema/hint.ts";
import { readSubset } from "../../base/schema/subset-read.ts";
import { exampleOf, validatorOf } from "../../base/schema/subset-value.ts";
import { problemsOf } from "../../base/schema/validator-problems.ts";
import { nearest } from "../../base/text.ts";
import type { DialectId, OwnMessage } from "../../messages/message.ts";
import { type Role, roles } from "../../messages/role.ts";

/** A file with its path, as problems name it. */
export interface OwnMessageFile {
  readonly path: string;
  readonly text: string;
}

/** What is known of the dialects that exist, which this floor cannot ask itself. */
export interface DialectFacts {
  /** The roles that an envelope of the dialect can name; null: it has no envelope. */
  authorRoles(dialect: DialectId): readonly string[] | null;
  /** Whether some dialect has a message of this type. */
  isTaken(type: string): boolean;
  /** Names of fields that Baton writes itself. */
  readonly reservedFields: readonly string[];
}

/**
 * The types that `files` define, sorted by name, for a team that lists `dialects`; or every error. Each has the code
 * `team-file`, or that of `parseBounded`, and the path `FILE: JSON PATH`. Never throws.
 */
export function readOwnMessages(
  files: readonly OwnMessageFile[],
  dialects: readonly DialectId[],
  facts: DialectFacts,
): Result<readonly OwnMessage[], readonly Problem[]> {
  if (files.length === 0) return ok([]);
  const crowd = crowdProblem(files);
  if (crowd !== null) return err([crowd]);
  const signing = dialects.flatMap((dialect) => facts.authorRoles(dialect) ?? []);
  const found: Problem[] = [];
  const messages = new Map<string, OwnMessage>();
  for (const file of files) {
    const reading = new FileReading(file, found);
    const message = reading.message(signing, facts);
    if (message === null) continue;
    if (messages.has(message.type))
      reading.problem(["type"], "Another file defines this type, too.", { received: message.type });
    messages.set(message.type, message);
  }
  if (found.length > 0) return err(found);
  return ok([...messages.values()].toSorted((one, other) => (one.type < other.type ? -1 : 1)));
}

function crowdProblem(files: readonly OwnMessageFile[]): Problem | null {
  const bytes = files.reduce((sum, { text }) => sum + new TextEncoder().encode(text).byteLength, 0);
  const last = files.at(-1)?.path ?? "";
  if (files.length > ownTypesMax) {
    return makeProblem("team-file", last, "The team has too many custom message types.", {
      expected: `at most ${ownTypesMax}`,
      received: String(files.length),
      hint: "tell alike messages apart by a field instead of a type",
    });
  }
  if (bytes <= ownTypesBytesMax) return null;
  return makeProblem("team-file", last, "The team's own message types are too large together.", {
    expected: `at most ${ownTypesBytesMax} bytes`,
    received: `${bytes} bytes`,
    hint: "shorten descriptions and examples",
  });
}

const fileKeys = ["$schema", "type", "summary", "senders", "receivers", "schema", "example"];
const limits = { ...messageJsonLimits, bytesMax: ownTypeBytesMax };

type More = Parameters<typeof makeProblem>[3];

/** One file's reading; its errors are added to those of the others. */
class FileReading {
  private readonly file: OwnMessageFile;
  private readonly found: Problem[];

  constructor(file: OwnMessageFile, found: Problem[]) {
    this.file = file;
    this.found = found;
  }

  problem(steps: readonly PathStep[], message: string, more: More = {}): void {
    this.found.push(makeProblem("team-file", `${this.file.path}: ${jsonPath(steps)}`, message, more));
  }

  /** The type that the file defines, or null where it has an error. */
  message(signing: readonly string[], facts: DialectFacts): OwnMessage | null {
    const before = this.found.length;
    const parsed = parseBounded(this.file.text, limits);
    if (!parsed.ok) {
      this.found.push({ ...parsed.error, path: `${this.file.path}: ${parsed.error.path}` });
      return null;
    }
    const { value } = parsed;
    if (!isJsonObject(value)) {
      this.problem([], "A message type is an object.", { expected: `an object with ${fileKeys.join(", ")}` });
      return null;
    }
    if (signing.length === 0) {
      this.problem([], "No dialect of the team has an envelope, which a custom message type needs.", {
        hint: "add vbw/2 or yolo/2 to dialects in team.yaml",
      });
    }
    this.keys(value);
    const type = this.type(value, facts);
    const senders = this.roles(value, "senders", signing);
    const receivers = this.roles(value, "receivers", roles);
    const { summary, example } = this.schema(value, facts);
    if (this.found.length > before || example === null) return null;
    return { type, summary, senders, receivers, schema: value.schema ?? {}, example };
  }

  private keys(value: JsonObject): void {
    for (const key of Object.keys(value).filter((one) => !fileKeys.includes(one))) {
      const meant = nearest(key, fileKeys);
      const hint = meant === null ? "leave it out, or put it into schema" : `did you mean "${meant}"?`;
      this.problem([key], `A message type has no ${shortened(key)}.`, {
        expected: fileKeys.join(" | "),
        received: shortened(key),
        hint,
      });
    }
    for (const key of ["senders", "receivers", "schema"].filter((one) => value[one] === undefined)) {
      this.problem([key], `The message type lacks ${key}.`, { received: "nothing", hint: `add ${key}` });
    }
    if (value.summary !== undefined && (typeof value.summary !== "string" || value.summary === "")) {
      this.problem(["summary"], "The summary is a sentence.", { received: shortened(value.summary) });
    }
  }

  private type({ type: written }: JsonObject, { isTaken }: DialectFacts): string {
    const named = (this.file.path.split(/[/\\]/).at(-1) ?? "").replace(/\.json$/, "");
    const type = written ?? named;
    if (typeof type !== "string" || !/^[a-z][a-z0-9_]{0,63}$/.test(type)) {
      this.problem(["type"], "This cannot be the name of a message type.", {
        expected: "a small letter, then at most 63 of a-z 0-9 _",
        received: shortened(type),
      });
      return "";
    }
    if (type === "prose") {
      const hint = "choose another name: the log, the inbox and the page call a message of plain words so";
      this.problem(["type"], "A team's message type cannot be called prose.", { received: type, hint });
    }
    if (isTaken(type)) {
      const hint = "choose another name: what a message of that type means is not the team's to say";
      this.problem(["type"], `A dialect has a message of type ${type} already.`, { received: type, hint });
    }
    return type;
  }

  private roles(value: JsonObject, key: "senders" | "receivers", allowed: readonly string[]): readonly Role[] {
    const given = value[key];
    if (given === undefined) return [];
    if (!isJsonList(given) || given.length === 0 || new Set(given).size < given.length) {
      this.problem([key], `${key} is a list of roles, each once.`, {
        expected: allowed.join(" | "),
        received: shortened(given),
      });
      return [];
    }
    const known = roles.filter((role) => allowed.includes(role));
    return given.flatMap((word, index) => {
      const role = known.find((one) => one === word);
      if (role !== undefined) return [role];
      const meant = typeof word === "string" ? nearest(word, known) : null;
      this.problem(
        [key, index],
        key === "senders" ? "No envelope of the team's dialects can name this role." : "There is no such role.",
        {
          expected: known.join(" | "),
          received: shortened(word),
          hint: meant === null ? undefined : `did you mean "${meant}"?`,
        },
      );
      return [];
    });
  }

  /** What the schema says; `example` is null where an error was found. */
  private schema(
    { schema, summary, example }: JsonObject,
    { reservedFields }: DialectFacts,
  ): { readonly summary: string; readonly example: JsonObject | null } {
    const told = typeof summary === "string" ? summary : "";
    if (schema === undefined) return { summary: told, example: null };
    const { form, problems } = readSubset(schema);
    for (const { steps, message, ...more } of problems) this.problem(["schema", ...steps], message, more);
    if (problems.length > 0) return { summary: told, example: null };
    if (form.types?.join() !== "object" || form.fields === undefined) {
      this.problem(["schema"], "The payload of a message is an object with properties.", {
        expected: '"type": "object", and "properties"',
        hint: "name each field of the payload in properties",
      });
      return { summary: told, example: null };
    }
    for (const name of form.fields.keys()) this.fieldName(name, reservedFields);
    const shown = this.example(example, form);
    return { summary: told === "" ? (form.summary ?? "A message type of the team's own.") : told, example: shown };
  }

  private fieldName(name: string, reserved: readonly string[]): void {
    const steps = ["schema", "properties", name];
    if (reserved.includes(name))
      this.problem(steps, `Baton writes the field ${name} itself.`, { hint: "choose another name" });
    if (/^[a-z][a-z0-9_]{0,63}$/.test(name)) return;
    this.problem(steps, "This cannot be the name of a payload's field.", {
      expected: "a small letter, then at most 63 of a-z 0-9 _",
      received: shortened(name),
    });
  }

  private example(written: Json | undefined, form: ReturnType<typeof readSubset>["form"]): JsonObject | null {
    const example = written ?? exampleOf(form);
    if (example === null || !isJsonObject(example)) {
      this.problem(["example"], "The message type needs an example of its payload.", {
        hint: 'add "example" with a payload that fits the schema',
      });
      return null;
    }
    const validate = validatorOf(form);
    if (validate(example)) return example;
    for (const { path, message, expected, received, hint } of problemsOf(validate.errors ?? [], example, example)) {
      const place = `${this.file.path}: $.example${path.slice(1)}`;
      this.found.push(
        makeProblem("team-file", place, `The example does not fit the schema: ${message}`, {
          expected,
          received,
          hint,
        }),
      );
    }
    return null;
  }
}
