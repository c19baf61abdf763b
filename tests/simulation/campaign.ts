/** Many seeds in several processes, each with its share of them. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** What a process found. */
interface Share {
  readonly seeds: number;
  readonly entries: number;
  readonly happened: { readonly [what: string]: number };
  /** Time of its processor. */
  readonly cpuMs: number;
  /** Null: everything held. */
  readonly violation: string | null;
}

/** What all found together. */
export interface Campaign {
  readonly seeds: number;
  readonly entries: number;
  readonly happened: ReadonlyMap<string, number>;
  readonly violations: readonly string[];
  /** How long the slowest took, and the processors' time of all. */
  readonly tookMs: number;
  readonly cpuMs: number;
}

const script = join(import.meta.dirname, "..", "..", "scripts", "simulate.ts");

/** Runs `seeds` seeds from `first`, shared among `processes`. */
export async function simulateMany(asked: {
  readonly first: number;
  readonly seeds: number;
  readonly steps: number;
  readonly processes: number;
}): Promise<Campaign> {
  const { first, seeds, steps, processes } = asked;
  const share = Math.ceil(seeds / processes);
  const began = performance.now();
  const shares = await Promise.all(
    Array.from({ length: processes }, (_, index) => {
      const from = first + index * share;
      return shareOf(from, Math.min(share, first + seeds - from), steps);
    }),
  );
  const happened = new Map<string, number>();
  for (const each of shares) {
    for (const [what, times] of Object.entries(each.happened)) happened.set(what, (happened.get(what) ?? 0) + times);
  }
  return {
    seeds: shares.reduce((sum, each) => sum + each.seeds, 0),
    entries: shares.reduce((sum, each) => sum + each.entries, 0),
    happened,
    violations: shares.flatMap(({ violation }) => violation ?? []),
    tookMs: performance.now() - began,
    cpuMs: shares.reduce((sum, each) => sum + each.cpuMs, 0),
  };
}

async function shareOf(first: number, seeds: number, steps: number): Promise<Share> {
  const asked = ["--seed", String(first), "--seeds", String(seeds), "--steps", String(steps), "--json"];
  const child = spawn(process.execPath, [script, ...asked], { stdio: ["ignore", "pipe", "inherit"] });
  return JSON.parse(await text(child.stdout)) as Share;
}
