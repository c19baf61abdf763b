/** The page that the bench writes into `.tmp`, without dates, so that it changes only when results do. */
import { cpus, totalmem } from "node:os";
import type { Measure, Outcome, Spread, Target } from "./measure.ts";

/** The whole page. */
export function pageOf(outcomes: readonly Outcome[]): string {
  return [
    "# Benchmarks",
    "",
    "Written by `npm run bench`; do not edit. Subject and yardstick take turns in one run, and the ratio of their",
    "medians is what counts: absolute numbers belong to this machine. Times are per operation: median (least to most).",
    "",
    `Machine: ${machine()}. Node ${process.versions.node}, SQLite ${process.versions.sqlite ?? "unknown"}.`,
    "",
    "| what | subject | yardstick | ratio | target | met |",
    "|---|---|---|---|---|---|",
    ...outcomes.map(rowOf),
    "",
    "`x time` is subject / yardstick, lower is better; `x rate` is the subject's rate / the yardstick's, higher is better.",
    "",
    "Raw insert: BEGIN IMMEDIATE, rows of 700 bytes with the sequence as key and one unique index, COMMIT, in WAL mode",
    "with synchronous FULL; same process, same file system, same run. A message of the bench has 585 bytes, its entry with",
    "principal, receivers, digest and the link of the chain up to 1,600; settings of SQLite are the same on both sides.",
    "",
    "Stall: a hub on a large journal does long work of one caller, while a separate process asks `/healthz` every few",
    "milliseconds; the worst answer counts, less the worst of the same hub when it is idle. The journal is built directly.",
    "",
    "Tool calls of MCP are made by the SDK's own client to `baton mcp` as a process, one after another; the median is the",
    "time that half of the calls stay below. Tokens are an estimate: the characters of the list of tools divided by four.",
    "",
  ].join("\n");
}

/** The page with the rows of these measures replaced, or inserted in the order of all measures' names. */
export function withRows(page: string, outcomes: readonly Outcome[], names: readonly string[]): string {
  const lines = page.split("\n");
  const at = (name: string) => lines.findIndex((line) => line.startsWith(`| ${name} |`));
  for (const outcome of outcomes) {
    const { name } = outcome.measure;
    const before = names.slice(0, names.indexOf(name)).findLast((each) => at(each) !== -1);
    const head = lines.findIndex((line) => line.startsWith("|---"));
    if (at(name) === -1) lines.splice((before === undefined ? head : at(before)) + 1, 0, rowOf(outcome));
    else lines[at(name)] = rowOf(outcome);
  }
  return lines.join("\n");
}

function rowOf({ measure, subject, yardstick, ratio, met }: Outcome): string {
  const cells = [
    measure.name,
    `${measure.subject}: ${spread(subject, measure.unit)}`,
    `${measure.yardstick}: ${spread(yardstick, measure.unit)}`,
    `**${ratio.toFixed(2)} x ${measure.unit ?? measure.target.of}**`,
    targetText(measure.target),
    met ? "yes" : "**no**",
  ];
  return `| ${cells.join(" | ")} |`;
}

/** The demand in words. */
export function targetText(target: Target): string {
  return target.of === "time" ? `at most ${target.atMost}` : `at least ${target.atLeast}`;
}

function spread({ median, least, most }: Spread, unit: Measure["unit"]): string {
  if (unit !== undefined) return `${median} ${unit}`;
  return least === most ? time(median) : `${time(median)} (${time(least)} to ${time(most)})`;
}

function time(ms: number): string {
  if (ms >= 1) return `${ms.toFixed(ms >= 100 ? 0 : 1)} ms`;
  return `${(ms * 1000).toFixed(ms >= 0.1 ? 0 : 2)} µs`;
}

/** The machine in words. */
export function machine(): string {
  const processors = cpus();
  const model = processors[0]?.model.trim() ?? "unknown processor";
  return `${processors.length} x ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${process.platform} ${process.arch}`;
}
