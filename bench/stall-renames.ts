/**
 * A commit that moves 300 files and rewrites a third of each: a verdict on it and a view of it, while another process asks
 * `/healthz`.
 */
import { execFileSync, fork } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type BenchHub, openHub } from "./hub-calls.ts";
import type { Measure } from "./measure.ts";
import { worstDuring } from "./prober.ts";

const files = 300;
const lines = 200;
const idleMs = 3_000;
const pathsIn = (folder: string) => Array.from({ length: files }, (_, file) => `src/${folder}/file-${file}.ts`);

/** The repository; answers the id of the commit. */
function fillRepository(folder: string): string {
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=b", "-c", "user.email=b@b", ...words], { encoding: "utf8" });
  mkdirSync(folder);
  git("init", "-q");
  const write = (name: string, isNew: boolean) => {
    mkdirSync(join(folder, "src", name), { recursive: true });
    for (const [file, path] of pathsIn(name).entries()) {
      const line = (_: unknown, at: number) => `${isNew && at % 3 === 0 ? "new" : "line"} ${at} of file ${file}`;
      writeFileSync(join(folder, path), Array.from({ length: lines }, line).join("\n"));
    }
  };
  const commit = (message: string) => {
    git("add", "-A");
    git("commit", "-q", "-m", message);
  };
  write("old", false);
  commit("files");
  git("rm", "-q", "-r", "src/old");
  write("new", true);
  commit("moved");
  return git("rev-parse", "HEAD").trim();
}

async function call(hub: BenchHub, path: string, body: object | null, token: string | null): Promise<unknown> {
  const who = token === null ? { cookie: hub.cookie, origin: hub.url } : { authorization: `Bearer ${token}` };
  const headers = { "content-type": "application/json", ...who };
  const asked = body === null ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${hub.url}/api/teams/bench/${path}`, asked);
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
  return await answer.json();
}

/** The lead reports the commit, which is older than its task; the list of files names the new paths alone. */
async function report(hub: BenchHub, commit: string): Promise<void> {
  await call(hub, "tasks", { task: "9-1-T1", files: ["src/"] }, null);
  const lead = await hub.token("lead-1");
  await call(hub, "tasks/9-1-T1/complete", { commit, files: pathsIn("new"), finishedBefore: true }, lead);
}

async function verdict(hub: BenchHub): Promise<void> {
  const { tasks } = (await call(hub, "verify", { tasks: ["9-1-T1"] }, null)) as Verdicts;
  const [found] = tasks;
  if (found === undefined || !["verified", "complete"].includes(found.state))
    throw new Error(`the verdict is ${JSON.stringify(found)?.slice(0, 500)}`);
}

interface Verdicts {
  readonly tasks: readonly { readonly state: string }[];
}

function stallBy(name: string, work: (hub: BenchHub, commit: string) => Promise<unknown>): Measure {
  return {
    name: `Stall of a hub: ${name} a commit that moves and rewrites ${files} files`,
    subject: `of ${lines} lines each, a third of them new; worst answer of /healthz to another connection beyond the idle worst`,
    yardstick: "fifty milliseconds",
    target: { of: "time", atMost: 1 },
    rounds: 3,
    async open(folder, opened) {
      const repository = join(folder, "work");
      const commit = fillRepository(repository);
      const hub = await openHub(folder, ["--repository", repository]);
      opened.defer(hub.close);
      await report(hub, commit);
      const prober = fork(join(import.meta.dirname, "prober.ts"), [hub.url], { execArgv: [] });
      opened.defer(() => void prober.kill());
      return {
        yardstick: () => 50,
        async subject() {
          const idle = await worstDuring(prober, () => setTimeout(idleMs));
          return Math.max(0.01, (await worstDuring(prober, () => work(hub, commit))) - idle);
        },
      };
    },
  };
}

/** The worst answers of `/healthz` while the commit is judged, and while somebody looks at it. */
export const stallAtRenames: readonly Measure[] = [
  stallBy("verdict on", verdict),
  stallBy("view of", (hub, commit) => call(hub, `commits/${commit}`, null, null)),
];
