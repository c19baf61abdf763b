/** What the files for deploying start is what the command takes, under one name everywhere, and systemd reads the unit. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse, parseAllDocuments } from "yaml";
import { readArguments } from "../../src/doors/cli/kernel/arguments.ts";
import { globalOptions } from "../../src/doors/cli/kernel/command.ts";
import { command as up } from "../../src/main/commands/up.ts";
import { publicWish, readPublicAddress } from "../../src/main/public-address.ts";

const name = "baton.example.com";
const read = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8");
const unit = read("baton.service");

/** The documents that describe the cluster, by their kind. */
const cluster = new Map<string, ReturnType<typeof JSON.parse>>(
  parseAllDocuments(read("kubernetes.yaml")).map((each) => {
    assert.deepEqual([...each.errors, ...each.warnings], []);
    return [each.toJS().kind, each.toJS()];
  }),
);
const [container] = cluster.get("Deployment").spec.template.spec.containers;
const { services } = parse(read("compose.yaml"), { merge: true });

for (const [file, words] of [
  ["baton.service", /^ExecStart=\S+\/baton (.*)$/m.exec(unit)?.[1]?.split(" ") ?? []],
  ["compose.yaml", services.hub.command],
  ["kubernetes.yaml", container.args],
] as const) {
  test(`${file} starts a hub as the command takes it`, () => {
    assert.equal(words[0], "up");
    const given = readArguments(words.slice(1), {
      options: [...(up.options ?? []), ...globalOptions],
      positionals: [],
    });
    assert.ok(given.ok, JSON.stringify(given));
    const address = readPublicAddress(publicWish(given.value));
    assert.ok(address.ok && address.value !== null, JSON.stringify(address));
    assert.equal(new URL(address.value.url).hostname, name);
    assert.equal(address.value.port, 4778);
  });
}

test("every probe, the proxy and the ingress use the hub's own name, and the ports meet", () => {
  for (const probe of [container.livenessProbe, container.readinessProbe])
    assert.deepEqual(probe.httpGet.httpHeaders, [{ name: "Host", value: name }]);
  assert.equal(container.ports[0].containerPort, 4778);
  assert.equal(cluster.get("Ingress").spec.rules[0].host, name);
  assert.equal(cluster.get("Service").spec.ports[0].targetPort, container.ports[0].name);
  assert.deepEqual(services["second-hub"].command, services.hub.command);
  const proxy = read("Caddyfile");
  assert.match(proxy, new RegExp(`^${name.replaceAll(".", "\\.")} \\{\n\treverse_proxy hub:4778 second-hub:4778 `));
  assert.match(proxy, /Host baton\.example\.com/);
});

test("the container takes the package that npm packs, runs as no administrator, and by itself serves its own machine", () => {
  const {
    name: packed,
    version,
    devDependencies,
  } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"));
  const steps = new Map(
    read("Dockerfile")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]),
  );
  assert.deepEqual([...steps.keys()], ["FROM", "RUN", "ARG", "COPY", "USER", "WORKDIR", "ENTRYPOINT", "CMD"]);
  assert.equal(steps.get("ARG"), `PACKAGE=${packed}-${version}.tgz`);
  assert.ok(steps.get("RUN")?.includes(` pg@${devDependencies.pg} pgpass@${devDependencies.pgpass} `));
  assert.equal(steps.get("USER"), "node");
  const words = [...JSON.parse(steps.get("ENTRYPOINT") ?? ""), ...JSON.parse(steps.get("CMD") ?? "")];
  assert.deepEqual(words, ["baton", "up"], "without --listen a hub is on loopback");
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test("systemd reads the unit", { skip: hasSystemd ? false : "systemd is not installed" }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), "baton-unit-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const verify = (text: string) => {
    const path = join(folder, "baton.service");
    // The program need not be installed where this runs.
    writeFileSync(path, text.replace("/usr/local/bin/baton", process.execPath));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", path], { encoding: "utf8" });
    return { status, said: stderr.split("\n").filter((line) => line.includes(path) || line.includes("baton.service")) };
  };
  assert.deepEqual(verify(unit), { status: 0, said: [] });
  assert.notDeepEqual(verify(unit.replace("Restart=on-failure", "Restart=always-and-ever")).said, [], "the control");
});
