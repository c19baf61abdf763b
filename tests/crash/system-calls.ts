/**
 * The system-call campaign: a writer runs under strace, which at the Nth call of one kind kills it or lets the call
 * fail with EIO or ENOSPC; N = 1, 2, 3 ... until a run ends without being hit. After each run the journal must open,
 * verify and hold everything acknowledged, and sending everything again must leave each message exactly once.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./folder.ts";
import { attemptOf, bytesAt, crashTeam, hold, openJournal } from "./journal-subject.ts";
import { type Line, startWriter } from "./kills.ts";
import { type Acknowledgement, compare } from "./ledger.ts";

/** The calls through which a journal reaches its storage. */
export const storageCalls = ["pwrite64", "fsync", "ftruncate", "rename", "unlink"] as const;
export const faults = ["signal=KILL", "error=EIO", "error=ENOSPC"] as const;

export interface InjectionReport {
  readonly call: string;
  readonly fault: string;
  /** Runs in which the error struck. */
  readonly points: number;
  /** Runs in which a send was answered with a problem, by its code. */
  readonly problems: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

export interface InjectionOptions {
  readonly call: (typeof storageCalls)[number];
  readonly fault: (typeof faults)[number];
  /** First N, and the step to the next: 1 and 1 strike every call. */
  readonly first: number;
  readonly step: number;
  /** The planted bug: acknowledge before the commit. */
  readonly early?: boolean;
}

/** Why nothing can be injected on this machine, or null where it can. */
export function injectionMissing(): string | null {
  if (process.platform !== "linux") return "injecting faults into system calls needs Linux";
  if (spawnSync("strace", ["-V"]).status !== 0) return "strace is missing";
  const traced = spawnSync("strace", ["-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "true"]);
  return traced.status === 0 ? null : "strace may not trace here (ptrace is forbidden)";
}

const agent = "dev-1";
const sends = 6;

/** Strikes one kind of call with one error, point after point. */
export async function strike(options: InjectionOptions): Promise<InjectionReport> {
  const problems: Record<string, number> = {};
  const wrong: string[] = [];
  let points = 0;
  for (let nth = options.first; ; nth += options.step) {
    const point = await strikeOnce(options, nth);
    if (!point.struck) break;
    points++;
    for (const code of point.problems) problems[code] = (problems[code] ?? 0) + 1;
    wrong.push(...point.wrong.map((each) => `${options.call} ${nth} ${options.fault}: ${each}`));
  }
  return { call: options.call, fault: options.fault, points, problems, wrong };
}

interface Point {
  readonly struck: boolean;
  readonly problems: ReadonlySet<string>;
  readonly wrong: readonly string[];
}

async function strikeOnce({ call, fault, early }: InjectionOptions, nth: number): Promise<Point> {
  using folder = temporaryFolder("memory");
  const path = join(folder.path, "journal.db");
  const log = `${folder.path}/strace`;
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:${fault}:when=${nth}`];
  // By seccomp-bpf only the calls that are asked for stop the writer, and not each of its thousands; but no signal comes so.
  const filter = fault === "signal=KILL" ? [] : ["--seccomp-bpf"];
  const tracer = ["strace", "-f", ...filter, "-qq", "-o", log, ...inject];
  const lines: Line[] = [];
  const run = startWriter(
    { path, agent, from: 0, until: sends, together: 2, early: early === true },
    (line) => lines.push(line),
    tracer,
  );
  const code = await run.ended;
  const struck = fault === "signal=KILL" ? code !== 0 : readFileSync(log, "utf8").includes("(INJECTED)");
  const acknowledged = lines.filter(
    (line): line is Line & Acknowledgement => line.id !== undefined && line.problem === undefined,
  );
  const wrong = [...judgeStop(lines, code, fault, run.errors())];
  // An error while the file was being made may leave none; then nothing can have been acknowledged.
  if (existsSync(path) || acknowledged.length > 0) wrong.push(...compare(acknowledged, await hold(path)));
  wrong.push(...(await sendAgain(path)));
  return { struck, problems: new Set(lines.flatMap((line) => line.problem ?? [])), wrong };
}

/** How a writer may end: it never crashes of itself, and after `journal-failed` it acknowledges nothing more. */
function judgeStop(lines: readonly Line[], code: number | null, fault: string, errors: string): readonly string[] {
  const wrong: string[] = [];
  if (fault !== "signal=KILL" && code !== 0 && code !== 3)
    wrong.push(`the writer ended with ${code}: ${errors.slice(0, 400)}`);
  const failedAt = lines.findIndex((line) => line.problem === "journal-failed" && line.id !== undefined);
  if (failedAt < 0) return wrong;
  const later = lines.slice(failedAt + 1);
  if (later.some((line) => line.id !== undefined && line.problem === undefined))
    wrong.push("something was acknowledged after journal-failed");
  const condition = later.findLast((line) => line.condition !== undefined)?.condition;
  if (code === 0 && condition !== "failed") wrong.push(`the condition after journal-failed is ${condition}`);
  return wrong;
}

/** Sends everything again from this process; afterwards each message is recorded exactly once. */
async function sendAgain(path: string): Promise<readonly string[]> {
  const given: Acknowledgement[] = [];
  const opened = await openJournal(path);
  if (!opened.ok) return [`does not open again: ${opened.error.code}: ${opened.error.message}`];
  {
    await using journal = opened.value;
    for (let position = 0; position < sends; position++) {
      const id = `${agent}-${position}`;
      const committed = await journal.commit(crashTeam, attemptOf(agent, id, bytesAt(position)));
      if (!committed.ok) return [`does not take ${id} again: ${committed.error.code}`];
      if (committed.value.outcome !== "declined")
        given.push({ id, seq: committed.value.receipt.seq, hash: committed.value.receipt.hash });
    }
  }
  const holding = await hold(path);
  const surplus =
    holding.entries.length === sends ? [] : [`${holding.entries.length} entries stand for ${sends} sends`];
  return [...compare(given, holding), ...surplus];
}
