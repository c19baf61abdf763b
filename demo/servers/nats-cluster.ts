/**
 * Three NATS servers for the demo, a cluster on this machine with JetStream in a scratch folder. In the middle the one that
 * leads the stream of the journal is killed, and the other two go on.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/base/clock.ts";
import { newMessageId } from "../../src/base/new-ids.ts";
import { type Problem, problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import { isAtLeast } from "../../src/base/text.ts";
import { runProgram } from "../story/programs.ts";
import { type EngineServer, opensAgain, type ServerOptions, type Struck } from "./engine-server.ts";
import { freePorts, type ServerProcess, startServer } from "./server-process.ts";

const program = "nats-server";
/** Below this version no journal opens. */
const versionMin = [2, 12, 7] as const;
const size = 3;
const betweenLooksMs = 100;

interface Node {
  readonly name: string;
  readonly process: ServerProcess;
}

/** Starts them. Refuses `journal-cannot-open` where the program is absent or too old, and where it does not start. */
export async function startNats(options: ServerOptions): Promise<Result<EngineServer, readonly Problem[]>> {
  const fault = await whyUnfit(options);
  if (fault !== null) return err([fault]);
  const password = newMessageId().replaceAll("-", "");
  const ports = await freePorts(3 * size);
  const parts = Array.from({ length: size }, (_, index) => {
    const [client = 0, route = 0, monitor = 0] = ports.slice(3 * index, 3 * index + 3);
    return { name: `node-${index + 1}`, client, route, monitor };
  });
  const routes = parts.map(({ route }) => `"nats://127.0.0.1:${route}"`).join(", ");
  const started = await Promise.all(
    parts.map(async ({ name, client, route, monitor }) => {
      const folder = join(options.folder, name);
      mkdirSync(folder);
      const config = join(folder, "nats.conf");
      const lines = [
        `listen: "127.0.0.1:${client}"`,
        `http: "127.0.0.1:${monitor}"`,
        `server_name: ${name}`,
        `cluster { name: demo, listen: "127.0.0.1:${route}", routes: [${routes}] }`,
        "max_payload: 16MB",
        `jetstream { store_dir: ${JSON.stringify(join(folder, "data"))}, max_mem: 256MB, max_file: 1GB, sync_interval: always }`,
        `authorization { users: [ { user: baton, password: "${password}" } ] }`,
      ];
      writeFileSync(config, `${lines.join("\n")}\n`, { mode: 0o600 });
      const { environment, signal } = options;
      const words = [program, "-c", config] as const;
      const order = { name: program, words, directory: folder, environment, ready: /Server is ready/, signal };
      const done = await startServer(order);
      return done.ok ? ok({ name, process: done.value }) : done;
    }),
  );
  const nodes = started.flatMap((each) => (each.ok ? [each.value] : []));
  const end = async () => {
    await Promise.all(nodes.map((node) => node.process.end()));
  };
  const [failed] = started.flatMap((each) => (each.ok ? [] : [each.error]));
  if (failed !== undefined) {
    await end();
    return err([failed]);
  }
  const hosts = parts.map(({ client }) => `127.0.0.1:${client}`).join();
  const monitors = parts.map(({ monitor }) => `http://127.0.0.1:${monitor}`).join();
  const url = `nats://baton:${password}@${hosts}/demo?monitor=${monitors}`;
  return ok({ url, shown: `NATS JetStream, ${size} servers`, strike: () => strikeLeader(url, nodes), end });
}

async function strikeLeader(url: string, nodes: readonly Node[]): Promise<Result<Struck, readonly Problem[]>> {
  const facts = await opensAgain(url);
  if (!facts.ok) return facts;
  const leader = nodes.find(({ name }) => name === facts.value.leader);
  if (leader === undefined) return err([problem("journal-unreachable", "nats", "The stream has no leader.")]);
  await leader.process.kill();
  const recover = async (): Promise<Result<string, readonly Problem[]>> => {
    for (;;) {
      const found = await opensAgain(url);
      if (!found.ok) return found;
      if (found.value.leader !== leader.name) return ok(`goes on with ${String(found.value.leader)} as its leader`);
      await systemClock.wait(betweenLooksMs);
    }
  };
  return ok({ server: `${leader.name}, which leads the stream,`, pid: leader.process.pid, recover });
}

/** Why the program on the PATH cannot be used; null: it can. */
async function whyUnfit({ directory, environment }: ServerOptions): Promise<Problem | null> {
  const { stdout, fault } = await runProgram(program, ["--version"], { directory, environment });
  const [, version] = /^nats-server: v(\d{1,4}\.\d{1,4}\.\d{1,4})/.exec(stdout) ?? [];
  if (version !== undefined && isAtLeast(version, versionMin)) return null;
  const message =
    version === undefined
      ? "There is no NATS server here that the demo could start."
      : "The NATS server here is too old for a journal.";
  return problem("journal-cannot-open", "nats", message, {
    received: version ?? fault?.message ?? "no version",
    expected: `${program} ${versionMin.join(".")} or newer on the PATH`,
    hint: `Put ${program} on the PATH (one program, from the releases of nats-io/nats-server), or name a journal in servers that run: --journal nats://HOST/NAME.`,
  });
}
