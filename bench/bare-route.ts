/**
 * The yardstick of the hub: a route on hono that reads a JSON body and inserts it as one durable row, the raw insert of
 * the other benches. Run as a process with a folder; prints its URL.
 */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { openRawInsert } from "./raw-insert.ts";

const raw = openRawInsert(process.argv[2] ?? ".");
const app = new Hono();
let count = 0;
app.post("/messages", async (context) => {
  const body: unknown = await context.req.json();
  raw.insert(1, 1);
  count += 1;
  return context.json({ seq: count, isObject: typeof body === "object" }, 201);
});

serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(`http://127.0.0.1:${port}`));
