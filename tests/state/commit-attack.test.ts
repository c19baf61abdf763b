/**
 * An agent that can only push tries to become the owner: it commits what a hub would take for its own files, the owner pulls
 * into the hub's tree, and the agent shows the hub the code that it chose. Through the real git and a real hub.
 */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "../../src/base/canonical.ts";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines } from "../e2e/command.ts";
import { startHub } from "../e2e/hub-process.ts";
import { git } from "../evidence/history.ts";

const chosen = "a-code-that-the-agent-has-chosen-by-itself";

async function session(url: string, code: string): Promise<number> {
  const answer = await openSession(url, code);
  await answer.text();
  return answer.status;
}

function openSession(url: string, code: string): Promise<Response> {
  return fetch(`${url}/api/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ code }),
  });
}

/** What the hub answers to a page that shows this secret. */
async function shown(url: string, secret: string): Promise<number> {
  const answer = await fetch(`${url}/api/session`, { headers: { "baton-session": secret } });
  await answer.text();
  return answer.status;
}

/** The owner's tree with a team, and the agent's clone of it, both with one origin. */
async function trees(): Promise<{ readonly owner: string; readonly agent: string }> {
  const parent = folder();
  git(parent, "init", "-q", "--bare", "-b", "main", "origin.git");
  const [owner, agent] = [join(parent, "owner"), join(parent, "agent")];
  git(parent, "clone", "-q", join(parent, "origin.git"), owner);
  git(owner, "checkout", "-q", "-B", "main");
  await calledWithCode(0, owner, ["init", "--yes", "--team", "web"]);
  git(owner, "add", "-A");
  git(owner, "commit", "-q", "-m", "The team is defined");
  git(owner, "push", "-q", "origin", "main");
  await calledWithCode(0, owner, ["agent", "register", "dev-1", "--role", "dev"]);
  git(parent, "clone", "-q", join(parent, "origin.git"), agent);
  return { owner, agent };
}

/**
 * Everything by which the agent could be taken for the owner: a code, a session, a separate journal with its anchor.
 */
async function plant(agent: string): Promise<void> {
  const goodUntil = `${Date.now() + 3_600_000}\n`;
  for (const place of [".baton", ".baton/baton", "baton"]) {
    mkdirSync(join(agent, place), { recursive: true });
    const at = (name: string) => join(agent, place, name);
    writeFileSync(at(`journal.db.code-${sha256(chosen)}`), goodUntil);
    const sessions = [{ hash: sha256(chosen), expiresAtMs: Date.now() + 3_600_000 }];
    writeFileSync(at("journal.db.sessions"), JSON.stringify({ sessions }));
    writeFileSync(at("place.json"), JSON.stringify({ folder: join(agent, ".baton") }));
  }
  // A record in which dev-1 is somebody else.
  await calledWithCode(0, agent, ["agent", "register", "dev-1", "--role", "architect"]);
  for (const name of ["journal.db", "journal.db.head"]) {
    const own = join(agent, ".git/baton", name);
    if (existsSync(own)) copyFileSync(own, join(agent, ".baton", name));
  }
  git(agent, "add", "-f", "-A");
  git(agent, "commit", "-q", "-m", "Work");
  git(agent, "push", "-q", "origin", "main");
}

test("what an agent commits opens no session of the owner, replaces no record and is said to the owner", async () => {
  const { owner, agent } = await trees();
  const hub = await startHub(owner);
  await plant(agent);
  git(owner, "pull", "-q", "origin", "main");
  assert.ok(existsSync(join(owner, `.baton/journal.db.code-${sha256(chosen)}`)), "the pull brought what was planted");
  assert.equal(await session(hub.url, chosen), 401);
  assert.equal(await shown(hub.url, `baton-${hub.port}=${chosen}`), 401);

  // A hub that is started after the pull believes none of it either.
  await hub.kill();
  const again = await startHub(owner);
  assert.equal(await session(again.url, chosen), 401);
  const agents = jsonLines(await calledWithCode(0, owner, ["agent", "list", "--json"]));
  assert.deepEqual(
    agents.map(({ agent: name, role }) => `${String(name)} ${String(role)}`),
    ["dev-1 dev"],
  );
  assert.match((await called(owner, ["doctor"])).stdout, /old journal .*commit may have brought it/);

  // The same request with a code of the owner's own shows that the refusals are not refusals of everything.
  const [opened] = jsonLines(await calledWithCode(0, owner, ["start", "--link", "--json"]));
  const code = new URL(String(opened?.url)).hash.replace("#code=", "");
  const real = await openSession(again.url, code);
  assert.equal(real.status, 200);
  assert.equal(await shown(again.url, ((await real.json()) as { session: string }).session), 200);
});

test("git itself takes no file into the folder where the state lies", async () => {
  const { agent } = await trees();
  mkdirSync(join(agent, ".git/baton"), { recursive: true });
  const path = `.git/baton/journal.db.code-${sha256(chosen)}`;
  writeFileSync(join(agent, path), "9999999999999\n");
  git(agent, "add", "-f", "-A");
  assert.equal(git(agent, "ls-files", "--", ".git").trim(), "");
  for (const spelling of [path, path.replace(".git", ".GIT"), path.replace(".git", "x/../.git")]) {
    const blob = git(agent, "hash-object", "-w", path).trim();
    assert.throws(() => git(agent, "update-index", "--add", "--cacheinfo", `100644,${blob},${spelling}`));
  }
  assert.ok(readFileSync(join(agent, path)).length > 0);
});
