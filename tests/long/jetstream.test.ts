/** Faults of a NATS cluster under two writing processes. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { systemClock } from "../../src/base/clock.ts";
import { readNatsAddress } from "../../src/journal/nats/address.ts";
import type { Link } from "../../src/journal/nats/connection.ts";
import { openNatsJournal } from "../../src/journal/nats/open.ts";
import { namesOf } from "../../src/journal/nats/settings.ts";
import { streamInfo } from "../../src/journal/nats/streams.ts";
import { type Load, mustBeWhole, rowOf, underProblem, type Writers } from "../engines/fault-harness.ts";
import { leaderOf, leading, linked, sendWrongId } from "../engines/nats/journals.ts";
import {
  newestProgram,
  newFolder,
  oldPrograms,
  skip,
  startCluster,
  type TestCluster,
  until,
} from "../engines/nats/server.ts";
import { type Line, openLine } from "../engines/proxy.ts";
import { must, tally } from "../journal/journal-subject.ts";
import { record } from "./record.ts";

const kills = Number(process.env.BATON_TEST_KILLS ?? 100);
/** How often each other fault is repeated. */
const times = Number(process.env.BATON_TEST_TIMES_EACH ?? 5);
const rows: (readonly [string, string])[] = [];

interface At extends Writers {
  readonly cluster: TestCluster;
  readonly url: string;
}

/** Runs two writers on a new cluster while `fault` happens to it; what is acknowledged is there, once, without a gap. */
async function campaign(
  name: string,
  count: number,
  problem: (at: At) => Promise<void>,
  { cluster, waitMs = 60_000, urls, load = {} }: Parts = {},
): Promise<void> {
  const started = cluster ?? (await startCluster());
  try {
    const url = started.newUrl();
    const open = async (at: string) => must(await openNatsJournal(at, tally, { waitMs }));
    const first = await open(url);
    const [one = url, other = url] = (await urls?.(url)) ?? [];
    await using a = await open(one);
    await using b = await open(other);
    await first.close();
    const found = await underProblem(
      [a, b],
      () => open(url),
      (writers) => problem({ ...writers, cluster: started, url }),
      load,
    );
    rows.push(rowOf(name, count, found));
    console.log(rows.at(-1)?.join(": "));
    mustBeWhole(found);
  } finally {
    await started.stop();
  }
}

interface Parts {
  readonly cluster?: TestCluster;
  readonly waitMs?: number;
  /** The URLs by which the two writers connect, once the streams are there. */
  readonly urls?: (url: string) => Promise<readonly string[]>;
  readonly load?: Load;
}

/** Whether the leader's two companions have all that it has. */
async function hasCopies(link: Link, log: string): Promise<boolean> {
  const info = await streamInfo(link, log);
  const replicas = info.ok ? (info.value?.cluster?.replicas ?? []) : [];
  return replicas.length === 2 && replicas.every(({ current }) => current === true);
}

describe("a cluster of three NATS servers", { skip }, () => {
  after(() => {
    record(
      "jetstream",
      "Three NATS servers on one machine hold three copies and write to the disk before they acknowledge, unless the row says otherwise. Two writers, each with a journal and a connection of its own in one process, have ten commits under way each, and send again with the same id what was refused. Afterwards each acknowledged hash must be there, each id once, each number without a gap. The control is the same judge on the same entries without the last ten, with one twice, and without the fourth: what it finds lost, doubled and missing.",
      rows,
    );
  });

  test(
    `${kills} leaders killed with signal 9, and started again`,
    { skip: kills === 0 ? "none asked for" : false },
    () =>
      campaign("leader killed with signal 9", kills, async (at) => {
        for (let kill = 0; kill < kills; kill += 1) {
          const { leader } = await leading(at.cluster, at.url);
          await leader.kill();
          await at.progress(50);
          await leader.start();
        }
      }),
  );

  for (const who of ["leader", "follower"] as const)
    test(`the ${who} stopped (SIGSTOP) for six seconds`, () =>
      campaign(`${who} stopped (SIGSTOP) for 6 s`, times, async (at) => {
        for (let index = 0; index < times; index += 1) {
          const stopped = (await leading(at.cluster, at.url))[who];
          stopped.signal("SIGSTOP");
          await systemClock.wait(6_000);
          stopped.signal("SIGCONT");
          await at.everyone(50);
        }
      }));

  test("a living leader cut off from the others, to which one writer stays connected", async () => {
    const lines: { readonly from: number; readonly to: number; readonly line: Line }[] = [];
    const line = async (from: number, to: number, port: number) => {
      const opened = await openLine(port);
      lines.push({ from, to, line: opened });
      return opened.port;
    };
    const cluster = await startCluster({ line });
    try {
      await campaign(
        "living leader cut off for 15 s, one writer connected to it",
        times,
        async (at) => {
          for (let index = 0; index < times; index += 1) {
            const { leader } = await leading(at.cluster, at.url);
            const number = at.cluster.servers.findIndex(({ name }) => name === leader.name);
            const its = lines.filter(({ from, to }) => from === number || to === number);
            for (const each of its) each.line.silent(true);
            await systemClock.wait(15_000);
            for (const each of its) each.line.silent(false);
            await at.everyone(50);
          }
        },
        {
          cluster,
          urls: async (url) => {
            const { leader, follower } = await leading(cluster, url);
            return [leader, follower].map(({ port }) => url.replace(/@[^/]*/, `@127.0.0.1:${port}`));
          },
        },
      );
    } finally {
      for (const each of lines) each.line.close();
    }
  });

  test("two of three gone: nothing is acknowledged, and it heals", () =>
    campaign(
      "two of three killed for 8 s: nothing is acknowledged meanwhile",
      times,
      async (at) => {
        for (let index = 0; index < times; index += 1) {
          const { leader, follower } = await leading(at.cluster, at.url);
          await Promise.all([leader.kill(), follower.kill()]);
          await systemClock.wait(1_000);
          const before = at.acknowledged();
          await systemClock.wait(7_000);
          assert.equal(at.acknowledged(), before);
          await Promise.all([leader.start(), follower.start()]);
          await at.progress(50);
        }
      },
      { waitMs: 3_000 },
    ));

  test("all three killed at once", () =>
    campaign("all three killed at once", times, async (at) => {
      for (let index = 0; index < times; index += 1) {
        await leading(at.cluster, at.url);
        await Promise.all(at.cluster.servers.map((server) => server.kill()));
        await Promise.all(at.cluster.servers.map((server) => server.start()));
        await at.progress(50);
      }
    }));

  test("the leader is taken out of the log's group, and a fourth server takes its place", async () => {
    const cluster = await startCluster({ size: 4 });
    await campaign(
      "leader removed from the log's three, a fourth server in its place",
      times,
      async (at) => {
        const { log } = namesOf(must(readNatsAddress(at.url)));
        for (let index = 0; index < times; index += 1) {
          const { leader } = await leading(at.cluster, at.url);
          await linked(at.url, (link) =>
            link.api(`STREAM.PEER.REMOVE.${log}`, { peer: leader.name }, { timeoutMs: 5_000 }),
          );
          await until(async () => {
            const now = await leaderOf(at.url).catch(() => null);
            return now !== null && now !== leader.name;
          });
          // Taken out before the new member has everything, the next one takes the majority away.
          await until(() => linked(at.url, (link) => hasCopies(link, log)));
          await at.progress(50);
        }
      },
      { cluster },
    );
  });

  test("the disk of one server is full", {
    skip: process.getuid?.() === 0 ? false : "only root may mount a small disk",
  }, async () => {
    const disk = mkdtempSync(join(newFolder(), "disk-"));
    const mount = (...words: readonly string[]) => spawnSync("mount", words, { encoding: "utf8" });
    assert.equal(mount("-t", "tmpfs", "-o", "size=48m", "tmpfs", disk).status, 0, "a small disk is mounted");
    try {
      const folder = join(disk, "data");
      mkdirSync(folder);
      const cluster = await startCluster({ folder: (index) => (index === 0 ? folder : null) });
      const small = cluster.servers[0] ?? assert.fail("no server");
      await campaign(
        "disk of one server full, then larger and the server started again",
        1,
        async (at) => {
          const filler = join(disk, "filler");
          spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=1M"], { stdio: "ignore" });
          await at.progress(2_000);
          mount("-o", "remount,size=1g", disk);
          await small.kill();
          await small.start();
          await at.everyone(100);
          await leading(at.cluster, at.url);
        },
        { cluster },
      );
    } finally {
      spawnSync("umount", [disk]);
    }
  });

  test("a link of 300 ms to one writer, and the other close by", async () => {
    const cluster = await startCluster();
    const lines: Line[] = [];
    try {
      await campaign(
        "one writer behind a link of 300 ms there and back, each with 20 commits a second",
        1,
        (at) => at.progress(200),
        {
          cluster,
          load: { lanes: 5, restMs: 250 },
          urls: async (url) => {
            const slow = await openLine(cluster.servers[0]?.port ?? 0);
            slow.delayMs = 150;
            lines.push(slow);
            return [url.replace(/@[^/]*/, `@127.0.0.1:${slow.port}`), url];
          },
        },
      );
    } finally {
      for (const line of lines) line.close();
    }
  });
});

test("what a message with a wrong expected id does to a stream of three copies is recorded, for each version here", {
  skip,
}, async () => {
  const found: Awaited<ReturnType<typeof sendWrongId>>[] = [];
  // The old ones do not know the setting by which they write before they acknowledge.
  for (const { path } of oldPrograms) found.push(await sendWrongId(path, { sync: "" }));
  found.push(await sendWrongId(newestProgram ?? ""));
  record(
    "jetstream-header",
    "One plain message with a wrong `Nats-Expected-Last-Msg-Id` is sent to a stream of three copies, and then ten without it. Baton never sends this header; whoever may publish to the log can. Versions below 2.12.7 are refused by Baton.",
    found.flatMap(({ version, refusal, taken, control }) => [
      ["nats-server", version],
      ["answer to the wrong message", refusal],
      ["of ten messages after it, taken", taken],
      ["control: of ten messages before it, taken", control],
      ["so the log is safe from it only where hubs alone may publish", taken < 10 ? "yes" : "no"],
    ]),
  );
  for (const { control } of found) assert.equal(control, 10);
});
