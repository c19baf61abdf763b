/** Two hubs with a repository each that know each other as remotes, for tests. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { a2aDoor } from "../../src/doors/a2a/server.ts";
import type { Team } from "../../src/perform/team.ts";
import { writeRemote } from "../../src/perform/workspace/remotes.ts";
import type { RemoteView } from "../../src/remotes/operations.ts";
import { git, testEnvironment } from "../evidence/history.ts";
import { ask, type TestHub, testHub } from "../http/hub.ts";
import { teamOf } from "../http/remote.ts";
import { teamText } from "./door.ts";

type Test = Parameters<typeof testHub>[0];

/** A hub, its repository, and agents of its team over HTTP. */
export interface Side extends TestHub {
  readonly repository: string;
  as(agent: string): Promise<Team>;
}

/** `served` answers its A2A requests. */
export async function side(t: Test, served = a2aDoor): Promise<Side> {
  const repository = mkdtempSync(join(tmpdir(), "baton-side-"));
  t.after(() => rmSync(repository, { recursive: true, force: true }));
  git(repository, "init", "--quiet", "-b", "main");
  // No two sides begin with the same commit, nor with a file that conflicts.
  writeFileSync(join(repository, `${basename(repository)}.md`), "Here\n");
  commitAll(repository, "Start");
  const place = { directory: repository, environment: testEnvironment, runsChecks: false };
  const hub = await testHub(t, { text: teamText, a2a: () => Promise.resolve(served), repository: place });
  return { ...hub, repository, as: async (agent) => teamOf(hub.url, await hub.token(agent)) };
}

/** Commits everything in the folder and answers the commit's id. */
export function commitAll(repository: string, subject: string): string {
  git(repository, "add", "--all");
  git(repository, "commit", "--quiet", "-m", subject);
  return git(repository, "rev-parse", "HEAD").trim();
}

/** Lets the team of one hub ask that of the other as `name`. */
export async function introduce(from: TestHub, name: string, card: string, token: string | null): Promise<void> {
  const written = await writeRemote(from.folder, name, { card, token, isPrivateAllowed: true });
  assert.ok(written.ok, JSON.stringify(written));
  const added = await ask(from.url, "/api/teams/web/remotes", { as: from.session, body: { remote: name } });
  assert.equal(added.status, 201, JSON.stringify(added.body));
}

export const cardOf = (hub: { readonly url: string }) => `${hub.url}/a2a/web/.well-known/agent-card.json`;

type AskView = RemoteView["asks"][number];

/** What the remote was asked, as soon as `isReached` says so; looks again after each entry. */
export async function askedUntil(team: Team, isReached: (ask: AskView) => boolean): Promise<AskView> {
  return await seenUntil(team, async () => {
    const remotes = await team.remotes();
    assert.ok(remotes.ok, JSON.stringify(remotes));
    return remotes.value.flatMap(({ asks }) => asks).find(isReached) ?? null;
  });
}

/** What `look` finds, at the latest after the entry that brings it. */
export async function seenUntil<Found>(team: Team, look: () => Promise<Found | null>): Promise<Found> {
  const over = new AbortController();
  try {
    const now = await look();
    if (now !== null) return now;
    for await (const _ of team.follow({ after: 0, signal: over.signal })) {
      const found = await look();
      if (found !== null) return found;
    }
    return assert.fail("the record ended");
  } finally {
    over.abort();
  }
}
