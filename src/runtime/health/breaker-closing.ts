/** A circuit breaker that the person closes. Rules: docs/guides/health.md, The circuit breaker. */
import { argument } from "../../base/argument.ts";
import { steadyNow } from "../../base/clock.ts";
import { problem } from "../../base/problem.ts";
import { err, ok } from "../../base/result.ts";
import { breakers } from "../../coordination/health/breakers.ts";
import type { CloseBreaker, Named } from "../../operations/generated/calls.ts";
import type { Reply } from "../../operations/reply.ts";
import { act } from "../command.ts";
import type { Actor, Context } from "../context.ts";

/** Closes a circuit breaker, which the owner alone does. Refuses as `breakers.ts` does, and `missing-field`. */
export function closeBreaker(context: Context, actor: Actor, asked: CloseBreaker, options: Named = {}): Promise<Reply> {
  const { scope = null, reason } = asked;
  return act(
    context,
    actor,
    {
      name: "close-breaker",
      asked: { ...asked },
      decide(state, _moment, { agent: by }) {
        if (reason.trim() === "")
          return err([problem("missing-field", argument("reason"), "A circuit breaker is closed with a reason.")]);
        const closing = { command: "close-breaker", scope, by, reason, atMs: steadyNow(context.clock) } as const;
        const decided = breakers.decide(closing, state.coordination.breakers);
        if (!decided.ok) return decided;
        const [closed] = decided.value.events;
        return ok({ ...decided.value, ...(closed === undefined ? {} : { told: { scope: closed.scope } }) });
      },
    },
    options.id,
  );
}
