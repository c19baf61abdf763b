/**
 * The program of a thread that does one long work on a journal, over a separate connection. The connections of one process
 * share the locks on a journal's file, so closing this one drops none of the hub's.
 */
import { once } from "node:events";
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { invariant } from "../base/invariant.ts";
import { ok } from "../base/result.ts";
import { type LongWork, longWorkHere } from "../perform/long-work.ts";
import { openTeamJournal } from "../perform/open.ts";
import { silenceExperiments } from "./experiments.ts";
import type { Ordered } from "./long-work.ts";

// The one who starts the thread gives it nothing else.
const order = workerData as Ordered;

async function work(long: LongWork, port: MessagePort): Promise<unknown> {
  const { signal } = new AbortController();
  switch (order.work) {
    case "verify":
      return await long.verify(order.presented, signal);
    case "backup":
      return await long.backup(order.file, signal);
    case "index":
      return await long.index(signal);
    case "export":
      for await (const part of long.exported(order.teams, signal)) {
        if (!part.ok) return part;
        const { buffer } = part.value;
        // Handed over, not copied; a buffer that threads share needs no handing over.
        port.postMessage({ part: part.value }, buffer instanceof ArrayBuffer ? [buffer] : []);
        // The reader asks for the next part: what it does not take waits nowhere.
        await once(port, "message");
      }
      return ok(undefined);
  }
}

async function run(port: MessagePort | null): Promise<void> {
  invariant(port !== null, "this program runs in a thread");
  const opened = await openTeamJournal(order.journal, { create: false, readOnly: true });
  if (!opened.ok) port.postMessage({ done: opened });
  else {
    const done = await work(longWorkHere(opened.value), port);
    await opened.value.close();
    port.postMessage({ done });
  }
  port.close();
}

silenceExperiments();
void run(parentPort);
