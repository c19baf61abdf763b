/** The password of a journal on PostgreSQL in the file that PGPASSFILE names, as a process finds it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { skip, testServer } from "./server.ts";

const engines = new URL("../../../src/journal/engines.ts", import.meta.url).href;
const subject = new URL("../../journal/journal-subject.ts", import.meta.url).href;

/** Opens the journal in a process with these variables; what it found and what it wrote on standard error. */
async function openedWith(url: string, variables: Readonly<Record<string, string>>) {
  const script = `
    const { openJournal } = await import(${JSON.stringify(engines)});
    const { tally } = await import(${JSON.stringify(subject)});
    const opened = await openJournal(${JSON.stringify(url)}, tally);
    console.log(opened.ok ? "opened" : opened.error.code);
    if (opened.ok) await opened.value[Symbol.asyncDispose]();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { PATH: process.env.PATH ?? "", ...variables },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [found, said] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { found: found.trim(), said };
}

/** The URL of a new journal without its password, and a password file that has it. */
async function place(test: TestContext) {
  const url = new URL((await testServer()).newUrl());
  const folder = mkdtempSync(join(tmpdir(), "baton-pgpass-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "pgpass");
  const { username, password, hostname, port } = url;
  writeFileSync(file, `${hostname}:${port}:*:${username}:${password}\n`, { mode: 0o600 });
  url.password = "";
  return { url: url.href, file, password, none: join(folder, "none") };
}

test("a password in the password file lets in, and nothing is said on standard error", { skip }, async (t) => {
  const { url, file, none } = await place(t);
  assert.deepEqual(await openedWith(url, { PGPASSFILE: file }), { found: "opened", said: "" });
  // The control: without the file nobody is let in.
  assert.equal((await openedWith(url, { PGPASSFILE: none })).found, "journal-cannot-open");
});

test("the password in PGPASSWORD goes before the one in the file", { skip }, async (t) => {
  const { url, file, password } = await place(t);
  assert.equal((await openedWith(url, { PGPASSFILE: file, PGPASSWORD: "another" })).found, "journal-cannot-open");
  assert.deepEqual(await openedWith(url, { PGPASSFILE: file, PGPASSWORD: password }), { found: "opened", said: "" });
});
