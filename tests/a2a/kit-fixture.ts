/**
 * What the official conformance kit of A2A is run against: a hub with the real door, a lead that acts on the kit's message
 * ids by ordinary operations, and a shim on loopback, because the kit shows no token and repeats message ids. Prints the
 * shim's URL once all of it answers; ends with its standard input. Started by scripts/test-a2a.sh.
 */
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { typedExtension } from "../../src/doors/a2a/card.ts";
import { askTaskId } from "../../src/tasks/handlers/asks.ts";
import { listening } from "../http/line.ts";
import { teamOf } from "../http/remote.ts";
import { door } from "./door.ts";

const endings: (() => void | Promise<void>)[] = [];
const test = { after: (done: () => void | Promise<void>) => void endings.push(done) };
const folder = mkdtempSync(join(tmpdir(), "baton-kit-"));
const hub = await door(test, {
  folder,
  limits: { streamsPerPrincipalMax: 64, waitsPerPrincipalMax: 64 },
});
const lead = await teamOf(hub.url, hub.as.lead);
const dev = await teamOf(hub.url, hub.as.dev);
const over = new AbortController();

/** What the lead makes of a message of the kit, by the beginning of its id. */
async function react(task: string, id: string): Promise<void> {
  const name = /^a2a\/(.*)\.n\d+(?:@.*)?$/.exec(id)?.[1] ?? "";
  const complete = async () => {
    await lead.addTask({ task, files: "none" });
    await dev.claim({ task });
    await dev.complete({ task, evidence: "Hello from TCK" });
  };
  if (name.startsWith("tck-input-required")) await lead.discuss({ task, text: "Which one?", question: true });
  else if (name.startsWith("tck-reject-task")) await lead.endTask({ task, outcome: "refused", reason: "rejected" });
  // A task that the kit subscribes to again stays open.
  else if (!name.startsWith("test-resubscribe")) await complete();
}

async function serveLead(): Promise<void> {
  for await (const { seq } of lead.follow({ after: 0, signal: over.signal })) {
    const shown = await lead.show(String(seq));
    if (!shown.ok) continue;
    const { id, content, principal } = shown.value.entry;
    // The runtime's own form.
    const { command } = content as { readonly command?: { readonly name?: string; readonly task?: string } };
    if (id === null || principal.agent !== "scout-1") continue;
    if (command?.name === "ask-team") await react(askTaskId(principal.agent, id), id);
    // What is written about a task that waits may say that it is to be completed.
    if (command?.name === "discuss-task") await react(command.task ?? "", id);
  }
}
const led = serveLead();

const corpus = join(import.meta.dirname, "../corpus/vbw-2/accepted/scout_findings.json");
const findings = JSON.parse(readFileSync(corpus, "utf8"));

/** What the kit wants answered by a message is a typed message here, for text is answered by a task. */
function typedWhereAsked(text: string): string {
  if (!/"message_?[iI]d"\s*:\s*"tck-message-response/.test(text)) return text;
  const body = JSON.parse(text);
  const message = (body.params ?? body).message;
  message.parts = [{ data: { ...findings, id: `findings-${count}` } }];
  message.extensions = [typedExtension];
  return JSON.stringify(body);
}

let count = 0;
/** The kit's request as an agent's: with the token, and with a message id of its own. */
async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const unique = typedWhereAsked(
    text.replace(
      /("message_?[iI]d"\s*:\s*")([^"]{1,80})"/,
      (_, start: string, id: string) => `${start}${id}.n${++count}"`,
    ),
  );
  const { host: _host, "content-length": _length, ...headers } = incoming.headers;
  const asked = request(`${hub.url}${incoming.url ?? ""}`, {
    method: incoming.method,
    headers: { ...headers, authorization: `Bearer ${hub.as.scout}`, "content-length": Buffer.byteLength(unique) },
    agent: false,
  });
  asked.on("response", (answer) => {
    const isText = /json/.test(answer.headers["content-type"] ?? "");
    if (!isText) {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      return;
    }
    const parts: Buffer[] = [];
    answer.on("data", (part: Buffer) => parts.push(part));
    answer.on("end", () => {
      const here = `http://${incoming.headers.host ?? ""}`;
      const body = Buffer.concat(parts).toString().replaceAll(hub.url, here);
      const { "content-length": _size, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, { ...kept, "content-length": Buffer.byteLength(body) });
      outgoing.end(body);
    });
  });
  asked.on("error", () => outgoing.destroy());
  outgoing.on("close", () => asked.destroy());
  asked.end(unique);
}

const shim = createServer((incoming, outgoing) => void pass(incoming, outgoing));
process.stdout.write(`${await listening(shim)}\n`);
process.stdin.resume();
await once(process.stdin, "end");
over.abort();
shim.closeAllConnections();
shim.close();
await led;
for (const end of endings.toReversed()) await end();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
