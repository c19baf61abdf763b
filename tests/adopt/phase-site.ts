/**
 * An adopted look-alike project in which scripted agents of Claude Code work by their own tools, and the comparison of its
 * folder with what they did, by a reader of the tools' formats that shares no code with Baton.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines } from "../e2e/command.ts";
import { type Hooked, hook, isRecorded, sending, teammate, writing } from "../e2e/hook-call.ts";
import { type Family, git, type LookAlike, makeLookAlike, put } from "./look-alike.ts";
import { readOrigin } from "./origin-reader.ts";

export type Message = { readonly [field: string]: unknown };

/** A project in which agents work. */
export interface Site {
  readonly place: string;
  readonly root: string;
  readonly made: LookAlike;
  /** The folder of the phase at work, below the planning folder. */
  readonly phase: string;
  /** Sends by the program's own tool; the lead is the session itself. */
  says(agent: string, message: Message | string, to?: string): Promise<Hooked>;
  /** How many messages were sent by now. */
  calls(): number;
  /** Edits a file by the program's own tool, and commits it. */
  commits(agent: string, plan: string, file: string): Promise<string>;
}

export function digests(root: string): ReadonlyMap<string, string> {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(root.length + 1), createHash("sha256").update(readFileSync(path)).digest("hex")];
    }),
  );
}

export async function begin(family: Family, lead: string): Promise<Site> {
  const place = folder();
  const made = makeLookAlike(place, { family, seed: 41, plansIn: [2, 3] });
  const root = join(place, family.startsWith("yolo") ? ".yolo-planning" : ".vbw-planning");
  const phase = `phases/${readdirSync(join(root, "phases")).find((name) => name.startsWith("02"))}`;
  await calledWithCode(0, place, ["adopt", "--team", "shop"]);
  const session = (agent: string) => ({ session_id: "s1", cwd: place, ...(agent === lead ? {} : teammate(agent)) });
  let calls = 0;
  return {
    place,
    root,
    made,
    phase,
    says: async (agent, message, to = "*") => {
      calls += 1;
      const more = { ...session(agent), tool_use_id: `toolu_${calls}` };
      return await hook(place, "PreToolUse", sending(message, more, to), ["--as", lead]);
    },
    calls: () => calls,
    async commits(agent, plan, file) {
      const asked = await hook(place, "PreToolUse", { ...writing(join(place, file), "Write"), ...session(agent) }, [
        "--as",
        lead,
      ]);
      assert.equal(asked.code, 0, asked.stderr);
      assert.doesNotMatch(asked.stdout, /"deny"/, `${agent} may write ${file}`);
      put(place, file, `// ${plan}\n`);
      git(place, "add", "src");
      git(place, "commit", "-q", "-m", `feat(${plan}): ${file}`);
      return git(place, "rev-parse", "HEAD");
    },
  };
}

export async function sync({ place }: Site): Promise<readonly string[]> {
  const [shown] = jsonLines(await calledWithCode(0, place, ["sync", "--json"]));
  const { written, findings, imported } = shown as {
    readonly written: readonly string[];
    readonly findings: readonly unknown[];
    readonly imported: { readonly refused: readonly unknown[] } | null;
  };
  assert.deepEqual(
    [findings, imported?.refused ?? []]
      .flat()
      .map((each) => JSON.stringify(each))
      .filter((each) => !/event-log|critique|dev-03 holds/.test(each)),
    [],
  );
  return written;
}

export async function openTasks({ place }: Site): Promise<ReadonlyMap<string, readonly string[]>> {
  const lines = jsonLines(await calledWithCode(0, place, ["task", "list", "--json"]));
  const open = lines.filter(({ state }) => state === "available" || state === "blocked");
  return Map.groupBy(
    open.map(({ task }) => String(task)),
    (task) => task.split("-T")[0] ?? "",
  );
}

export const key = (plan: string) => plan.split("-").map(Number).join("-");

/** Files that may change: everything else in the folder must be as it was, byte for byte. */
const listed =
  /SUMMARY|summary\.jsonl|\.execution-state\.json|\.events\/event-log\.jsonl|STATE\.md|ROADMAP\.md|\.dept-status|state\.json|\.escalation-|\.contracts\//;

/** Compares the folder with what was done: plans with their commits, in the order in which they were finished. */
export function compare(
  { root, made, phase }: Site,
  before: ReadonlyMap<string, string>,
  done: ReadonlyMap<string, readonly string[]>,
  more: readonly string[] = [],
): void {
  const seen = readOrigin(root);
  const all = new Set([...made.plans.map(({ id }) => key(id)), ...[...done.keys()].map(key)]);
  assert.deepEqual(seen.plans, new Map([...all].map((id) => [id, "done"])));
  for (const [plan, commits] of done) {
    assert.deepEqual(seen.commits.get(key(plan)), commits, plan);
    assert.equal(seen.execution.get(key(plan)), "complete", plan);
  }
  assert.equal(seen.executionStatus, "complete");
  const count = [...all].filter((id) => id.startsWith("2-")).length;
  assert.deepEqual(
    [...seen.state],
    [
      ["Phase", seen.state.get("Phase")],
      ["Plans", `${count}/${count}`],
      ["Progress", "100%"],
      ["Status", "complete"],
    ],
  );
  assert.deepEqual(seen.ticked, ["1", "2"]);
  assert.match(seen.roadmap.get("2")?.join(" ") ?? "", /complete|Done/);
  const own = seen.events.filter(({ id }) => id.startsWith("baton-"));
  const ofPlans = own.filter(({ event }) => event.startsWith("plan_"));
  for (const plan of done.keys())
    assert.deepEqual(
      ofPlans.flatMap((each) => (`${each.phase}-${each.plan}` === key(plan) ? [[each.event, each.data.status]] : [])),
      [
        ["plan_start", undefined],
        ["plan_end", "complete"],
      ],
      plan,
    );
  assert.equal(own.filter(({ event }) => event === "phase_end").length, 1);
  const changed = [...digests(root)].filter(([path, digest]) => before.get(path) !== digest).map(([path]) => path);
  assert.deepEqual(
    changed.filter((path) => !listed.test(path) && !more.includes(path.replace(`${phase}/`, ""))),
    [],
  );
  assert.deepEqual(
    [...before.keys()].filter((path) => !digests(root).has(path)),
    [],
    "nothing is gone",
  );
}

/** Ends the phase, and lets every agent stop by the program's own messages. */
export async function end(site: Site, lead: string, agents: readonly string[]): Promise<void> {
  await calledWithCode(0, site.place, ["verify"]);
  await calledWithCode(0, site.place, ["phase", "end", "--phase", "02", "--as", lead]);
  for (const agent of agents) {
    const asked = await site.says(lead, { type: "shutdown_request", reason: "phase complete" }, agent);
    isRecorded(asked);
    // The program hands on its own frame, with the id that Baton gave the request.
    const id = `shutdown-toolu_${site.calls()}`;
    isRecorded(await site.says(agent, { type: "shutdown_response", request_id: id, approve: true }, lead));
  }
}

/** A second look changes nothing, neither there nor here. */
export async function rests(site: Site): Promise<void> {
  const after = digests(site.root);
  assert.deepEqual([await sync(site), digests(site.root)], [[], after]);
  const [again] = jsonLines(await calledWithCode(0, site.place, ["adopt", "--json"]));
  const { plans, tasks, reports, escalations, history } = (again as { imported: Record<string, number> }).imported;
  assert.deepEqual([plans, tasks, reports, escalations, history], [0, 0, 0, 0, 0]);
  await calledWithCode(0, site.place, ["journal", "verify"]);
}
