/** Words as a shell reads them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import type { Call } from "./command.ts";
import { nextCommand, shellLine } from "./next-command.ts";

test("a shell reads the words back as they were", () => {
  const words = [
    "task",
    "--as=x",
    "$(id)",
    "it's",
    "a b",
    "",
    "~",
    "#1",
    "*",
    "é",
    "-n",
    "a;b",
    '"',
    "\\",
    "!x",
    "{a,b}",
    "=x",
  ];
  const line = shellLine(words);
  const read = spawnSync("bash", ["-c", `printf '%s\\0' ${line}`], { encoding: "utf8" });
  assert.deepEqual(read.stdout.split("\0").slice(0, -1), words);
});

test("the next command connects as the same user, and shows no password", () => {
  const config = { program: "baton" } as Call["config"]; // nothing else of it is asked
  const lines: Readonly<Record<string, string>> = {
    "postgres://baton@h:5432/db": "postgres://baton@h:5432/db",
    "postgres://baton:hidden@h/db?schema=a": "'postgres://baton@h/db?schema=a'",
    "postgresql://h/db?user=u&password=hidden&schema=a": "'postgresql://h/db?user=u&schema=a'",
    "postgres://h/db?password=hidden": "postgres://h/db",
    "postgres://h/db?sslkey=/k&%70assword=hidden": "'postgres://h/db?sslkey=/k'",
    "nats://web-hub:hidden@a:1,b:2/n?creds=/k": "'nats://web-hub@a:1,b:2/n?creds=/k'",
    "nats://:hidden@a:1/n": "nats://a:1/n",
    "sqlite:/srv/a@b/journal.db": "sqlite:/srv/a@b/journal.db",
  };
  for (const [journal, shown] of Object.entries(lines)) {
    const given = { text: (name: string) => (name === "journal" ? journal : undefined) } as Call["given"];
    assert.equal(nextCommand({ given, config }, ["status"]), `baton status --journal ${shown}`);
  }
});

test("plain words stay as they are, and a word that a terminal would not show is left out", () => {
  assert.equal(shellLine(["approve", "a/b:1", "--reason", "TEXT"]), "approve a/b:1 --reason TEXT");
  for (const word of ["\u001b[31m", "a\nb", "\u202eexe", "a\u200b"]) assert.equal(shellLine(["show", word]), null);
});
