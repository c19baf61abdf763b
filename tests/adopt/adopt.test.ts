/**
 * `baton adopt` on look-alike projects of each family: what it understands, that a dry run writes nothing, and what it
 * makes of folders that are broken. Rule: docs/protocol/adopting.md.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { called, calledWithCode } from "../e2e/called.ts";
import { folder, jsonLines, problemCodes } from "../e2e/command.ts";
import { type Family, makeLookAlike, put } from "./look-alike.ts";

const families: readonly Family[] = ["vbw-flags", "vbw-later", "yolo-typed", "yolo-company", "bmad"];

interface Shown {
  readonly settings: { readonly origin: string };
  readonly plans: readonly {
    readonly id: string;
    readonly state: string;
    readonly tasks: readonly unknown[];
    readonly commits: readonly string[];
  }[];
  readonly escalations: readonly { readonly id: string }[];
  readonly findings: readonly { readonly file: string; readonly line: number | null; readonly why: string }[];
  readonly history: number;
  readonly teamFile: string;
}

async function dryRun(place: string, ...words: readonly string[]): Promise<Shown> {
  const [shown] = jsonLines(await calledWithCode(0, place, ["adopt", "--dry-run", "--json", ...words]));
  return shown as unknown as Shown; // as docs/protocol/adopting.md, section 1 lists it
}

/** Every file below a folder with its content: equal digests, equal folders. */
function digestOf(place: string): string {
  const digest = createHash("sha256");
  for (const entry of readdirSync(place, { recursive: true, withFileTypes: true }).toSorted((one, other) =>
    join(one.parentPath, one.name) < join(other.parentPath, other.name) ? -1 : 1,
  )) {
    digest.update(join(entry.parentPath, entry.name));
    if (entry.isFile()) digest.update(readFileSync(join(entry.parentPath, entry.name)));
  }
  return digest.digest("hex");
}

for (const family of families) {
  test(`a dry run understands a project of ${family} and writes nothing`, async () => {
    const place = folder();
    const made = makeLookAlike(place, { family, seed: 11, plansIn: [3, 4], withoutCommits: true });
    const before = digestOf(place);
    const shown = await dryRun(place);
    assert.equal(digestOf(place), before);
    assert.equal(shown.settings.origin, family);
    assert.deepEqual(
      shown.plans.map(({ id, state, tasks }) => [id, state, tasks.length]),
      made.plans.map(({ id, isDone, tasks }) => [id, isDone ? "done" : "open", tasks]),
    );
    assert.equal(shown.escalations.length, family === "yolo-company" ? 1 : 0);
    assert.match(shown.teamFile, /claims: edits\nscope|claims: edits/);
    const people = await calledWithCode(0, place, ["adopt", "--dry-run"]);
    for (const { file, why } of shown.findings)
      assert.ok(people.stdout.includes(file) && people.stdout.includes(why), why);
  });
}

test("links, odd names, half lines and a folder of two tools are reported, and cost nothing else", async () => {
  const place = folder();
  makeLookAlike(place, { family: "vbw-flags", seed: 3, plansIn: [2], withoutCommits: true });
  const planning = join(place, ".vbw-planning");
  symlinkSync("/etc", join(planning, "phases", "02-away"));
  symlinkSync("/etc/passwd", join(planning, "ROADMAP.md"));
  writeFileSync(join(planning, "phases", "odd\u001bname.md"), "x");
  writeFileSync(
    join(planning, ".events/event-log.jsonl"),
    `{"event":"phase_start","phase":1}\n{"event":"pla${"n".repeat(300_000)}`,
  );
  put(place, ".yolo-planning/config.json", "{}");
  utimesSync(join(place, ".yolo-planning/config.json"), 0, 0);
  const { plans, findings } = await dryRun(place);
  assert.equal(plans.length, 2);
  const whys = findings.map(({ file, why }) => `${file} ${why}`).join("\n");
  for (const why of [
    /02-away This is a link/,
    /ROADMAP\.md This is a link/,
    /no file's name/,
    /event-log\.jsonl This line is longer/,
    /\.vbw-planning .*(?:was taken|move the other)/,
  ])
    assert.match(whys, why);

  rmSync(planning, { recursive: true });
  symlinkSync("/etc", planning);
  rmSync(join(place, ".yolo-planning"), { recursive: true });
  const refused = await called(place, ["adopt", "--dry-run", "--json"]);
  assert.deepEqual(problemCodes(refused), ["not-found"]);
});
