/** What runs in the thread of `apart.ts`: calls the requested function and answers with its result. */
import { parentPort, workerData } from "node:worker_threads";
import type { Order } from "./apart.ts";

const { module, name, given } = workerData as Order; // as apart.ts says it
const held = (await import(module)) as Record<string, (...words: readonly unknown[]) => unknown>; // apart.ts knows its type
const call = held[name];
if (call === undefined) throw new Error(`${module} has no ${name}`);
parentPort?.postMessage(await call(...given));
