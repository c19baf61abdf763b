/**
 * Any sequence of messages that the documents allow: in a small team, agents say at random what they may, with the words
 * that the fields allow, about the same few plans, tasks and files. What is refused, or reaches others than those whom the
 * document names, is answered with the seed that shows it.
 */
import { authoredDialects } from "../../scripts/generate/authored.ts";
import { isJsonObject, type Json, type JsonObject } from "../../src/base/json.ts";
import type { JsonSchema } from "../../src/base/schema/emitter.ts";
import { schemaOf } from "../../src/messages/dialects/define.ts";
import { levelAbove, maySend, type Row, type TableDialect, table } from "../authority/table.ts";
import { jsonLines } from "../e2e/command.ts";
import { type Chance, chanceFrom } from "../simulation/world/chance.ts";
import { type Cast, play } from "./play.ts";

/** A message that was not taken as its document has it. */
export interface Surprise {
  readonly type: string;
  readonly code: string;
  readonly says: string;
}

type Fields = { [field: string]: Json };
type Team = Awaited<ReturnType<typeof play>>;

const departments = ["backend", "frontend", "uiux"];

/** What is surprising about one sequence of so many messages. */
export async function surprisesOf(
  dialects: readonly [TableDialect, ...TableDialect[]],
  cast: Cast,
  {
    seed,
    steps,
    rows = table,
  }: { seed: number; steps: number; rows?: { readonly [dialect in TableDialect]: readonly Row[] } },
): Promise<readonly Surprise[]> {
  const chance = chanceFrom(seed);
  const team = await play(dialects, cast);
  const severalDepartments = new Set([...team.people.values()].map(({ place }) => place)).size > 1;
  const stopped = new Set<string>();
  const surprises: Surprise[] = [];
  for (let step = 0; step < steps && stopped.size < team.people.size; step++) {
    const who = chance.pick([...team.people.keys()].filter((each) => !stopped.has(each)));
    const sender = team.people.get(who) ?? { role: "dev", place: "none" };
    const choices = dialects.flatMap((dialect) =>
      rows[dialect]
        .filter((row) => maySend(row, sender, { dialect, severalDepartments }))
        .filter(([type]) => type !== "shutdown_request" || chance.happens(0.15))
        .map((row) => ({ dialect, row })),
    );
    if (choices.length === 0) continue;
    const { dialect, row } = chance.pick(choices);
    const [type] = row;
    const fields = await anyFields(team, chance, { dialect, type, who });
    if (fields === null) continue;
    const message = team.written(who, type, fields, dialect);
    // An answer goes to the one who asked, and a handoff to the one whom it names.
    const isNamed = ["approval_response", "shutdown_response", "escalation_resolution", "handoff"].includes(type);
    const readers = isNamed ? null : team.receiversOf(who, row, message, dialect).filter((each) => !stopped.has(each));
    if (readers?.length === 0) continue;
    const done = await team.run(who, ["send", "--json"], JSON.stringify(message));
    const [receipt] = jsonLines(done);
    const says = `seed ${seed}, step ${step}, ${dialect} of ${who}: ${JSON.stringify(message)}\n${done.said}`;
    const [problem] = (receipt?.problems ?? []) as readonly { code: string }[]; // as documented
    if (done.code !== 0) {
      surprises.push({ type, code: problem?.code ?? "failed", says });
      continue;
    }
    const entry = await team.first(who, ["show", String(receipt?.seq)]);
    const reached = (entry.receivers as readonly string[]).toSorted().join(", ");
    if (readers !== null && stopped.size === 0 && reached !== readers.toSorted().join(", "))
      surprises.push({ type, code: "others", says: `${says}\nreaches ${reached}, not ${readers.join(", ")}` });
    if (entry.effect === false) surprises.push({ type, code: "no-effect", says });
    const { approve, approved } = fields;
    if (type === "shutdown_response" && (approve ?? approved ?? true) === true) stopped.add(who);
  }
  return surprises;
}

/** Fields that the document allows here; null: there is nothing that the message could be about. */
async function anyFields(
  team: Team,
  chance: Chance,
  { dialect, type, who }: { readonly dialect: TableDialect; readonly type: string; readonly who: string },
): Promise<JsonObject | null> {
  const sender = team.people.get(who);
  if (sender === undefined) return null;
  if (type === "handoff") {
    const others = [...team.people.keys()].filter((each) => each !== who);
    return others.length === 0
      ? null
      : { metadata: { target_agent: chance.pick(others) }, validation: anyState(chance) };
  }
  const authored = authoredDialects.find(({ id }) => id === dialect);
  const entry = authored?.messages.find((each) => each.type === type);
  if (authored === undefined || entry === undefined) return null;
  const example = team.written(who, type, {}, dialect);
  const varied = anyWords(example, schemaOf(authored, entry), chance) as JsonObject; // of an object
  const isTyped = isJsonObject(varied.payload);
  const said: Fields = { ...(isJsonObject(varied.payload) ? varied.payload : varied) };
  const set = (fields: JsonObject) =>
    Object.assign(said, Object.fromEntries(Object.entries(fields).filter(([name]) => name in said)));
  const plan = chance.pick(dialect === "yolo/1" ? ["01-01", "01-02"] : ["1-1", "1-2"]);
  const number = chance.between(1, 3);
  const task = isTyped ? `${plan}-T${number}` : `${plan}/T${number}`;
  const file = chance.pick(["src/a.ts", "src/b.ts", "lib/c.ts"]);
  const needed = chance.pick([departments, ["backend"], ["backend", "frontend"]]);
  set({ plan_id: plan, phase: chance.pick(["01", "02"]), phase_id: "phase-1", task, paths: [file] });
  set({ task_id: isTyped ? task : `T${number}`, tasks: [1, 2, 3].map((each) => `${plan}-T${each}`) });
  set({ files: [file], files_modified: [file], allowed_paths: chance.pick([["src/"], ["src/", "lib/"]]) });
  set({
    forbidden_paths: [],
    depends_on: chance.pick([[], plan === "1-2" ? ["1-1"] : []]),
    commit: chance.pick(["abc1234", "def5678"]),
  });
  set({ departments_needed: needed, dispatch_order: needed, departments_approved: needed });
  set({ issue: chance.pick(["The gateway refuses us", "Which library?", "The design does not hold"]) });
  if (type !== "design_handoff" && departments.includes(sender.place)) set({ department: sender.place });
  set({ direction: sender.place === "backend" ? "backend_to_frontend" : "frontend_to_backend" });
  for (const field of ["from", "to", "resolved_by"]) if (example[field] !== undefined) set({ [field]: example[field] });
  if (said.result === "PASS") {
    for (const name of ["checks", "tests"]) {
      const counts = said[name];
      if (isJsonObject(counts))
        said[name] = { ...counts, failed: 0, ...("total" in counts ? { total: counts.passed ?? 0 } : {}) };
    }
    set({ failures: [] });
  }
  const about = await whatIsOpen(team, chance, { type, who });
  if (about === null || (type === "escalation" && levelAbove(sender) === null)) return null;
  set(about);
  return isTyped ? { ...said, phase: 1, task: type.startsWith("shutdown") ? "" : task } : said;
}

/** What an answer may answer; null: nothing waits for it. */
async function whatIsOpen(team: Team, chance: Chance, { type, who }: { readonly type: string; readonly who: string }) {
  const one = (ids: readonly unknown[]) => (ids.length === 0 ? null : String(chance.pick(ids)));
  if (type === "escalation_resolution") {
    const id = one((await team.open("escalations")).map((each) => each.id));
    return id === null ? null : { original_escalation: id };
  }
  if (type === "approval_response") {
    const others = (await team.open("requests")).filter(({ requester }) => requester !== who);
    const id = one(others.map(({ requestId }) => requestId));
    return id === null ? null : { request_id: id };
  }
  if (type !== "shutdown_response") return {};
  const [round] = jsonLines(await team.run(who, ["shutdown", "status", "--json"]));
  const asked = (round?.agents ?? []) as readonly { agent: string; outcome: string | null }[]; // as documented
  const isAsked = asked.some(({ agent, outcome }) => agent === who && outcome === null);
  return isAsked ? { request_id: String(round?.requestId) } : null;
}

function anyState(chance: Chance): JsonObject {
  return {
    source_status: { overall_status: chance.pick(["completed", "in-progress", "failed"]) },
    quality_checks: {
      tests_passed: chance.happens(0.5),
      code_review_status: chance.pick(["passed", "failed", "pending"]),
      documentation_complete: chance.happens(0.5),
    },
  };
}

/** The example with any of the words that its schema lists, and any yes or no. */
function anyWords(value: Json, schema: JsonSchema | undefined, chance: Chance): Json {
  if (schema?.enum !== undefined) return chance.pick(schema.enum);
  if (schema?.type === "boolean") return chance.happens(0.5);
  if (Array.isArray(value)) return value.map((each) => anyWords(each, schema?.items, chance));
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, each]) => [
    name,
    anyWords(each, schema?.properties?.[name], chance),
  ]);
  return Object.fromEntries(fields) as JsonObject;
}
