/**
 * A play: a small team of one family works by the messages of its documents alone, as its agents would at a shell. Nothing
 * that a document lets an agent say may be refused, each message must reach exactly those whom the table of
 * tests/authority names, and what Baton says to do next is done: see `hints.ts`.
 */
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../../src/base/json.ts";
import { type Department, departments, type Role } from "../../src/messages/role.ts";
import {
  type Circumstances,
  isAskedToStop,
  levelAbove,
  levelOf,
  type Person,
  type Row,
  type TableDialect,
  table,
  wanted,
} from "../authority/table.ts";
import { acceptedExamples } from "../corpus/messages.ts";
import { called } from "../e2e/called.ts";
import { folder, jsonLines, problemCodes } from "../e2e/command.ts";
import { type Call, doorTo } from "./doors.ts";
import { follow, type Line, type Told } from "./hints.ts";

/** Everybody by name, as `role` or `role@department`. */
export type Cast = Readonly<Record<string, string>>;

/** What may be said of a message beside its fields. */
export interface Manner {
  /** Named receivers; absent: those of the document. */
  readonly to?: readonly string[];
  /** Who reads it, where the document leaves that to the case; absent: the receivers. */
  readonly reaches?: readonly string[];
  /** Which of the team's dialects has the message; absent: the first that knows the type. */
  readonly dialect?: TableDialect;
}

const person = "owner";

/** The roles that decide, from below. */
const chain: readonly string[] = ["dev", "senior", "lead", "architect", "owner"];

/** Whether a type goes to those who decide, in their own department, and so to the next level where somebody is. */
export function goesUp([, , receivers, from]: Row): boolean {
  return from === undefined && receivers !== "" && receivers.split(" ").every((role) => chain.indexOf(role) > 0);
}

export async function play(
  dialects: readonly [TableDialect, ...TableDialect[]],
  cast: Cast,
  files: Readonly<Record<string, string>> = {},
  { through, limits = "" }: { readonly through?: "mcp"; readonly limits?: string } = {},
) {
  const directory = folder();
  const people = new Map(Object.entries(cast).map(([agent, place]) => [agent, placeOf(place)]));
  const severalDepartments = new Set([...people.values()].map(({ place }) => place)).size > 1;
  const agents = [...people].map(([agent, { role, place }]) => {
    return `  ${agent}: {role: ${role}${place === "none" ? "" : `, department: ${place}`}}\n`;
  });
  mkdirSync(join(directory, ".baton"));
  const head = `version: 1\nteam: web\ndialects: [${dialects.join(", ")}]\npolicy: enforce\nlimits: {${limits}}\n`;
  writeFileSync(join(directory, ".baton/team.yaml"), `${head}agents:\n${agents.join("")}`);
  /** Puts a file where it was, or makes it. */
  const brings = (path: string): void => writes(path, files[path] ?? "Made.\n");
  const writes = (path: string, text: string): void => {
    mkdirSync(join(directory, path, ".."), { recursive: true });
    writeFileSync(join(directory, path), text);
  };
  for (const path of Object.keys(files)) brings(path);
  /** Each `type: role -> role` that was said and arrived. */
  const arrived = new Set<string>();
  let count = 0;
  let about: JsonObject = {};

  const door = doorTo(directory, through);
  const run = (who: string, words: readonly string[], input = "") => door(who, words, input);
  /** Calls a tool for somebody, which must succeed. */
  async function calls(who: string, call: Call): Promise<void> {
    const done = await door(who, [], "", call);
    assert.equal(done.code, 0, `${who}: ${JSON.stringify(call)}\n${done.said}`);
  }
  /** At a shell, whatever the door: what hints say there is a command. */
  const atShell = (who: string, words: readonly string[], input: string) =>
    called(directory, who === person ? words : [...words, "--as", who], input);

  /** Runs a command for somebody; it must succeed, and what it says to do is done. */
  async function does(who: string, words: readonly string[], input = "") {
    const done = await run(who, words, input);
    assert.equal(done.code, 0, `${who}: baton ${words.join(" ")}\n${done.said}`);
    return done;
  }

  const dialectFor = (type: string, dialect?: TableDialect): TableDialect => {
    const found = dialect ?? dialects.find((each) => table[each].some(([name]) => name === type));
    assert.ok(found !== undefined, `no dialect of the team has ${type}`);
    return found;
  };

  /** The document's example of a type, said by this agent, with these fields of its own. */
  function written(who: string, type: string, fields: JsonObject, dialect: TableDialect): JsonObject {
    const found = acceptedExamples(dialect).find(({ name }) => name === `${type}.json`);
    assert.ok(found !== undefined, `${dialect} ${type}`);
    const example = withFields(structuredClone(found.message), about);
    const role = people.get(who)?.role ?? "lead";
    if (isJsonObject(example.handoff)) {
      const stamp = { metadata: { id: `handoff-${++count}`, source_agent: who } };
      return { handoff: merged(merged(example.handoff, stamp), fields) };
    }
    if (!isJsonObject(example.payload)) return { ...example, ...spoken(example, people.get(who)), ...fields };
    const inEnvelope = Object.entries(fields).filter(([name]) => name in example);
    const inPayload = Object.entries(fields).filter(([name]) => !(name in example));
    const payload = { ...example.payload, ...Object.fromEntries(inPayload) };
    return { ...example, id: `${type}-${++count}`, author_role: role, ...Object.fromEntries(inEnvelope), payload };
  }

  /** Says a message of the document: it is taken, and reaches whom the document names, as it was said. */
  async function says(who: string, type: string, fields: JsonObject = {}, manner: Manner = {}): Promise<string> {
    const dialect = dialectFor(type, manner.dialect);
    const message = written(who, type, fields, dialect);
    const done = await does(who, [...commandFor(manner), "--json"], JSON.stringify(message));
    const [receipt] = jsonLines(done);
    assert.ok(typeof receipt?.id === "string", done.said);
    const readers = manner.reaches ?? manner.to ?? receiversOf(who, rowOf(dialect, type), message, dialect);
    const entry = await first(who, ["show", String(receipt.seq)]);
    assert.deepEqual(new Set(entry.receivers as readonly string[]), new Set(readers), `${type} of ${who}`); // as documented
    for (const reader of readers) {
      const mail: Record<string, unknown> | undefined = jsonLines(await run(reader, ["inbox", "--json"])).find(
        ({ id }) => id === receipt.id,
      );
      assert.ok(mail !== undefined, `${type} of ${who} did not reach ${reader}`);
      if (mail.dialect === dialect) assert.deepEqual(mail.message, message, `${type} as ${reader} reads it`);
      arrived.add(pair(type, people.get(who), people.get(reader)));
    }
    return receipt.id;
  }

  function receiversOf(who: string, row: Row, message: JsonObject, dialect: TableDialect): readonly string[] {
    const sender = people.get(who);
    assert.ok(sender !== undefined, who);
    const level = message.to === undefined ? undefined : levelAbove(sender);
    const circumstances: Circumstances = { dialect, severalDepartments, ...(level === undefined ? {} : { level }) };
    const isReader = ([agent, receiver]: readonly [string, Person]) =>
      agent !== who &&
      (row[0] === "shutdown_request"
        ? isAskedToStop(row, sender, receiver, circumstances)
        : wanted(row, sender, receiver, circumstances) === "authorised");
    const readers = [...people].filter(isReader).map(([agent]) => agent);
    return readers.length === 0 && goesUp(row) ? above(sender) : readers;
  }

  /** Who is at the next level above that has somebody of this department, at last the person. */
  function above(sender: Person): readonly string[] {
    const level = levelOf(sender);
    const found = chain.slice(level === null ? 0 : chain.indexOf(level) + 1).flatMap((role) => {
      const at = [...people].filter(
        ([, each]) => each.role === role && (role === "owner" || each.place === sender.place),
      );
      return at.length === 0 ? [] : [at.map(([agent]) => agent)];
    });
    const [next = []] = found;
    // What comes to the level of an owner comes to the person too.
    return next.length === 0 || next.some((agent) => people.get(agent)?.role === "owner") ? [...next, person] : next;
  }

  /** Does what is refused with this code, then what the hint says, and so on until it is done. */
  async function refused(code: string, who: string, words: readonly string[], input = ""): Promise<void> {
    const first = await run(who, [...words, "--json"], input);
    assert.equal(problemCodes(first)[0], code, `${who}: baton ${words.join(" ")}\n${first.said}`);
    await insists({ play: self, who, words, input });
  }

  /** Follows hint after hint until the same is done, in the words that they lead to. */
  async function insists(line: Line): Promise<void> {
    let asked = line;
    const trail: string[] = [];
    for (let tries = 0; tries < 6; tries++) {
      const done = await atShell(asked.who, [...asked.words, "--json"], asked.input);
      if (done.code === 0) return;
      const [problem] = (jsonLines(done).at(-1)?.problems ?? []) as readonly Told[]; // as documented
      assert.ok(problem?.hint !== undefined, `${asked.who}: ${asked.words.join(" ")} has no hint: ${done.said}`);
      trail.push(`${asked.who}: ${asked.words.join(" ")}: ${problem.code}: ${problem.message}: ${problem.hint}`);
      asked = await follow(problem.hint, problem, asked);
    }
    assert.fail(`hints lead nowhere:\n${trail.join("\n")}`);
  }

  /** As `refused`, of a message. */
  async function isRefused(code: string, who: string, type: string, fields: JsonObject = {}, manner: Manner = {}) {
    const message = written(who, type, fields, dialectFor(type, manner.dialect));
    await refused(code, who, commandFor(manner), JSON.stringify(message));
  }

  /** Reads an agent's mail as a person does, does what it says to do, and answers the text. */
  async function reads(who: string): Promise<string> {
    const { said } = await does(who, ["inbox"]);
    const acknowledging = /Acknowledge with: baton (.*)$/m.exec(said)?.[1];
    if (acknowledging !== undefined) {
      const done = await called(directory, acknowledging.split(" "));
      assert.equal(done.code, 0, done.said);
    }
    const hints = [...said.matchAll(/(?:What to do: |at hand, then )(.*)$/gm)].map(([, hint = ""]) => hint);
    for (const hint of new Set(hints))
      await follow(hint, { code: "", path: "", message: "" }, { play: self, who, words: ["inbox"], input: "" });
    return said;
  }

  /** What `baton needs` proposes to this caller. */
  async function needs(
    who: string,
  ): Promise<readonly { kind: string; target: string; decide: readonly (readonly string[])[] }[]> {
    const [found] = jsonLines(await run(who, ["needs", "--json"]));
    return (found?.needs ?? []) as never; // as documented
  }

  /** Every pair of sender and receiver that the documents name and the team has, was played. */
  function whole(...among: readonly TableDialect[]): void {
    const pairs = (among.length === 0 ? dialects : among).flatMap((dialect) => {
      const rows: readonly Row[] = table[dialect];
      return rows.flatMap((row) => pairsOf(dialect, row));
    });
    assert.deepEqual(
      [...new Set(pairs)].filter((one) => !arrived.has(one)),
      [],
    );
  }

  function pairsOf(dialect: TableDialect, row: Row): readonly string[] {
    // While several departments are at work, each lead asks its own.
    const isAskedByNobody = ({ place }: Person) => severalDepartments && place === "shared";
    return [...people].flatMap(([sender, from]) => {
      const level = row[0] === "escalation" ? levelAbove(from) : undefined;
      if (level === null || (row[0] === "shutdown_response" && isAskedByNobody(from))) return [];
      const circumstances = { dialect, severalDepartments, ...(level === undefined ? {} : { level }) };
      return [...people]
        .filter(([receiver, to]) => receiver !== sender && wanted(row, from, to, circumstances) === "authorised")
        .map(([, to]) => pair(row[0], from, to));
    });
  }

  /** What a command of this caller lists, as JSON. */
  const lists = async (who: string, words: readonly string[]) => jsonLines(await does(who, [...words, "--json"]));

  /** What the next messages are about, in the fields that they have. */
  function on(fields: JsonObject): void {
    about = fields;
  }

  /** Runs the first command that Baton proposes to this caller for what waits for it. */
  async function decides(who: string, more: readonly string[] = []): Promise<void> {
    const [need] = await needs(who);
    const [words] = need?.decide ?? [];
    assert.ok(words !== undefined, `nothing waits for ${who}`);
    await does(who, [...words.map((word) => (word === "TEXT" ? "Take ours" : word === "N" ? "1" : word)), ...more]);
  }

  /** The id of the escalation that was opened last. */
  const newest = async (): Promise<string> => String((await open("escalations")).at(-1)?.id);

  /** The first of them. */
  async function first(who: string, words: readonly string[]): Promise<Record<string, unknown>> {
    const [found] = await lists(who, words);
    assert.ok(found !== undefined, `${who}: baton ${words.join(" ")} lists nothing`);
    return found;
  }

  /** What is open of a kind, as anybody sees it. */
  async function open(kind: "escalations" | "requests") {
    const all = await lists(person, ["needs", `--${kind}`]);
    return all.filter(({ status }) => status === "open");
  }

  /**
   * A lead stops everybody by command. The first one refuses, is asked again, and then does as all others do: what the
   * request says.
   */
  async function ends(lead: string): Promise<void> {
    await does(lead, ["stop", "--no-wait", "--reason", "phase_complete"]);
    const agents = await asked(lead);
    const [unready = ""] = agents;
    await does(unready, ["shutdown", "answer", "--refuse", "--left", "Writes a file"]);
    for (const who of agents) await reads(who);
    const { outcome, agents: parts } = await first(lead, ["shutdown", "status"]);
    assert.equal(outcome, "complete", JSON.stringify(parts));
  }

  /** Whom the newest round waits for. */
  async function asked(lead: string): Promise<readonly string[]> {
    const round = await first(lead, ["shutdown", "status"]);
    const parts = round.agents as readonly { agent: string; outcome: string | null }[]; // as documented
    return parts.filter(({ outcome }) => outcome === null).map(({ agent }) => agent);
  }

  /** A lead asks everybody to stop, and everybody answers: `answers`, of the first one and of each other, in order. */
  async function stops(
    lead: string,
    fields: JsonObject,
    answers: (request: string, isFirst: boolean) => readonly JsonObject[],
  ): Promise<Record<string, unknown>> {
    const request = await says(lead, "shutdown_request", fields);
    const agents = await asked(lead);
    for (const [at, who] of agents.entries()) {
      await reads(who);
      const said = answers(request, at === 0);
      for (const [index, answer] of said.entries()) {
        await says(who, "shutdown_response", answer);
        if (index + 1 < said.length) assert.match(await reads(who), /shutdown_request from/, `${who} is asked again`);
      }
    }
    return await first(lead, ["shutdown", "status"]);
  }

  const self = {
    people,
    written,
    calls,
    receiversOf,
    on,
    says,
    does,
    run,
    lists,
    first,
    open,
    newest,
    needs,
    decides,
    reads,
    refused,
    isRefused,
    insists,
    stops,
    ends,
    writes,
    brings,
    whole,
  };
  return self;
}

function commandFor({ to = [] }: Manner): readonly string[] {
  return ["send", ...to.flatMap((one) => ["--to", one])];
}

function placeOf(text: string): Person {
  const [role = "", place = "none"] = text.split("@");
  return { role: role as Role, place: departments.some((each) => each === place) ? (place as Department) : "none" };
}

function rowOf(dialect: TableDialect, type: string): Row {
  const row = (table[dialect] as readonly Row[]).find(([name]) => name === type);
  assert.ok(row !== undefined, `${dialect} ${type}`);
  return row;
}

function pair(type: string, from: Person | undefined, to: Person | undefined): string {
  return `${type}: ${nameOf(from)} -> ${nameOf(to)}`;
}

function nameOf(person: Person | undefined): string {
  return person === undefined ? "the person" : person.place === "none" ? person.role : `${person.role}@${person.place}`;
}

/** What a flat message says of its sender. */
function spoken(example: JsonObject, who: Person | undefined): JsonObject {
  if (who === undefined) return {};
  const said: Readonly<Record<string, Json>> = { from: levelOf(who), to: levelAbove(who), resolved_by: who.role };
  return Object.fromEntries(Object.entries(said).filter(([field, value]) => field in example && value !== null));
}

/** The example with those of the fields that it has, also in its payload. */
function withFields(example: JsonObject, fields: JsonObject): JsonObject {
  const known = Object.fromEntries(Object.entries(fields).filter(([name]) => name in example));
  const { payload } = example;
  return { ...example, ...known, ...(isJsonObject(payload) ? { payload: withFields(payload, fields) } : {}) };
}

/** Objects field by field, everything else replaced. */
function merged(into: JsonObject, fields: JsonObject): JsonObject {
  const changed = Object.entries(fields).map(([name, value]): [string, Json] => {
    const old = into[name];
    return [name, isJsonObject(old) && isJsonObject(value) ? merged(old, value) : value];
  });
  return { ...into, ...Object.fromEntries(changed) };
}
