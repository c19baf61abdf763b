/** The end of the demo's shutdown round: its certificate, read from the journal, with what the repository shows. */
import type { Problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import { roundText } from "../../src/doors/cli/shutdown/shutdown-progress.ts";
import type { Output } from "../../src/doors/cli/terminal/output.ts";
import type { ShutdownView } from "../../src/operations/shutdown-shapes.ts";
import { openTeam } from "../../src/runtime/open.ts";
import { demoTeam } from "../cast.ts";
import type { Environment } from "../programs.ts";
import { messageIds } from "../story.ts";

/**
 * The certificate; null: the story ended before its round began. Uncommitted files are looked for here, where the hub has
 * not. Refuses what the journal refuses.
 */
export async function readCertificate(
  journal: string,
  directory: string,
  environment: Environment,
): Promise<Result<ShutdownView | null, readonly Problem[]>> {
  const opened = await openTeam({ journal, team: demoTeam });
  if (!opened.ok) return opened;
  await using team = opened.value;
  const looked = await team.inspectRounds({ directory, environment });
  if (!looked.ok) return err([looked.error]);
  const found = await team.shutdowns({ round: messageIds.shutdown });
  if (found.ok) return ok(found.value[0] ?? null);
  return found.error.code === "unknown-request" ? ok(null) : err([found.error]);
}

/** Prints the certificate. */
export function tellCertificate(output: Output, certificate: ShutdownView): void {
  const paint = output.paint.stdout;
  output.result({ event: "certificate", ...certificate }, () => {
    return `\n${paint.strong("The certificate of the shutdown")}\n${roundText(certificate, paint)}`;
  });
}

/** What is wrong with it, a sentence each: everybody stopped by its own word, and left nothing behind. */
export function certificateFaults(certificate: ShutdownView | null): readonly string[] {
  if (certificate === null) return ["nobody asked the team to stop"];
  const { outcome, agents, uncommitted } = certificate;
  const left = [...agents.map((each) => each.uncommitted), uncommitted].reduce(
    (sum, files) => sum + (files?.count ?? 0),
    0,
  );
  return [
    ...(outcome === "complete" ? [] : [`the shutdown round is ${outcome}`]),
    ...agents.flatMap(({ agent, outcome: ended }) => {
      return ended === "clean" || ended === "not_addressed" ? [] : [`${agent} ended its part ${ended ?? "not at all"}`];
    }),
    ...(left === 0 ? [] : [`${left} files are not committed`]),
  ];
}
