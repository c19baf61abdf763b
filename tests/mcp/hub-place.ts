/**
 * A real hub as a process, `baton up`, with a credential for each agent; and a doorman that shows dev-1's credential for
 * clients that cannot show one, and changes nothing else.
 */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after } from "node:test";
import { startHub as startProcess } from "../e2e/hub-process.ts";

export interface HubPlace {
  /** Where MCP is. */
  readonly url: string;
  /** A new credential of this agent, as a client's place. */
  as(agent: string): Promise<{ readonly url: string; readonly headers: Record<string, string> }>;
  /** The URL of a doorman who shows dev-1's credential. */
  doorman(): Promise<string>;
  /** Kills the hub as a crash would. */
  kill(): Promise<void>;
}

const servers: ReturnType<typeof createServer>[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** Starts the hub of the team in `directory`. */
export async function startHub(directory: string, port = 0): Promise<HubPlace> {
  const hub = await startProcess(directory, port);
  const { origin, hash } = new URL(hub.ownerUrl);
  const session = await signIn(origin, hash.replace("#code=", ""));
  const url = `${origin}/mcp`;
  const as = async (agent: string) => {
    const made = await post(origin, "/api/teams/web/tokens", { agent }, { "baton-session": session });
    const { token } = (await made.json()) as { token: string };
    return { url, headers: { authorization: `Bearer ${token}` } };
  };
  return {
    url,
    as,
    doorman: async () => doormanOf(url, (await as("dev-1")).headers),
    kill: hub.kill,
  };
}

async function signIn(origin: string, code: string): Promise<string> {
  const answer = await post(origin, "/api/session", { code }, {});
  return ((await answer.json()) as { session: string }).session;
}

async function post(origin: string, path: string, body: object, headers: Record<string, string>): Promise<Response> {
  const answer = await fetch(`${origin}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", origin, ...headers },
    body: JSON.stringify(body),
  });
  assert.ok(answer.ok, `${path} answers ${answer.status}`);
  return answer;
}

/** Hands everything on as it came, Host and Origin too, with the credential added. */
async function doormanOf(url: string, credential: Record<string, string>): Promise<string> {
  const { port: hubPort } = new URL(url);
  const own = { port: 0 };
  const hand = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // The doorman's own address stands for the hub's; any other Host or Origin is what the client really said.
    const inside = (text: string | undefined) => text?.replace(`127.0.0.1:${own.port}`, `127.0.0.1:${hubPort}`);
    const { host, origin, ...others } = incoming.headers;
    const headers = {
      ...others,
      ...credential,
      host: inside(host),
      ...(origin === undefined ? {} : { origin: inside(origin) }),
    };
    const asked = request(url, { method: incoming.method, headers, agent: false }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    asked.once("error", () => outgoing.destroy());
    outgoing.once("close", () => asked.destroy());
    incoming.pipe(asked);
  };
  const server = createServer(hand);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  own.port = (server.address() as AddressInfo).port;
  return `http://127.0.0.1:${own.port}/mcp`;
}
