/** Lines of the demo: who, what, and the rest, in columns; and what Baton answered. Agent text is made visible. */
import { visible } from "../../src/base/text.ts";
import type { Paint } from "../../src/doors/cli/terminal/paint.ts";
import { castMembers } from "../cast.ts";
import { type Answer, type Fault, fencedCode } from "../doors/agent-door.ts";

export const nameWidth = Math.max(...castMembers.map(({ agent }) => agent.length)) + 2;
const typeWidth = "shutdown_response".length + 2;

/** A line about what an agent does; `what` is padded and shown as it is. */
export function row(agent: string, what: string, rest: string, paint: Paint): string {
  return `${paint.strong(visible(agent).padEnd(nameWidth))}${what.padEnd(typeWidth)} ${rest}`.trimEnd();
}

/** What became of a message, with the hint of a refusal on a line of its own. */
export function answerText(answer: Answer, paint: Paint): string {
  if (answer.outcome === "failed") return paint.warn(`no answer (${visible(answer.said)}), sent again`);
  if (answer.outcome === "accepted") {
    if (answer.duplicate) return paint.warn(`duplicate of entry ${answer.seq}`);
    return `${paint.good(`entry ${answer.seq}`)} -> ${answer.receivers.map(visible).join(", ")}`;
  }
  const [fault] = answer.faults;
  if (fault === undefined) return paint.bad("refused");
  // Where nothing is wrong with what was sent, its place says nothing.
  const where = fault.code === fencedCode ? `, ${visible(fault.message)}` : ` at ${visible(fault.path)}`;
  return `${paint.bad(`refused: ${fault.code}`)}${where}${hintText(fault)}`;
}

/** The hint of a fault on a line of its own; empty where it has none. */
export function hintText({ hint }: Fault): string {
  return hint === null ? "" : `\n${" ".repeat(nameWidth)}hint: ${visible(hint)}`;
}
