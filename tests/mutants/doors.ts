/**
 * The same mutants through the doors: `baton validate` on a file with one a line, and a hub that is sent each. What they
 * answer is compared with the library's reading, word for word.
 */

import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { jsonLine } from "../../src/base/json.ts";
import type { DialectId } from "../../src/messages/message.ts";
import { roles } from "../../src/messages/role.ts";
import { environment, folder, mainBundle } from "../e2e/command.ts";
import { ask, type TestHub, testHub } from "../http/hub.ts";
import { isValid, library } from "./campaign.ts";
import type { Mutant } from "./mutants.ts";

/** How many were compared, and where an answer differs. */
export interface Compared {
  compared: number;
  readonly wrong: string[];
}

/** Mutants by their dialect. */
export function byDialect(mutants: readonly Mutant[]): ReadonlyMap<DialectId, readonly Mutant[]> {
  return Map.groupBy(mutants, ({ dialect }) => dialect);
}

/** One process for each dialect and mode. */
export function throughCommand(mutants: readonly Mutant[]): Compared {
  const report: Compared = { compared: 0, wrong: [] };
  const place = folder();
  for (const [dialect, own] of byDialect(mutants)) {
    const texts = own.map(({ message }) => JSON.stringify(message));
    const file = join(place, "mutants.jsonl");
    writeFileSync(file, `${texts.join("\n")}\n`);
    for (const strict of [false, true]) {
      const answers = commandAnswers(place, file, dialect, strict);
      if (answers.length !== texts.length)
        report.wrong.push(`${dialect}: ${answers.length} answers to ${texts.length}`);
      for (const [index, text] of texts.entries()) {
        const reading = library(text, dialect, strict);
        const { rung, type, problems, notes } = reading;
        const valid = isValid(reading);
        const said = { source: file, index, dialect: reading.dialect, rung, type, valid, problems, notes };
        const expected = jsonLine(said);
        report.compared++;
        if (answers[index] !== expected) report.wrong.push(`${text}\n${answers[index]}\n${expected}`);
      }
    }
  }
  return report;
}

function commandAnswers(place: string, file: string, dialect: DialectId, strict: boolean): readonly string[] {
  const words = ["validate", file, "--json", "--dialect", dialect, ...(strict ? ["--strict"] : [])];
  const answers = join(place, "answers.jsonl");
  const output = openSync(answers, "w");
  try {
    const run = spawnSync(process.execPath, [mainBundle, ...words], {
      cwd: place,
      stdio: ["ignore", output, "pipe"],
      encoding: "utf8",
      env: environment(),
      timeout: 120_000,
    });
    if (run.status !== 2) throw new Error(`baton ${words.join(" ")} ended with ${run.status}: ${run.stderr}`);
  } finally {
    closeSync(output);
  }
  return readFileSync(answers, "utf8").trimEnd().split("\n");
}

/**
 * A hub for each dialect, with an agent of every role, and many senders. It refuses a form that the library refuses,
 * for the same reasons.
 */
export async function throughHubs(
  test: { after(done: () => void | Promise<void>): void },
  mutants: readonly Mutant[],
): Promise<Compared> {
  const report: Compared = { compared: 0, wrong: [] };
  for (const [dialect, own] of byDialect(mutants)) {
    const hub = await testHub(test, { text: teamOf(dialect) });
    const waiting = own.values();
    const send = async () => {
      for (const mutant of waiting) {
        for (const strict of [false, true]) {
          const fault = await differs(hub, mutant, strict);
          report.compared++;
          if (fault !== null) report.wrong.push(fault);
        }
      }
    };
    await Promise.all(Array.from({ length: sendersAtOnce }, send));
  }
  return report;
}

/** Each keeps its connection and sends one mutant after another; what reaches the hub together is recorded together. */
const sendersAtOnce = 128;

function teamOf(dialect: DialectId): string {
  const agents = roles.map((role) => `  ${role}-1: { role: ${role} }\n`).join("");
  return `version: 1\nteam: web\ndialects: [${dialect}]\npolicy: enforce\nagents:\n${agents}`;
}

/** What the hub says otherwise than the library; null: the same. The person who owns the team sends, to be refused later. */
async function differs(hub: TestHub, { dialect, message }: Mutant, strict: boolean): Promise<string | null> {
  const text = JSON.stringify(message);
  const reading = library(text, dialect, strict);
  const body = { message: text, to: ["lead-1"], id: crypto.randomUUID(), strict };
  const answer = await ask(hub.url, "/api/teams/web/messages", { as: hub.session, body });
  const problems = answer.body.problems as { readonly code: string }[] | undefined;
  // A message that names no sender is the owner's, who may not send it whatever its form.
  const isOwners = problems?.[0]?.code === "sender-not-authorised" && !("author_role" in message);
  const told =
    reading.outcome === "invalid" ? { status: isOwners ? 403 : 422, problems: plain(reading.problems) } : null;
  const found = { status: answer.status, problems: isOwners && told !== null ? problems.slice(1) : problems };
  // What has the form is judged by its sender, who has no part in the matrix; words reach whom they name.
  if (told === null ? found.status === (reading.outcome === "prose" ? 201 : 403) : isDeepStrictEqual(found, told))
    return null;
  return `${dialect} strict=${strict} ${text}\n${JSON.stringify(found)}\n${JSON.stringify(told)}`;
}

/** Through JSON, as doors answer. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
