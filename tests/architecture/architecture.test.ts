/** The house rules hold on the tree. Each guard is tried on a planted error in guards.test.ts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bannedCallsGuard, modulesGuard } from "./banned.ts";
import { citationsGuard } from "./citations.ts";
import { componentsGuard } from "./components.ts";
import { enginesGuard } from "./engines.ts";
import {
  anyGuard,
  commentWidthGuard,
  doubleCastGuard,
  emptyCatchGuard,
  exportsGuard,
  headerGuard,
  leftoverGuard,
  namesGuard,
  syntaxGuard,
  zodGuard,
} from "./forms.ts";
import { cyclesGuard, entryPoints, loadedBy, orphansGuard } from "./graph.ts";
import { dialectsGuard, layoutGuard, testingGuard } from "./layout.ts";
import { describeViolations, type Guard, readSources } from "./sources.ts";

const sources = readSources();

const rules: readonly (readonly [string, Guard])[] = [
  ["every file parses", syntaxGuard],
  ["a file imports its own subject, the kernel, and of another subject only what is pure or a service", layoutGuard],
  ["only the registry names single dialects", dialectsGuard],
  ["nothing above journal/ names an engine", enginesGuard],
  ["production imports nothing that only tests need", testingGuard],
  ["no file reaches itself, type imports included", cyclesGuard],
  ["every file is reached from a door or the generator", orphansGuard],
  ["no comment runs out of the window", commentWidthGuard],
  ["banned calls stand only at home", bannedCallsGuard],
  ["Node's modules and SQLite stand only at home", modulesGuard],
  ["zod stands only where definitions are written", zodGuard],
  ["no caught fault is dropped without an argument", emptyCatchGuard],
  ["no any", anyGuard],
  ["no double cast without its reason", doubleCastGuard],
  ["no leftover notes", leftoverGuard],
  ["comments cite what is in the repository, by page and section", citationsGuard],
  ["no star export and no default export", exportsGuard],
  ["file names are nouns that name something", namesGuard],
  ["components draw written elements and text only", componentsGuard],
  ["every production file says what lives in it", headerGuard],
];

for (const [sentence, guard] of rules) {
  test(sentence, () => {
    assert.equal(describeViolations(guard(sources)), "");
  });
}

/** Doors that publish the shapes they take, and what loads them, or a client of theirs, when it is asked for. */
const zodDoors = ["src/doors/http/index.ts", "src/doors/mcp/index.ts"];
const zodCommands = ["src/main/commands/mcp.ts", "src/main/commands/up.ts"];
/** What the library loads when a team is opened. */
const zodOfTeams = ["arguments", "checked-team", "folder-team", "names", "new-team"].map(
  (name) => `src/doors/library/${name}.ts`,
);

test("commands on a journal of this machine load nothing of a hub's client", () => {
  const client = "src/doors/http/client/client.ts";
  const ofClient = (path: string) => path.startsWith("src/doors/http/client") || path.startsWith("eventsource-parser");
  assert.deepEqual([...loadedBy(sources, "src/main/baton.ts", [client])].filter(ofClient), []);
  assert.ok([...loadedBy(sources, "src/main/baton.ts")].filter(ofClient).length > 1, "the guard knows the client");
});

test("folding a team loads no rules, so a look at it waits for none", () => {
  const rules = "src/perform/deciders.ts";
  assert.ok(!loadedBy(sources, "src/perform/projection.ts").has(rules));
  assert.ok(loadedBy(sources, "src/mail/handlers/receive.ts").has(rules), "the guard knows the rules");
});

test("an engine is loaded only when a journal is opened, looked at, moved or copied, or a lock is taken", () => {
  const asked = ["open", "commit-watch", "move", "copy", "file-lock"].map((name) => `src/journal/sqlite/${name}.ts`);
  for (const door of ["src/main/baton.ts", "src/index.ts", "src/doors/http/index.ts"]) {
    assert.ok(!loadedBy(sources, door, asked).has("node:sqlite"), door);
    assert.ok(loadedBy(sources, door).has("node:sqlite"), `${door}: the guard knows the engine`);
  }
});

test("no door but those that publish their shapes loads zod, and no command but theirs", () => {
  for (const door of entryPoints) {
    if (zodDoors.includes(door)) continue;
    const loaded = [...loadedBy(sources, door, [...zodCommands, ...zodOfTeams])].filter((path) =>
      /^(zod|hono|@hono|pino|@modelcontextprotocol)(\/|$)/.test(path),
    );
    assert.deepEqual(loaded, [], `${door} loads zod; read generated facts instead of messages.ts`);
  }
});
