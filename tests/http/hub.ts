/** A real hub on a scratch journal, for tests: started in this process on a free port, spoken to over sockets. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type HubLimits,
  type HubRepository,
  hubLimits,
  type McpMount,
  type Mounts,
} from "../../src/doors/http/index.ts";
import { silentLog } from "../../src/doors/http/server/monitoring.ts";
import { type RunningHub, startHub } from "../../src/main/hub.ts";
import type { PublicAddress } from "../../src/main/public-address.ts";

export const teamText = `version: 1
team: web
dialects: [vbw/2]
policy: enforce
agents:
  lead-1: { role: lead }
  dev-1: { role: dev }
  qa-1: { role: qa }
`;

export interface TestHub {
  readonly hub: RunningHub;
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  readonly journal: string;
  /** The secret of the owner's session. */
  readonly session: string;
  /** A token for an agent, made through the hub. */
  token(agent: string): Promise<string>;
}

interface Test {
  after(done: () => void | Promise<void>): void;
}

export interface TestHubOptions {
  readonly limits?: Partial<HubLimits>;
  readonly text?: string;
  /** An existing folder; absent: a new one that is removed afterwards. */
  readonly folder?: string;
  /** Where the team works; absent: nothing is judged. */
  readonly repository?: HubRepository;
  /** What serves `/mcp`; absent: nothing. */
  readonly mcp?: McpMount;
  /** What serves `/a2a`; absent: nothing. */
  readonly a2a?: Mounts["a2a"];
  /** A socket for other machines; absent: none. */
  readonly publicAddress?: PublicAddress;
}

/** Starts a hub that ends with the test. */
export async function testHub(test: Test, options: TestHubOptions = {}): Promise<TestHub> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "baton-hub-"));
  const journal = join(folder, "journal.db");
  const started = await startHub({
    journal,
    teamFile: { path: join(folder, "team.yaml"), text: options.text ?? teamText },
    create: true,
    port: 0,
    version: "0.0.0-test",
    log: silentLog,
    limits: { ...hubLimits, ...options.limits },
    ...(options.repository === undefined ? {} : { repository: options.repository }),
    ...(options.mcp === undefined ? {} : { mcp: options.mcp }),
    ...(options.a2a === undefined ? {} : { a2a: options.a2a }),
    ...(options.publicAddress === undefined ? {} : { publicAddress: options.publicAddress }),
  });
  assert.ok(started.ok, JSON.stringify(started));
  const hub = started.value;
  test.after(async () => {
    await hub.stop();
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  });
  const session = await signIn(hub);
  const token = async (agent: string) => {
    const made = await fetch(`${hub.url}/api/teams/web/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json", "baton-session": session },
      body: JSON.stringify({ agent }),
    });
    assert.equal(made.status, 201);
    return String(((await made.json()) as { token: unknown }).token);
  };
  return { hub, url: hub.url, port: Number(new URL(hub.url).port), folder, journal, session, token };
}

/** Exchanges a one-time code for the secret of an owner's session. */
export async function signIn(hub: Pick<RunningHub, "ownerUrl" | "url">): Promise<string> {
  const code = new URL(hub.ownerUrl()).hash.replace("#code=", "");
  const answer = await fetch(`${hub.url}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: hub.url },
    body: JSON.stringify({ code }),
  });
  assert.equal(answer.status, 200);
  return String(((await answer.json()) as { session: unknown }).session);
}

/** One answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Whatever came; the shapes are checked where that is the question. */
  readonly body: ReturnType<typeof JSON.parse>;
}

/** The header that shows a credential: a token names its team, the secret of a session or a link does not. */
export function shown(credential: string): Readonly<Record<string, string>> {
  return credential.includes(".") ? { authorization: `Bearer ${credential}` } : { "baton-session": credential };
}

/** A request with JSON in and out. `as` is a token, or the secret of a session or a link. */
export async function ask(
  url: string,
  path: string,
  options: { readonly as?: string; readonly body?: unknown; readonly method?: string; readonly headers?: object } = {},
): Promise<Answer> {
  const { as, body } = options;
  const response = await fetch(`${url}${path}`, {
    method: options.method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(as === undefined ? {} : shown(as)),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson =
    response.headers.get("content-type")?.includes("/json") === true ||
    response.headers.get("content-type")?.includes("+json") === true;
  return { status: response.status, headers: response.headers, body: isJson && text !== "" ? JSON.parse(text) : text };
}
