/** What a running command prints, waited for by what it says rather than by time. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/** Gathers what a process prints; `until` resolves when standard output holds `text`. */
export function gather(child: ChildProcess) {
  let stdout = "";
  let stderr = "";
  let watch: (() => void) | null = null;
  child.stdout?.setEncoding("utf8").on("data", (part: string) => {
    stdout += part;
    watch?.();
  });
  child.stderr?.setEncoding("utf8").on("data", (part: string) => {
    stderr += part;
    watch?.();
  });
  // From now on: a process that ends before anybody asks for its end has ended all the same.
  const closed = once(child, "close");
  return {
    /** What was printed up to now. */
    sofar: () => ({ stdout, stderr }),
    until: (holds: (stdout: string, stderr: string) => boolean) =>
      new Promise<void>((resolve) => {
        watch = () => holds(stdout, stderr) && resolve();
        watch();
      }),
    end: async () => {
      const [code, signal] = (await closed) as [number | null, string | null]; // node's own event
      return { code, signal, stdout, stderr };
    },
  };
}
