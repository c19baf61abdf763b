/** Handoffs of a hub's team: the calls, and how their answers must look for the client to take them. */
import { ok } from "../../base/result.ts";
import type { Handoff } from "../../coordination/handoff-state.ts";
import { roles } from "../../message/role.ts";
import type { HandoffDetail, HandoffWork, MovedClaim } from "../../runtime/handoff-work.ts";
import * as answers from "./client-answers.ts";
import { actOf, type Caller } from "./client-caller.ts";
import { replyOf } from "./client-reply.ts";
import { count, hash, list, nullable, object, oneOf, opaque, text, word } from "./client-shape.ts";
import type { Calls } from "./client-shutdowns.ts";

type Part<Name extends keyof Handoff> = NonNullable<Handoff[Name]>;

const when = { by: text, seq: count, atMs: count };

const handoff = object<Handoff>({
  id: text,
  issuer: text,
  issuerRole: nullable(oneOf(roles)),
  source: text,
  target: text,
  receivers: list(text),
  workflow: nullable(text),
  task: nullable(text),
  summary: text,
  timestamp: text,
  digest: hash,
  files: count,
  generated: count,
  unfit: list(text),
  after: nullable(text),
  seq: count,
  issuedAtMs: count,
  standing: oneOf(["issued", "accepted", "rejected", "completed"]),
  acceptance: nullable(
    object<Part<"acceptance">>({ ...when, files: count, weak: count, task: nullable(text), token: nullable(count) }),
  ),
  rejection: nullable(object<Part<"rejection">>({ ...when, reasons: list(text) })),
  completion: nullable(object<Part<"completion">>(when)),
});

const handoffs = object<{ handoffs: readonly Handoff[] }>({ handoffs: list(handoff) });
const detail = object<HandoffDetail>({ handoff, line: list(handoff), document: opaque(), text });
const claim = object<MovedClaim>({ task: text, token: count, expiresAt: word, files: list(text) });
const claimed = object<{ claim: MovedClaim | null }>({ claim: nullable(claim) });

/** What `Team` has about handoffs. */
export function remoteHandoffs(caller: Caller, { at, act, read }: Calls): HandoffWork {
  return {
    async handoffs(options = {}) {
      const query = options.all === true ? { all: true } : {};
      const found = await read({ method: "GET", path: at("handoffs"), query, shape: handoffs });
      return found.ok ? ok(found.value.handoffs) : found;
    },
    handoff: (id) => read({ method: "GET", path: at("handoffs", id), shape: detail }),
    async handoffsBefore(about) {
      const found = await read({ method: "GET", path: at("handoff-lines"), query: { ...about }, shape: handoffs });
      return found.ok ? ok(found.value.handoffs) : found;
    },
    async acceptHandoff(id, given, options = {}) {
      // Two shapes of one answer: the reply, and what came with it.
      const shape = (value: unknown): value is answers.Accepted & { readonly claim: MovedClaim | null } =>
        answers.accepted(value) && claimed(value);
      const came = await caller.ask({ ...actOf(at("handoffs", id, "accept"), given, options.id), shape });
      if (!came.ok) return { reply: replyOf(came.error), claim: null };
      const { receipt, receivers, notes, claim: moved } = came.value;
      return { reply: { outcome: "accepted", receipt, receivers, notes }, claim: moved };
    },
    rejectHandoff: (id, given, options = {}) => act(at("handoffs", id, "reject"), given, options.id),
    completeHandoff: (id, given, options = {}) => act(at("handoffs", id, "complete"), given, options.id),
  };
}
