/** Answers of a hub that the client takes, as their JSON must look: what becomes of an act, and what others are made of. */
import { messageId, teamName } from "../../../base/ids.ts";
import type { Json } from "../../../base/json.ts";
import { type Problem, type ProblemCode, problemCodes } from "../../../base/problem.ts";
import { type DenialReason, denialReasons } from "../../../coordination/tasks/claim-denials.ts";
import type { Receipt } from "../../../journal/entry.ts";
import type { Head } from "../../../journal/journal.ts";
import type { DialectId, Note } from "../../../message/message.ts";
import { roles } from "../../../message/role.ts";
import type { Reply } from "../../../operations/reply.ts";
import {
  branded,
  count,
  flag,
  hash,
  list,
  nullable,
  object,
  oneOf,
  optional,
  type Shape,
  text,
  word,
} from "./client-shape.ts";

/** Parts that several answers have. */
export const team = branded(teamName);
export const id = branded(messageId);
export const json: Shape<Json> = (value): value is Json => value !== undefined; // it came out of the parser
export const dialect: Shape<DialectId> = (value): value is DialectId => word(value) && value.includes("/");
export const role = oneOf(roles);
export const durability = oneOf(["fsync", "os", "memory"]);
const code = oneOf(Object.keys(problemCodes) as ProblemCode[]); // the keys of that very table

export const receipt = object<Receipt>({
  team,
  seq: count,
  id: nullable(id),
  digest: nullable(hash),
  hash,
  prevHash: hash,
  epoch: count,
  durability,
  duplicate: flag,
});

export const problem = object<Problem>({
  code,
  path: text,
  message: text,
  expected: optional(text),
  received: optional(text),
  hint: optional(text),
});

export const note = object<Note>({
  code: word,
  path: text,
  message: text,
  from: optional(text),
  to: optional(text),
});

const acceptedFields = { receipt, receivers: list(text), notes: list(note) };

/** An accepted act. */
export const accepted = object<Accepted>(acceptedFields);

/** A hub judges a while after it answered, so its answer holds no verdicts. */
export type Accepted = Omit<Extract<Reply, { readonly outcome: "accepted" }>, "outcome" | "verdicts" | "settled">;

/**
 * A refused or failed one; of a claim, with what stands in its way. `receipt`: absent where nothing was to be recorded,
 * null where nothing was.
 */
export const refused = object<{
  problems: readonly Problem[];
  receipt?: Receipt | null;
  notes?: readonly Note[];
  granted?: boolean;
  reason?: DenialReason | null;
  holder?: string | null;
  paths?: readonly string[];
}>({
  problems: list(problem),
  receipt: optional(nullable(receipt)),
  notes: optional(list(note)),
  granted: optional(flag),
  reason: optional(nullable(oneOf(denialReasons))),
  holder: optional(nullable(text)),
  paths: optional(list(text)),
});

/** Where a team's journal ends. */
export const head = object<Head>({ seq: count, hash, epoch: count });
