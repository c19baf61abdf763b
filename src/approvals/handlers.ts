/** What Baton itself says about approvals. Rule: docs/protocol/tasks.md, section 19. */
import { sha256 } from "../base/canonical.ts";
import { ok } from "../base/result.ts";
import { visible } from "../base/text.ts";
import { batonActor, type TeamContext } from "../perform/context.ts";
import type { Reply } from "../perform/operations/reply.ts";
import { type Operation, perform } from "../perform/perform.ts";
import { prose } from "../perform/prose.ts";
import { takenBackCode } from "./decide/approvals.ts";

/** Notifies each agent that was allowed paths which the accepted revision takes back. */
export async function tellTakenBack(context: TeamContext, reply: Reply): Promise<void> {
  if (reply.outcome !== "accepted") return;
  for (const { code, path: agent, message } of reply.notes) {
    const id = `${takenBackCode}/${reply.receipt.seq}/${agent}/${sha256(message).slice(0, 16)}`;
    if (code === takenBackCode) await perform({ context, actor: batonActor }, telling, { agent, message }, id);
  }
}

const telling: Operation<{ readonly agent: string; readonly message: string }, TeamContext> = {
  name: takenBackCode,
  decide(_, { agent, message }) {
    const words = `${visible(message)} What to do: leave these paths as they are, or ask again.`;
    return ok({ events: [], notes: [], delivered: { message: prose([words]), receivers: [agent] } });
  },
};
