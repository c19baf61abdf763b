/** A project on each engine whose team can be archived. */
import assert from "node:assert/strict";
import { called } from "../e2e/called.ts";
import { contract, team as teamFolder } from "../e2e/command.ts";
import { testServer as natsServer, skip as natsSkip } from "./nats/server.ts";
import { testServer as postgresServer, skip as postgresSkip } from "./postgres/server.ts";

type Run = (words: readonly string[], code?: number, input?: string) => Promise<string>;

/** A project whose journal is at `url`, or in its own file, and a way to run commands on it that checks the exit code. */
export async function project(url: string | null): Promise<{ readonly place: string; readonly run: Run }> {
  const place = teamFolder();
  const runAt =
    (journal: readonly string[]): Run =>
    async (words, code = 0, input = "") => {
      const done = await called(place, [...words, ...journal], input);
      assert.equal(done.code, code, `baton ${words.join(" ")}\n${done.said}`);
      assert.doesNotMatch(done.said, /only-for-tests/);
      return done.said;
    };
  const here = runAt([]);
  await here(["send", "-", "--as", "lead-1"], 0, contract());
  for (let index = 0; index < 3; index += 1)
    await here(["send", "-", "--as", "dev-1", "--to", "lead-1"], 0, `word ${index}`);
  if (url === null) return { place, run: here };
  await here(["journal", "migrate", "--copy", "--to", url]);
  return { place, run: runAt(["--journal", url]) };
}

export const agents = ["dev-1", "qa-1", "architect-1", "scout-1", "lead-1"] as const;

export const engines = [
  { name: "a file", skip: false, url: async () => null, givesUp: true },
  { name: "PostgreSQL", skip: postgresSkip, url: async () => (await postgresServer()).newUrl(), givesUp: true },
  { name: "JetStream", skip: natsSkip, url: async () => (await natsServer()).newUrl(), givesUp: false },
] as const;
