/** The door `./nats`: the engine of journals on NATS JetStream. */
import type { BrokerEngine } from "batonhq/journal";
import { hearNatsAsks } from "./asks.ts";
import { openNatsJournal } from "./open.ts";
import { permissionLinesOf } from "./permissions.ts";

export const engine: BrokerEngine = {
  open: openNatsJournal,
  hearAsks: hearNatsAsks,
  permissionLines: permissionLinesOf,
};
