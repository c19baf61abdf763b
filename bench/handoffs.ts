/** Handoff documents: their files checked against their checksums, and strings that are made to stop a reader. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as yaml from "yaml";
import { sha256 } from "../src/base/canonical.ts";
import { yamlParser } from "../src/base/text-formats/yaml.ts";
import { dialects } from "../src/dialects/registry.ts";
import { checkFiles } from "../src/evidence/checksums.ts";
import { readWith } from "../src/intake/read.ts";
import { type Measure, timed } from "./measure.ts";

const files = 1_000;
const fileBytes = 100_000;

/** Both read the same files, which the machine holds in memory after the first, unmeasured round. */
export const verifyHandoff: Measure = {
  name: "Verifying a handoff of 1,000 files",
  subject: "1,000 files of 100 kB, links resolved, checked against their checksums",
  yardstick: "`sha256sum` on them, a process",
  target: { of: "time", atMost: 1.5 },
  rounds: 15,
  async open(folder) {
    const named = Array.from({ length: files }, (_, index) => {
      const path = `docs/part-${index % 20}/file-${index}.md`;
      const bytes = randomBytes(fileBytes);
      if (index < 20) mkdirSync(join(folder, `docs/part-${index}`), { recursive: true });
      writeFileSync(join(folder, path), bytes);
      return { path, checksum: `sha256:${sha256(bytes)}` };
    });
    const paths = named.map(({ path }) => path);
    return {
      yardstick: () =>
        timed(1, () => {
          const done = spawnSync("sha256sum", paths, { cwd: folder, maxBuffer: 16 * 1024 * 1024 });
          if (done.status !== 0) throw new Error(String(done.stderr));
        }),
      subject: () =>
        timed(1, async () => {
          const checks = await checkFiles(folder, named);
          if (!checks.ok || checks.value.some(({ state }) => state !== "ok")) throw new Error("not verified");
        }),
    };
  },
};

const aliases = ["a0: &a0 [x]", ...steps(9).map((step) => `a${step}: &a${step} [${`*a${step - 1},`.repeat(9)}]`)];

/** Strings that grow, nest or repeat without end, as handoff documents. */
const bombs: readonly string[] = [
  `handoff:\n${aliases.map((line) => `  ${line}\n`).join("")}`,
  `handoff: {x: ${"[".repeat(100_000)}`,
  `handoff: ${"{a: ".repeat(60_000)}`,
  `handoff:\n  x: ${"[".repeat(20_000)}${"]".repeat(20_000)}`,
  `handoff:\n${steps(400)
    .map((depth) => `${" ".repeat(depth)}a:\n`)
    .join("")}`,
  `handoff:\n  x: [${"x,".repeat(120_000)}]`,
  `handoff:\n${"  - &a\n".repeat(30_000)}`,
  `handoff:\n  ? ${"? ".repeat(100_000)}`,
  `handoff:\n  x: !!binary ${"A".repeat(200_000)}`,
  `handoff:\n  x: |\n${"   x\n".repeat(1_000_000 / 20)}  <<: *x`,
  `handoff:\n  x: 1\n${"---\n".repeat(50_000)}`,
  `handoff:\n  ${"a".repeat(250_000)}: {`,
  `handoff:\n  x: "${"\\u0000".repeat(40_000)}"`,
];

function steps(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** The slowest of all. */
export const refuseBombs: Measure = {
  name: "Refusing a YAML bomb",
  subject: `${bombs.length} handoff documents that nest, repeat or refer without end, text to refusal; the slowest`,
  yardstick: "the bound",
  target: { of: "time", atMost: 1 },
  rounds: 15,
  open: async () => ({
    yardstick: () => 50,
    async subject() {
      let most = 0;
      for (const bomb of bombs) {
        const refuse = () => {
          if (readWith(yamlParser(yaml), bomb, { dialects, strict: false }).outcome !== "invalid")
            throw new Error("not refused");
        };
        most = Math.max(most, await timed(1, refuse));
      }
      return most;
    },
  }),
};
