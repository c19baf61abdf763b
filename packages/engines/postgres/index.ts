/** The door `./postgres`: the engine of journals on PostgreSQL. */
import type { ServerEngine } from "batonhq/journal";
import { openPostgresJournal } from "./open.ts";

export const engine: ServerEngine = { open: openPostgresJournal };
