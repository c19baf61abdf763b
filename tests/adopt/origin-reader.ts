/**
 * A reader of planning folders as the tools read them that write them, written from their formats alone: it shares no
 * code with Baton. It is strict: whatever is not in the documented form is an error.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What such a tool would see. */
export interface OriginView {
  /** Plans by phase and number (`1-2`), as their files say; done where a summary is. */
  readonly plans: ReadonlyMap<string, "done" | "open">;
  /** Status of each plan in the execution state. */
  readonly execution: ReadonlyMap<string, string>;
  readonly executionStatus: string | null;
  readonly commits: ReadonlyMap<string, readonly string[]>;
  readonly contracts: ReadonlyMap<string, ContractView>;
  readonly events: readonly EventView[];
  /** Escalations of the execution state by id, with their state. */
  readonly escalations: ReadonlyMap<string, string>;
  readonly departments: ReadonlyMap<string, Record<string, unknown>>;
  /** The lines of the state document that begin with a word and a colon. */
  readonly state: ReadonlyMap<string, string>;
  /** Rows of the roadmap's table by the phase's number, and the phases whose box is ticked. */
  readonly roadmap: ReadonlyMap<string, readonly string[]>;
  readonly ticked: readonly string[];
  /** What the escalation state has open and resolved, by the reason. */
  readonly pending: readonly string[];
  readonly resolved: ReadonlyMap<string, string>;
  /** Decisions for a department: `phase/department`, and the decision. */
  readonly resolutions: ReadonlyMap<string, string>;
  /** Rows of a phase's files, by the file below `phases`. */
  readonly rows: ReadonlyMap<string, readonly Record<string, unknown>[]>;
}

interface ContractView {
  readonly taskIds: readonly string[];
  readonly allowed: readonly string[];
  readonly mustHaves: readonly string[];
}

interface EventView {
  readonly id: string;
  readonly event: string;
  readonly phase: string;
  readonly plan: string | null;
  readonly data: Readonly<Record<string, string>>;
}

const plain = (text: unknown) => String(text).replace(/^0+(?=\d)/, "");

/** Reads the folder. Throws where a file is not in its form. */
export function readOrigin(root: string): OriginView {
  const plans = new Map<string, "done" | "open">();
  const commits = new Map<string, readonly string[]>();
  const departments = new Map<string, Record<string, unknown>>();
  const resolutions = new Map<string, string>();
  const kept = new Map<string, readonly Record<string, unknown>[]>();
  const phases = join(root, "phases");
  for (const folder of existsSync(phases) ? readdirSync(phases) : []) {
    const phase = plain(folder.split("-")[0]);
    const names = readdirSync(join(phases, folder));
    for (const name of names) {
      const read = () => readFileSync(join(phases, folder, name), "utf8");
      assert.doesNotMatch(name, /\.tmp/, "no draft is left");
      if (name.endsWith("SUMMARY.md")) {
        const key = `${phase}-${numberIn(name, phase)}`;
        plans.set(key, "done");
        commits.set(key, commitsIn(read()));
      } else if (name.endsWith(".summary.jsonl")) {
        const rows = linesIn(read()).map((line) => JSON.parse(line) as Record<string, unknown>);
        const key = `${phase}-${numberIn(name, phase)}`;
        plans.set(key, "done");
        commits.set(key, (rows.at(-1)?.ch ?? rows.at(-1)?.cm ?? []) as string[]);
      } else if (name.startsWith(".dept-status-")) {
        const status = JSON.parse(read()) as Record<string, unknown>;
        departments.set(`${phase}/${String(status.dept)}`, status);
      } else if (name.startsWith(".escalation-resolution-")) {
        const { type, decision } = JSON.parse(read()) as Record<string, unknown>;
        assert.equal(type, "escalation_resolution");
        resolutions.set(`${phase}/${name.slice(".escalation-resolution-".length, -".json".length)}`, String(decision));
      } else if (/PLAN/.test(name) || name.endsWith(".plan.jsonl")) {
        const key = `${phase}-${numberIn(name, phase)}`;
        if (!plans.has(key)) plans.set(key, "open");
      } else if (name.endsWith(".jsonl")) {
        const rows = linesIn(read()).map((line) => objectOf(line));
        kept.set(
          `${folder}/${name}`,
          rows.filter((row) => row !== null),
        );
      }
    }
  }
  const state = objectAt(join(root, ".execution-state.json"));
  const rows = (state?.plans ?? []) as readonly { readonly id: string; readonly status: string }[];
  const held = objectAt(join(root, ".escalation-state.json")) as {
    readonly pending: readonly { readonly reason: string }[];
    readonly resolved: readonly { readonly reason: string; readonly resolution: string }[];
  } | null;
  const roadmap = textAt(join(root, "ROADMAP.md")).split("\n");
  const escalations = (state?.escalations ?? []) as readonly { readonly id: string; readonly status: string }[];
  return {
    plans,
    commits,
    departments,
    resolutions,
    rows: kept,
    state: new Map(
      textAt(join(root, "STATE.md"))
        .split("\n")
        .flatMap((line) => {
          const found = /^(Phase|Plans|Progress|Status): (.*)$/.exec(line);
          return found === null ? [] : [[String(found[1]), String(found[2])] as const];
        }),
    ),
    roadmap: new Map(
      roadmap.flatMap((line) => {
        const cells = line.split("|").map((cell) => cell.trim());
        const number = /^0*(\d+)\b/.exec(cells[1] ?? "")?.[1];
        return line.startsWith("|") && number !== undefined ? [[number, cells.slice(1, -1)] as const] : [];
      }),
    ),
    ticked: roadmap.flatMap((line) => /^- \[x\] \[?Phase (\d+):/.exec(line)?.[1] ?? []),
    pending: (held?.pending ?? []).map(({ reason }) => reason),
    resolved: new Map((held?.resolved ?? []).map(({ reason, resolution }) => [reason, resolution])),
    execution: new Map(rows.map(({ id, status }) => [id.split("-").map(plain).join("-"), status])),
    executionStatus: (state?.status as string | undefined) ?? null,
    escalations: new Map(escalations.map(({ id, status }) => [id, status])),
    contracts: contractsIn(join(root, ".contracts")),
    events: eventsIn(join(root, ".events", "event-log.jsonl")),
  };
}

/** The number of a plan, of the names that the tools use. */
function numberIn(name: string, phase: string): string {
  const stem = name.replace(/\.(?:md|plan\.jsonl|summary\.jsonl)$/, "");
  const parts = stem.split("-").filter((part) => part !== "PLAN" && part !== "SUMMARY");
  return plain(parts.length > 1 && plain(parts[0]) === phase ? parts[1] : parts[0]);
}

function linesIn(text: string): readonly string[] {
  assert.ok(text === "" || text.endsWith("\n"), "the last line is whole");
  return text.split("\n").filter((line) => line !== "");
}

/** Hashes of the head's list, else of the body's section, as the tools grep them. */
function commitsIn(text: string): readonly string[] {
  const head = /^commit_hashes:\n((?: {2}- .*\n)*)/m.exec(text)?.[1];
  const part = head ?? /^## (?:Task )?Commits\n\n((?:- .*\n)*)/m.exec(text)?.[1] ?? "";
  return part.match(/[0-9a-f]{7,40}/g) ?? [];
}

function textAt(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** A row; null: it is broken, and these tools pass over it. */
function objectOf(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null;
  }
}

function objectAt(path: string): Record<string, unknown> | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>) : null;
}

const contractKeys =
  "phase_id plan_id phase plan objective task_ids task_count allowed_paths forbidden_paths depends_on must_haves verification_checks max_token_budget timeout_seconds contract_hash";

function contractsIn(folder: string): ReadonlyMap<string, ContractView> {
  const found = new Map<string, ContractView>();
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (/\.rev\d+\.json$/.test(name)) continue;
    const { contract_hash: hash, ...rest } = objectAt(join(folder, name)) ?? {};
    assert.equal([...Object.keys(rest), "contract_hash"].join(" "), contractKeys, name);
    const digest = createHash("sha256")
      .update(`${JSON.stringify(rest, null, 2)}\n`)
      .digest("hex");
    assert.equal(hash, digest, `the hash of ${name}`);
    const ids = rest.task_ids as readonly string[];
    assert.equal(rest.task_count, ids.length);
    const key = `${plain(rest.phase)}-${plain(rest.plan)}`;
    found.set(key, {
      taskIds: ids,
      allowed: rest.allowed_paths as readonly string[],
      mustHaves: rest.must_haves as readonly string[],
    });
  }
  return found;
}

/** Lines that are JSON; the tools pass over others. */
function eventsIn(path: string): readonly EventView[] {
  return (existsSync(path) ? linesIn(readFileSync(path, "utf8")) : []).flatMap((line) => {
    try {
      const { event, phase, plan, data = {}, ts, event_id } = JSON.parse(line) as Record<string, unknown>;
      assert.match(String(ts), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      assert.ok(typeof event_id === "string");
      const said = data as Record<string, string>;
      return [
        {
          id: event_id,
          event: String(event),
          phase: plain(phase),
          plan: plan === undefined ? null : plain(plan),
          data: said,
        },
      ];
    } catch (cause) {
      if (cause instanceof SyntaxError) return [];
      throw cause;
    }
  });
}
