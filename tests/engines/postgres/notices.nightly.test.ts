import { describe, test } from "node:test";
import { loadDriver } from "../../../src/journal/postgres/driver.ts";
import { openPostgresJournal } from "../../../src/journal/postgres/open.ts";
import { attempt, must, mustRecord, tally, team } from "../../journal/journal-subject.ts";
import { skip, testServer, until } from "./server.ts";

describe("notices of a journal on PostgreSQL", { skip }, () => {
  test("name the teams of all commits, also where the journal closes at once", async (t) => {
    const url = (await testServer()).newUrl();
    const journal = must(await openPostgresJournal(url, tally));
    const { Client } = must(await loadDriver(url));
    const hearing = new Client({
      connectionString: url.replace(/\?.*$/, ""),
      application_name: "test",
      connectionTimeoutMillis: 5_000,
      keepAlive: false,
      pipeline: false,
      query_timeout: 20_000,
    });
    await hearing.connect();
    t.after(() => hearing.end());
    const channel = `baton ${new URL(url).searchParams.get("schema")}`;
    const seen = new Set<string>();
    hearing.on("notification", ({ payload }) => void seen.add(payload ?? ""));
    await hearing.query({ text: `LISTEN "${channel}"` });
    const names = Array.from({ length: 20 }, (_, index) => `team-${index}`);
    for (const round of ["first", "second"])
      for (const name of names) mustRecord(await journal.commit(team(name), attempt({ id: round })));
    await journal.close();
    await until(() => names.every((name) => seen.has(name)));
  });
});
