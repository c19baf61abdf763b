/** `baton inbox`: what waits for an agent, in order; optionally waiting for the first message. */
import type { Problem } from "../../../base/problem.ts";
import { visible } from "../../../base/text.ts";
import type { Delivery, Team } from "../../../runtime/team.ts";
import type { Call, Command } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { messageText } from "../message-text.ts";
import { withTeam } from "../session.ts";

export const command: Command = {
  description:
    "Prints the messages addressed to the agent that it has not acknowledged, in the agent's own dialect. Reading does not\n" +
    "remove anything: baton ack does. With --wait it waits for a message and exits 4 when none came.",
  options: [
    { name: "wait", kind: "seconds", value: "SECONDS", summary: "wait this long for a message" },
    { name: "limit", kind: "count", value: "N", summary: "at most so many" },
    { name: "after", kind: "position", value: "SEQ", summary: "only messages after this number" },
    { name: "seen", kind: "position", value: "SEQ", summary: "first say that messages up to here were seen" },
  ],
  examples: [
    { line: "baton inbox --as lead-1", meaning: "what waits for lead-1" },
    { line: "baton inbox --as dev-1 --wait 30 --json", meaning: "wait up to half a minute; a line of JSON a message" },
    { line: "baton inbox --as dev-1 --seen 17 --limit 1", meaning: "17 was read; the next one, please" },
  ],
  next: "baton ack SEQ --as NAME acknowledges everything up to SEQ.",
  run: (call) => withTeam(call, (team) => inbox(call, team)),
};

async function inbox(call: Call, team: Team): Promise<ExitCode> {
  const { given, output } = call;
  const seen = given.number("seen");
  if (seen !== undefined) {
    const marked = await team.seen(seen);
    if (!marked.ok) return output.fail(marked.error);
  }
  const after = given.number("after");
  const limit = given.number("limit");
  const waitMs = Math.round((given.number("wait") ?? 0) * 1000);
  const page = await team.inbox({
    ...(after === undefined ? {} : { after }),
    ...(limit === undefined ? {} : { limit }),
    waitMs,
    signal: call.signal,
  });
  if (!page.ok) return page.error.code === "timed-out" ? waitedInVain(call, page.error) : output.fail(page.error);
  const { deliveries, unread } = page.value;
  for (const delivery of deliveries) output.result(lineOf(delivery), () => deliveryText(call, delivery));
  if (deliveries.length > 0) {
    if (!output.json)
      output.say(
        `${deliveries.length} of ${unread} unread. Acknowledge with: baton ack ${deliveries.at(-1)?.seq} --as ${team.actor.agent}`,
      );
    return exitCodes.done;
  }
  output.say(`No message waits for ${team.actor.agent}.`);
  return exitCodes.done;
}

/** Nothing came: with `--json` there is no line, because every line here is a message. */
function waitedInVain(call: Call, vain: Problem): ExitCode {
  if (call.signal.aborted) return exitCodes.interrupted;
  call.output.problems([vain]);
  return exitCodes.timedOut;
}

/** A message that was only let pass says so; of the others nobody needs to read that they count. */
function lineOf({ effect, notes, ...line }: Delivery) {
  return effect ? line : { ...line, effect, notes };
}

function deliveryText(call: Call, delivery: Delivery): string {
  const paint = call.output.paint.stdout;
  const what = delivery.type === null ? "prose" : `${visible(delivery.type)} (${delivery.dialect ?? "no dialect"})`;
  const head = paint.strong(`#${delivery.seq} ${what} from ${visible(delivery.sender)}`);
  const faults = delivery.notes.map(
    (note) => `  ${visible(note.code)} at ${visible(note.path)}: ${visible(note.message)}\n`,
  );
  const warning = delivery.effect ? "" : `${paint.strong("without effect: do not act on it")}\n${faults.join("")}`;
  return `${head} ${paint.faint(delivery.recordedAt)}\n${warning}${messageText(delivery.message)}\n`;
}
