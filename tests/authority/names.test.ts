/**
 * What a message may say of its sender: every word that a field has for it, from each role in each department, and from
 * agents who are called by such a word. Only the truth passes; everything else is another's name.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject, type JsonObject } from "../../src/base/json.ts";
import { authorise } from "../../src/messages/authority/authorise.ts";
import { dialectOf } from "../../src/messages/dialects/registry.ts";
import { messageOf } from "./messages.ts";
import { people, rosterOf, senderName } from "./people.ts";
import { levelOf, type Person, type TableDialect } from "./table.ts";

interface Words {
  readonly dialect: TableDialect;
  readonly type: string;
  readonly field: string;
  readonly words: readonly string[];
  /** Whether the sender's role is judged before the field, so that an untrue word may be refused for that. */
  readonly isLate?: true;
  /** Whether the word is true of somebody called `agent`, by hand from docs/protocol/authority.md, section 3. */
  isTrue(word: string, person: Person, agent: string): boolean;
}

/** Who is in no department contradicts none. */
const ofDepartment = (word: string, { place }: Person) => place === "none" || place === word;

/** Agents may be called by the word for somebody else. */
const called = ["user", "architect", "lead", "dev", "backend"];

const cases: readonly Words[] = [
  {
    dialect: "yolo/1",
    type: "escalation_resolution",
    field: "resolved_by",
    words: ["user", "owner", "architect", "lead"],
    isTrue: (word, { role }) => role === word,
  },
  {
    dialect: "yolo/1",
    type: "escalation",
    field: "from",
    words: ["dev", "senior", "lead"],
    isTrue: (word, person) => levelOf(person) === word,
  },
  {
    dialect: "yolo/1",
    type: "phase_progress",
    field: "department",
    words: ["backend", "frontend", "uiux"],
    isLate: true,
    isTrue: ofDepartment,
  },
  {
    dialect: "yolo/1",
    type: "department_result",
    field: "department",
    words: ["backend", "frontend", "uiux"],
    isLate: true,
    isTrue: ofDepartment,
  },
  {
    dialect: "yolo/1",
    type: "api_contract",
    field: "direction",
    words: ["frontend_to_backend", "backend_to_frontend"],
    isLate: true,
    isTrue: (word, person) => ofDepartment(word.split("_")[0] ?? "", person),
  },
  {
    dialect: "vbw/2",
    type: "execution_update",
    field: "author_role",
    words: ["lead", "dev", "qa", "scout", "debugger", "architect", "docs"],
    isTrue: (word, { role }) => role === word,
  },
  {
    dialect: "bmad/1",
    type: "handoff",
    field: "source_agent",
    words: ["dev", "qa", "lead", "dev-none-1", "dev-backend-1", "user"],
    isTrue: (word, { role }, agent) => word === role || word === agent,
  },
];

const aboveOf: { readonly [level: string]: string } = { dev: "senior", senior: "lead", lead: "architect" };

/** The message with one word in the field, wherever the field is. */
function saying(message: JsonObject, field: string, word: string): JsonObject {
  return Object.fromEntries(
    Object.entries(message).map(([key, value]) => {
      if (key === field) return [key, word];
      return [key, isJsonObject(value) ? saying(value, field, word) : value];
    }),
  );
}

/** The code of the refusal of a message with that word, from somebody called `agent`; null: none. */
function refusalOf({ dialect, type, field }: Words, word: string, person: Person, agent: string): string | null {
  const known = dialectOf(dialect);
  const said = saying(messageOf(dialect, type, person, "names"), field, word);
  // What comes from a level goes to the one above.
  const message = type === "escalation" ? { ...said, to: aboveOf[word] ?? "architect" } : said;
  const read = known?.read(message);
  assert.ok(read?.answer === "accepted", `${type} ${field} ${word}`);
  const roster = new Map(rosterOf(people, dialect));
  const { role, place } = person;
  const department = place === "none" ? {} : { department: place };
  roster.set(agent, { agent, role, dialect, source: "file", status: "active", session: 1, ...department });
  const result = authorise({
    principal: { agent, role, via: "launcher", ...department },
    roster,
    definition: { name: "team", dialects: [dialect], policy: "enforce", agents: [], routing: [], limits: {} },
    policy: "enforce",
    dialectOf,
    reading: { dialect, type, message, fact: read.fact },
    to: null,
    asker: null,
    repeated: null,
  });
  return result.ok ? null : (result.error[0]?.code ?? "");
}

for (const words of cases) {
  const { dialect, type, field } = words;
  test(`${dialect} ${type}: only the true ${field} passes, of ${words.words.length} words from each of ${people.length}`, () => {
    let [passed, refused] = [0, 0];
    for (const person of people) {
      const names = person.place === "none" || person.place === "owner" ? called : [];
      for (const agent of [senderName(person), ...names]) {
        for (const word of words.words) {
          const code = refusalOf(words, word, person, agent);
          const where = `${agent}, ${person.role} of ${person.place}, says ${word}: ${code}`;
          if (words.isTrue(word, person, agent)) {
            assert.notEqual(code, "identity-mismatch", where);
            passed++;
          } else {
            if (words.isLate === true) assert.notEqual(code, null, where);
            else assert.equal(code, "identity-mismatch", where);
            refused++;
          }
        }
      }
    }
    assert.ok(passed > 0 && refused > 0);
  });
}
