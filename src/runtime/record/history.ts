/**
 * Imported messages: what was sent elsewhere, recorded as history. The operation is that of the person who imports it,
 * marked with where it comes from, addressed to nobody and without effect: no deadline begins, nothing is approved,
 * nobody is asked to stop. A repeat is the same operation. Source: docs/protocol/journal.md, sections 1, 4 and 14.
 */
import { canonical, sha256 } from "../../base/canonical.ts";
import { messageId } from "../../base/ids.ts";
import { invariant } from "../../base/invariant.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import type { Message, Note } from "../../message/message.ts";
import type { Reply } from "../../operations/reply.ts";
import { type Actor, type Context, principalOf } from "../context.ts";
import { asJson, type Origin } from "./content.ts";
import { recordMessage } from "./recorded-message.ts";

/** Whether a folder of a phase, or a file in it, may be called so: nothing that a path or a terminal would obey. */
export function isPhaseName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name);
}

/** Whether `file` names a file of a phase's folder and nothing else. */
export function isPhaseFile(file: string): boolean {
  const parts = file.split("/");
  return parts.length === 2 && parts.every(isPhaseName) && file.endsWith(".jsonl");
}

/** An imported message. */
export interface Past {
  readonly message: Message;
  readonly notes: readonly Note[];
  readonly origin: Origin;
}

/** What only those have who work where the journal lies. */
export interface History {
  /** Records an imported message; `known`: it is recorded already. */
  remember(past: Past): Promise<Result<"imported" | "known", Problem>>;
  /** Records that a session of an agent program was not let in as the actor, and why. */
  refuseProgram(said: { readonly session: string | null; readonly refused: Problem }): Promise<Reply>;
}

/** Records it, once for each message and origin. */
export async function remember(
  context: Context,
  actor: Actor,
  { message, notes, origin }: Past,
): Promise<Result<"imported" | "known", Problem>> {
  // An origin holds strings and numbers only, so it is plain JSON.
  const said: JsonObject = { text: message.text, origin: origin as unknown as JsonObject };
  const digest = sha256(canonical(said));
  const id = messageId(`imported/${digest}`);
  invariant(id !== null, "a digest can be an id");
  const committed = await context.journal.commit(context.team, {
    once: { principal: actor.agent, id, digest },
    decide: (state) => ({
      kind: "message",
      principal: principalOf(actor, state),
      id,
      digest,
      receivers: [],
      content: asJson({
        imported: origin,
        message: recordMessage(message, id, null),
        effect: false,
        ...(notes.length === 0 ? {} : { notes }),
      }),
      text: message.text,
    }),
  });
  if (!committed.ok) return committed;
  invariant(committed.value.outcome !== "declined", "what was imported is never declined");
  return ok(committed.value.outcome === "recorded" ? "imported" : "known");
}
