/**
 * What the gate found, in the two forms that build servers read: JUnit's XML, a test case a commit, and SARIF 2.1.0, a
 * result a problem. Everything in them that agents wrote is escaped.
 */
import { jsonLine } from "../../../base/json.ts";
import { type Problem, problemCodes } from "../../../base/problem.ts";
import { visible } from "../../../base/text.ts";
import type { GateAnswer } from "../../../runtime/evidence/gate.ts";
import { packageFacts } from "../../../workspace/package-root.ts";

/** The forms, by their names on the command line. */
export const reportForms = ["junit", "sarif"] as const;
export type ReportForm = (typeof reportForms)[number];

/** The answers in one format, as a string. */
export function gateReport(form: ReportForm, answers: readonly GateAnswer[]): string {
  return form === "junit" ? junit(answers) : sarif(answers);
}

/** What was judged, for people: a commit's id and who answers for it. */
export function gateSubject({ commit, agent }: GateAnswer): string {
  return `${commit === null ? "what is staged" : commit.slice(0, 12)} (${agent ?? "nobody of the team"})`;
}

function junit(answers: readonly GateAnswer[]): string {
  const failures = answers.filter(({ problems }) => problems.length > 0).length;
  const cases = answers.map((answer) => {
    const name = `name="${xml(gateSubject(answer))}" classname="baton.gate"`;
    if (answer.problems.length === 0) return `    <testcase ${name}/>`;
    const told = answer.problems.map(
      (each) =>
        `      <failure type="${xml(each.code)}" message="${xml(each.message)}">${xml(wordsOf(each))}</failure>\n`,
    );
    return `    <testcase ${name}>\n${told.join("")}    </testcase>`;
  });
  const counts = `tests="${answers.length}" failures="${failures}" errors="0"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="baton verify" ${counts}>`,
    ...cases,
    "  </testsuite>",
    "</testsuites>",
  ].join("\n");
}

function wordsOf({ path, message, hint }: Problem): string {
  return `${path}: ${message}${hint === undefined ? "" : ` ${hint}`}`;
}

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function xml(text: string): string {
  return visible(text).replace(/[&<>"]/g, (character) => escapes[character] ?? "");
}

function sarif(answers: readonly GateAnswer[]): string {
  const results = answers.flatMap((answer) =>
    answer.problems.map((each) => ({
      ruleId: each.code,
      level: "error",
      message: { text: `${each.message}${each.hint === undefined ? "" : ` ${each.hint}`}` },
      locations: [{ physicalLocation: { artifactLocation: { uri: encodeURI(each.path.toWellFormed()) } } }],
      properties: { commit: answer.commit, author: answer.author, agent: answer.agent },
    })),
  );
  const used = Object.keys(problemCodes).filter((code) => results.some(({ ruleId }) => ruleId === code));
  const driver = { name: "baton", version: packageFacts().version, rules: used.map((id) => ({ id })) };
  return jsonLine({
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [{ tool: { driver }, results }],
  });
}
