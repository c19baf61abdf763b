/** The end of the demo: what really stands in journal and git, as a table, and what is wrong with it. */
import { visible } from "../../base/text.ts";
import type { Output } from "../../doors/cli/output.ts";
import { table } from "../../doors/cli/table.ts";
import type { VerifyReport } from "../../journal/journal.ts";
import type { PlayEnd } from "./phase.ts";
import type { RecordedPhase } from "./record.ts";

/** Everything that the end tells. */
export interface Ending {
  readonly phase: RecordedPhase;
  readonly play: PlayEnd;
  readonly verified: VerifyReport;
  /** What the check found; none: the demo holds what it promises. */
  readonly faults: readonly string[];
}

/** Prints the table, then `faults` where there are any. */
export function summarise(output: Output, { phase, play, verified, faults }: Ending): void {
  const paint = output.paint.stdout;
  const { messages, refusals, approvals, contracts, reports, commits } = phase;
  const found = reports.filter(({ committed }) => committed !== null).length;
  const head = verified.teams[0]?.head;
  const value = {
    event: "summary",
    messages: messages.length,
    refused: refusals.length,
    duplicates: play.duplicates,
    approvals: approvals.length,
    reports: reports.length,
    commits: commits.length,
    commitsVerified: found,
    agentsEnded: play.left,
    agentsKilled: play.killed,
    entries: phase.entries,
    journal: { ok: verified.ok, head: head ?? null },
    faults,
  };
  const granted = approvals.map(({ requester, standing, by }) => `${requester}: ${standing} by ${by ?? "nobody"}`);
  const widened = contracts.map(({ plan, revision }) => `${plan} at revision ${revision}`);
  const isWhole = faults.length === 0;
  const rows = [
    ["messages", String(messages.length), isWhole ? "each recorded once, each receiver acknowledged it" : ""],
    ["refused", String(refusals.length), refusals.flatMap(({ codes }) => codes).join(", ")],
    ["duplicates", String(play.duplicates), "answered with the first receipt"],
    ["approvals", String(approvals.length), granted.join("; ")],
    ["contracts", String(contracts.length), widened.join("; ")],
    [
      "commits",
      String(commits.length),
      found === reports.length
        ? `in the repository; the ${found} that were reported are among them${isWhole ? ", files as reported" : ""}`
        : `in the repository; only ${found} of ${reports.length} that were reported are among them`,
    ],
    ["agents", String(play.left), `played to the end; ${play.killed} killed with kill -9 and back`],
    [
      "journal",
      String(phase.entries),
      `entries, ${verified.ok ? "sound" : "NOT SOUND"}, head ${head?.hash.slice(0, 16) ?? "none"}`,
    ],
  ];
  output.result(value, () => {
    const shown = table(rows.map((row) => row.map(visible)));
    const end = isWhole ? paint.good("Nothing lost, nothing doubled.") : paint.bad("This does not hold:");
    return [`\n${paint.strong("What stands in the journal and in git")}`, shown, "", end].join("\n");
  });
  for (const fault of faults) output.say(`  ${visible(fault)}`);
}
