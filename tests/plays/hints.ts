/**
 * What an agent does that takes a hint at its word: it runs the command or writes the words that the hint gives, or does
 * what the table has for it. A hint that nobody knows how to follow fails the play.
 */
import assert from "node:assert/strict";
import { isJsonObject, type Json, type JsonObject } from "../../src/base/json.ts";
import type { Person } from "../authority/table.ts";

/** What who follows a hint needs of the play. */
interface Stage {
  readonly people: ReadonlyMap<string, Person>;
  says(
    who: string,
    type: string,
    fields: JsonObject,
    manner?: { readonly reaches: readonly string[] },
  ): Promise<string>;
  lists(who: string, words: readonly string[]): Promise<readonly Record<string, unknown>[]>;
  first(who: string, words: readonly string[]): Promise<Record<string, unknown>>;
  open(kind: "escalations" | "requests"): Promise<readonly Record<string, unknown>[]>;
  insists(line: Line): Promise<void>;
  brings(path: string): void;
}

/** A command of somebody that was refused. */
export interface Line {
  readonly play: Stage;
  readonly who: string;
  readonly words: readonly string[];
  readonly input: string;
}

/** Why it was. */
export interface Told {
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly expected?: string;
  readonly received?: string;
  readonly hint?: string;
}

/** Answers the line to try next. */
type Following = (line: Line, told: Told, ...found: readonly string[]) => Line | Promise<Line>;

const commit = "abc1234";

/** The agent of one of these roles, else the person. */
function whoIs(line: Line, roles: string): string {
  const found = [...line.play.people].find(([, { role }]) => roles.split(/ \| | or |, /).includes(role));
  return found?.[0] ?? "owner";
}

/** The same said by somebody else, who says so. */
function saidBy(line: Line, who: string): Line {
  const role = line.play.people.get(who)?.role;
  const input =
    role === undefined ? line.input : line.input.replace(/"author_role":"[^"]*"/, `"author_role":"${role}"`);
  return { ...line, who, input };
}

/** The same with another word for the one that was received. */
function instead(line: Line, received: string, word: string): Line {
  const words = line.words.map((each) => (each === received ? word : each));
  return { ...line, words, input: line.input.replaceAll(`"${received}"`, `"${word}"`) };
}

/** The same with a field of the message set, or left out. */
function withField(line: Line, path: string, value: Json | undefined): Line {
  const steps = path.slice(2).split(".");
  const set = (object: JsonObject, [name = "", ...rest]: readonly string[]): JsonObject => {
    const { [name]: old, ...others } = object;
    const next = rest.length === 0 ? value : set(isJsonObject(old) ? old : {}, rest);
    return next === undefined ? others : { ...others, [name]: next };
  };
  return { ...line, input: JSON.stringify(set(JSON.parse(line.input) as JsonObject, steps)) };
}

/** The same about another task, which is a field or the word after the command. */
function named(line: Line, path: string, task: string): Line {
  if (path.startsWith("$.")) return withField(line, path, task);
  return { ...line, words: line.words.map((word, at) => (at === 2 ? task : word)) };
}

/** The same once a command was run, by somebody who may. */
async function after(line: Line, who: string, command: string): Promise<Line> {
  const words = command.split(" ").map((word) => (word === "TEXT" ? "We go on" : word));
  await line.play.insists({ ...line, who, words, input: "" });
  return line;
}

/** A handoff that its issuer issues again; answers the new id. */
async function issuedAgain({ play, who }: Line, id: string): Promise<string> {
  const handed = await play.first(who, ["handoff", "list", id]);
  const { issuer, target } = handed.handoff as { issuer: string; target: string }; // as documented
  const { metadata: _, ...document } = (handed.document as { handoff: JsonObject }).handoff; // as documented
  const again = { ...document, metadata: { target_agent: target } };
  return await play.says(issuer, "handoff", again, { reaches: [target] });
}

const progress = {
  type: "dev_progress",
  task: "01-01/T1",
  plan_id: "01-01",
  commit: "",
  status: "partial",
  concerns: [],
};

/** A value as a hint writes it. */
function read(written: string): Json {
  return JSON.parse(written) as Json;
}

/** The same with a count set to what adds up, where the problem names the counts together, in the field of their sum. */
function corrected(line: Line, path: string, value: Json): Line {
  const isTotal = typeof value === "number" && !/total|findings|percent/.test(path);
  return withField(line, isTotal ? `${path}.total` : path, value);
}

/** The same to this receiver alone; null: to those whom the document names. */
function addressed(line: Line, to: string | null): Line {
  const at = line.words.indexOf("--to");
  const words = at === -1 ? line.words : line.words.filter((_, each) => each !== at && each !== at + 1);
  return { ...line, words: to === null ? words : [...words, "--to", to] };
}

const followings: readonly (readonly [RegExp, Following])[] = [
  // What a message lacks, or says in another form than its definition.
  [/^add "[^"]+"(?:, [^,]+)?, such as (.*)$/, (line, { path }, sample = "") => withField(line, path, read(sample))],
  [
    /^write one of the listed words/,
    (line, { path, expected = "" }) => withField(line, path, expected.split(" | ")[0]),
  ],
  [
    /^write (?:"[^"]*": )?(-?\d+|\{.*\})(?: without quotes)?(?:, or correct|$)/,
    (line, { path }, value = "") => corrected(line, path, read(value)),
  ],
  [/^write a list: (.*)$/, (line, { path }, list = "") => withField(line, path, read(list))],
  [/^write true or false without quotes/, (line, { path }) => withField(line, path, true)],
  [/^for example (.*)$/, (line, { path }, sample = "") => withField(line, path, read(sample))],
  [/^write "([^"]*)"/, (line, { path }, word = "") => withField(line, path, word)],
  [/^(?:L|l)eave (?:it|the deadline) out/, (line, { path }) => withField(line, path, undefined)],
  [/^write file:line of one of the changes/, (line, { path }) => withField(line, path.replace(/\[\d+\]$/, ""), [])],
  [/^`baton reference` lists every type/, (line) => withField(line, "$.type", "dev_progress")],
  // What Baton writes itself needs nobody to say it.
  [/^Do not send it\.|^Work on: nobody asks you to stop/, (line) => ({ ...line, words: ["inbox"], input: "" })],
  // Who reads it.
  [/^Name (?:another agent )?by `--to`/, (line) => addressed(line, "lead-1")],
  [/^Leave `--to` out to reach those/, (line) => addressed(line, null)],
  [
    /^Write to another agent, or bring it back: `baton (.*?)`/,
    (line, _, command = "") => after(line, "owner", command),
  ],
  [
    /^Registering it again starts a new session: `baton (.*?)`/,
    (line, _, command = "") => after(line, "owner", command),
  ],
  [
    /^Say it in your own words, as prose/,
    (line) => ({ ...line, words: ["send", "--to", "owner"], input: "Which endpoints?" }),
  ],
  [
    /^Ask the lead of that department to send it/,
    (line, { expected = "" }) => saidBy(line, `${expected.split(" | ").at(-1)}-1`),
  ],
  [/^In task mode .* developers report with dev_progress/, (line) => ({ ...line, input: JSON.stringify(progress) })],
  // An approval, an escalation, a handoff.
  [/^Send the (?:new )?request with a(?:nother| {2}new| new) id/, (line) => withField(line, "$.id", "ask-9")],
  [/^Decide it: `baton (.*?)`/, (line, _, command = "") => after(line, line.who, command)],
  [/^Leave it to the (\w+)\.$/, (line, _, role = "") => saidBy(line, whoIs(line, role))],
  [/^Give the new document a new id/, (line) => withField(line, "$.handoff.metadata.id", "handoff-99")],
  [
    /^Approve every department that the phase needs/,
    (line, { path }) => withField(line, path, ["backend", "frontend"]),
  ],
  [/^Let the departments' work be verified together first/, (line, { path }) => withField(line, path, "PASS")],
  [/leaves it out: `baton (.*?)`/, (line, _, command = "") => after(line, "owner", command)],
  [
    /^Register such an agent/,
    (line, { expected = "" }) => {
      const [role = ""] = expected.split(" | ");
      return after(line, "owner", `agent register ${role}-9 --role ${role}`);
    },
  ],
  [
    /`baton task add` brings new ones/,
    (line, { received = "" }) => after(line, whoIs(line, "lead"), `task add ${received}`),
  ],
  [
    /^Take another one; `baton (task list --available)`/,
    async (line, { path }, list = "") => {
      const board = await line.play.first(line.who, list.split(" "));
      const [free = ""] = board.available as readonly string[]; // as documented
      return named(line, path, free);
    },
  ],
  [/name other files/, (line, { received = "" }) => instead(line, received, `${received}.more`)],
  [
    /^Claim what the contract allows/,
    (line, { expected = "", received = "" }) =>
      instead(line, received, `${/inside ([^,]+)/.exec(expected)?.[1] ?? ""}other.ts`),
  ],
  [
    /ask for leave: `baton (task ask WHY [^`]*)`/,
    async (line, _, words = "") => {
      await line.play.insists({ ...line, words: words.split(" "), input: "" });
      const [open] = await line.play.open("requests");
      return await after(line, whoIs(line, "lead"), `approve ${open?.requestId}`);
    },
  ],
  [
    /^A request has one answer; a new question needs a new request/,
    async (line, { received = "" }) => {
      const asked = await line.play.says("dev-1", "approval_request", { request_type: "plan_approval" });
      return instead(line, /"request_id":"([^"]*)"/.exec(line.input)?.[1] ?? received, asked);
    },
  ],
  [/^commit the work and write its hash/, (line, { path }) => withField(line, path, commit)],
  [/^Commit the work first, then name the commit/, (line) => ({ ...line, words: [...line.words, "--commit", commit] })],
  [
    /^Nobody in the team is .*; the person adds one: `baton (agent register (\S+) --role (\S+))`/,
    async (line, _, command = "", who = "", role = "") => {
      await after(line, "owner", command);
      return { ...line, who, input: line.input.replace(/"author_role":"[^"]*"/, `"author_role":"${role}"`) };
    },
  ],
  [/^Ask an agent that is (.*) to send it/, (line, _, roles = "") => saidBy(line, whoIs(line, roles))],
  [
    /^Leave the answer to one of these/,
    (line, { expected = "" }) => saidBy(line, whoIs(line, expected.replace("owner | ", ""))),
  ],
  [/^The owner answers with `baton/, (line) => saidBy(line, "owner")],
  [/^Leave it to another agent with that right, or to the person/, (line) => saidBy(line, "owner")],
  [
    /^`baton (needs --escalations)` shows what waits/,
    async (line, { received = "" }, list = "") => {
      const open = (await line.play.lists(line.who, list.split(" "))).find(({ status }) => status === "open");
      return instead(line, received, String(open?.id));
    },
  ],
  [/^Use `--token (\d+)`/, (line, { received = "" }, token = "") => instead(line, received, token)],
  [/^Claim the task, or leave it/, (line) => after(line, line.who, `task claim ${line.words[2]}`)],
  [
    /^Your claim has ended. Leave its files alone and claim a task again/,
    async (line) => {
      const at = line.words.indexOf("--token");
      await after(line, line.who, `task claim ${line.words[2]}`);
      return { ...line, words: line.words.filter((_, each) => each !== at && each !== at + 1) };
    },
  ],
  [
    /`baton phase skip STEP (.*)` leaves a step out/,
    (line, { path }, more = "") => after(line, line.who, `phase skip ${path} ${more}`),
  ],
  [
    /owner lifts it with `baton (.*?)`/,
    (line, _, command = "") => (line.words[1] === "lift" ? saidBy(line, "owner") : after(line, "owner", command)),
  ],
  [
    /^`baton (handoff list --all)` shows those that were issued/,
    async (line, { received = "" }, list = "") => {
      const issued = await line.play.first(line.who, list.split(" "));
      return instead(line, received, (issued.handoff as { id: string } | undefined)?.id ?? String(issued.id));
    },
  ],
  [/Something new needs a new id/, (line, { path }) => withField(line, path, "something-new")],
  [/^If it is to go on, register it again.*`baton (.*?)`/, (line, _, command = "") => after(line, "owner", command)],
  [/^Leave it to the lead, or to the person/, (line) => saidBy(line, whoIs(line, "lead"))],
  [
    /^Write to the person who owns the team in prose: `(--to \w+)`/,
    (line, _, to = "") => ({ ...line, words: ["send", ...to.split(" ")], input: "May we use another gateway?" }),
  ],
  [/^Write "([^"]*)"[.,]/, (line, { path }, word = "") => withField(line, path, word)],
  // What is forbidden is left as it was: the report names something else.
  [
    /^Leave these files as they were; only a revision/,
    (line, { received = "" }) => instead(line, received, "src/a.ts"),
  ],
  [
    /^did you mean "(.*)"\?/,
    (line, { received = "" }, meant = "") => instead(line, received.replace(/^"|"$/g, ""), meant),
  ],
  [/^answer: .* in a shell by `baton (.*?)`/, (line, _, command = "") => after(line, line.who, command)],
  [/HOLD is always possible/, (line, { path }) => withField(line, path, "HOLD")],
  [/^Only those it is addressed to accept/, (line, { expected = "" }) => saidBy(line, expected)],
  [/^Accept it first/, (line, { path }) => after(line, line.who, `handoff accept ${path}`)],
  [
    /^Bring (?:it there|the file back)/,
    (line, { path }) => {
      line.play.brings(path);
      return line;
    },
  ],
  [
    /^Say what is wrong, such as "(.*)"/,
    (line, { path }, reason = "") => ({ ...line, words: [...line.words, path, reason] }),
  ],
  [
    /^Its issuer issues it again, mended, under a new id/,
    async (line, { path }) => instead(line, path, await issuedAgain(line, path)),
  ],
  [
    /^mend it and issue it again, under a new id and with (\S+) \(.*\) among/,
    async (line, _, id = "") => {
      await issuedAgain(line, id);
      return line;
    },
  ],
  [
    /^resolve (\S+) in your own words/,
    (line, _, id = "") => after(line, line.who, `escalation resolve ${id} --decision TEXT`),
  ],
  // What was allowed is taken back; nothing was asked for again.
  [/^leave these paths as they are, or ask again/, (line) => line],
  [
    /^Wait for the decision on (\S+):/,
    async (line, _, id = "") => {
      const [open] = (await line.play.open("escalations")).filter((each) => each.id === id);
      return await after(line, whoIs(line, String(open?.level)), `escalation resolve ${id} --decision TEXT`);
    },
  ],
];

/** Does what a hint says, and answers what to try then. */
export async function follow(hint: string, told: Told, line: Line): Promise<Line> {
  for (const [pattern, following] of followings) {
    const found = pattern.exec(hint);
    if (found !== null) return await following(line, told, ...found.slice(1));
  }
  assert.fail(`nobody follows this hint: ${hint} ${JSON.stringify(told)}`);
}
