/** What an entry may have changed, told by its line alone, so that only that is asked anew. Pure. */
import type { LogLine } from "../../../runtime/log-line.ts";

type Gist = Pick<LogLine, "kind" | "type" | "fact">;

/** Acts on a handoff. Refused ones too: what was found of its files stands there. */
const handoffActs: ReadonlySet<string> = new Set(["accept-handoff", "reject-handoff", "complete-handoff"]);

/** Whether phases may stand otherwise after it. What was refused or acknowledged moves none. */
export function touchesPhases({ kind }: Gist): boolean {
  return kind !== "ack" && kind !== "refusal";
}

/** Whether a handoff came, was answered, or was tried to be. */
export function touchesHandoffs({ kind, type, fact }: Gist): boolean {
  if (fact === "handoff") return kind !== "refusal";
  return (kind === "command" || kind === "refusal") && type !== null && handoffActs.has(type);
}
