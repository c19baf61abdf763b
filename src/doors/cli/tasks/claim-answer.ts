/** What `task claim` and `task renew` print: a grant, or a denial that names what stands in the way. */
import { visible } from "../../../base/text.ts";
import type { ClaimAnswer } from "../../../operations/reply.ts";
import type { Call } from "../kernel/command.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "../kernel/exit-codes.ts";
import { listed } from "../place/session.ts";

/**
 * Prints the answer. Granted: `{"granted":true,"task","token","expiresAt","files","receipt"}`, exit 0. Denied:
 * `{"granted":false,"reason","holder","paths","receipt","problems"}`, exit 2, whatever the reason. A fault that is no
 * denial (nobody may claim so) has the reason null and the exit code of its problem; without an answer there is none.
 */
export function answerClaim(call: Call, verb: string, answer: ClaimAnswer): ExitCode {
  const { output } = call;
  const { reply } = answer;
  if (reply.outcome === "failed") return output.fail(reply.problem);
  output.notes(reply.notes);
  if (answer.granted) {
    const { task, token, expiresAt, files } = answer;
    const paint = output.paint.stdout;
    output.result({ granted: true, task, token, expiresAt, files, receipt: reply.receipt }, () =>
      [
        `${paint.good(verb)}: ${visible(task)}, token ${token}, until ${expiresAt}.`,
        files.length === 0 ? "  It covers no files yet." : `  files  ${listed(files)}`,
      ].join("\n"),
    );
    return exitCodes.done;
  }
  const { reason, holder, paths } = answer;
  const problems = reply.outcome === "refused" ? reply.problems : [];
  output.result(
    { granted: false, reason, holder, paths, receipt: reply.receipt, problems: output.worded(problems) },
    () => null,
  );
  output.say(reason === null ? "Refused." : `Denied: ${reason}.`);
  output.problems(problems);
  const [first] = problems;
  return reason !== null || first === undefined ? exitCodes.refused : exitCodeOf(first);
}
