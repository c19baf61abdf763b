/** The door `./nats`: the engine of journals on NATS JetStream. */
import type { ServerEngine } from "batonhq/journal";
import { openNatsJournal } from "./open.ts";

export const engine: ServerEngine = { open: openNatsJournal };
