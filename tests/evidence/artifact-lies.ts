/** Messages about artifacts, honest and lying, in generated repositories: the second half of the campaign of lies. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../src/base/json.ts";
import type { ProblemCode } from "../../src/base/problem.ts";
import { type ArtifactMessage, verifyArtifacts } from "../../src/evidence/decide/artifacts.ts";
import type { Chance } from "../crash/seed.ts";
import { chanceFrom } from "../crash/seed.ts";
import type { CampaignReport } from "./campaign.ts";
import { file, makeHistory } from "./history.ts";
import { opened } from "./place.ts";
import { pick } from "./stories.ts";

const severities = ["critical", "major", "minor"] as const;

/** An artifact with its rows, and the message that tells the truth about it. */
interface Artifact {
  readonly message: ArtifactMessage & { readonly body: JsonObject };
  readonly path: string;
  readonly text: string;
}

const kinds: readonly ((chance: Chance, path: string) => Artifact)[] = [
  (chance, path) => {
    const rows = rowsOf(chance, (index) => ({ id: `C${index}`, sev: pick(chance, severities), q: "Is it safe?" }));
    const count = (severity: string) => rows.filter(({ sev }) => sev === severity).length;
    const body = { findings: rows.length, critical: count("critical"), major: count("major"), minor: count("minor") };
    return artifact("critique", path, body, [{ phase: "01", findings: rows.length }, ...rows]);
  },
  (chance, path) => {
    const rows = rowsOf(chance, (index) => ({ id: `R${index}`, q: "Which?", finding: "this" }));
    return artifact("research", path, { findings: rows.length }, rows);
  },
  (chance, path) => {
    const rows = rowsOf(chance, (index) => ({ c: `check ${index}`, r: pick(chance, ["PASS", "FAIL"]) }));
    const passed = rows.filter(({ r }) => r === "PASS").length;
    const checks = { passed, failed: rows.length - passed, total: rows.length };
    return artifact("verdict", path, { checks }, [{ tier: "quick", r: "PARTIAL", ps: passed }, ...rows]);
  },
  (chance, path) => {
    const rows = rowsOf(chance, () => ({ cat: "owasp", sev: pick(chance, severities), f: "a.ts", issue: "x" }));
    const critical = rows.filter(({ sev }) => sev === "critical").length;
    return artifact("security-audit", path, { findings: rows.length, critical }, [{ r: "WARN", findings: 9 }, ...rows]);
  },
];

function rowsOf<Row>(chance: Chance, row: (index: number) => Row): readonly Row[] {
  return Array.from({ length: 1 + chance.below(9) }, (_, index) => row(index));
}

function artifact(kind: ArtifactMessage["kind"], path: string, body: JsonObject, rows: readonly object[]): Artifact {
  const text = rows.map((row) => `${JSON.stringify({ plan: "1-1", ...row })}\n`).join("");
  return { path, text, message: { kind, body: { planId: "01-01", ...body, artifact: path, committed: true } } };
}

/** Where the artifact is, or what the message says of it. */
const tellings: Readonly<
  Record<
    string,
    { readonly code: ProblemCode | null; readonly at: "branch" | "tree" | "nowhere"; readonly wrong?: true }
  >
> = {
  "committed, and as it is": { code: null, at: "branch" },
  "written, and said to be no more": { code: null, at: "tree" },
  "an artifact that is nowhere": { code: "artifact-missing", at: "nowhere" },
  "an artifact that is only written": { code: "artifact-uncommitted", at: "tree" },
  "numbers that are others": { code: "counts-differ", at: "branch", wrong: true },
};

/** Tells `count` stories, honest or lying ones, and judges each. */
export async function tellArtifacts(
  folder: string,
  seed: number,
  count: number,
  honest: boolean,
): Promise<CampaignReport> {
  const all = Object.entries(tellings).filter(([, { code }]) => (code === null) === honest);
  const wrong: string[] = [];
  const told = new Map<string, { told: number; caught: number }>();
  for (let index = 0; index < count; index++) {
    const chance = chanceFrom(seed * 15_485_863 + index);
    const [name, telling] = all[index % all.length] ?? ["", undefined];
    if (telling === undefined) continue;
    const made = pick(chance, kinds)(chance, pick(chance, ["phases/01-größe/list.jsonl", "phases/02/a b.jsonl"]));
    const codes = await judge(
      join(folder, "repository"),
      made,
      telling.at,
      messageOf(made, name, telling.wrong === true, chance),
    );
    const kind = told.get(name) ?? { told: 0, caught: 0 };
    kind.told++;
    const isRight = telling.code === null ? codes.length === 0 : codes.includes(telling.code);
    if (isRight) kind.caught++;
    else wrong.push(`${name} ${seed}/${index}: ${codes.join() || "believed"}`);
    told.set(name, kind);
  }
  return { judged: count, kinds: told, wrong };
}

function messageOf({ message }: Artifact, name: string, isWrong: boolean, chance: Chance): ArtifactMessage {
  const said = name === "written, and said to be no more" ? { ...message.body, committed: false } : message.body;
  if (!isWrong) return { ...message, body: said };
  const { findings } = said;
  if (findings === undefined) return { ...message, body: { ...said, checks: { passed: 99, failed: 0, total: 99 } } };
  return { ...message, body: { ...said, findings: Number(findings) + 1 + chance.below(3) } };
}

async function judge(
  directory: string,
  made: Artifact,
  at: "branch" | "tree" | "nowhere",
  message: ArtifactMessage,
): Promise<readonly string[]> {
  try {
    const tree = new Map([
      ["README.md", file("x")],
      ...(at === "branch" ? [[made.path, file(made.text)] as const] : []),
    ]);
    makeHistory(directory, { commits: [{ tree, parents: [] }], references: { "refs/heads/work": 0 } });
    if (at === "tree") {
      mkdirSync(dirname(join(directory, made.path)), { recursive: true });
      writeFileSync(join(directory, made.path), made.text);
    }
    await using repository = await opened(directory);
    return (await verifyArtifacts(repository, message)).map(({ code }) => code);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
