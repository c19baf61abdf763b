/**
 * Messages of a team: sending one, and one entry whole. The record page by page and as it grows is
 * `record-operations.ts`.
 */
import { z } from "zod";
import { isJsonObject, type Json, parseAnyCharacters, parseBounded } from "../../../base/json.ts";
import type { Problem, ProblemCode } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { type Address, readAddress } from "../../../message/role.ts";
import { acceptedShape, operationId } from "../../../operations/shapes.ts";
import type { SendOptions } from "../../../runtime/team/team.ts";
import { readShape } from "../../../schema/shape-problems.ts";
import { refusal, replyAnswer, twoIds } from "../server/answers.ts";
import { readJsonBytes, requestJsonLimits } from "../server/body.ts";
import { type AskedOfTeam, type Operation, teamOperation } from "./operation.ts";

const receivers = z.array(z.string()).describe("agents, or role:ROLE; absent: those the dialect names");

const envelopeShape = z.strictObject({
  message: z.unknown().describe("the wire message as an object, or the whole text verbatim as a string"),
  to: receivers.optional(),
  id: operationId,
  proseId: z
    .string()
    .optional()
    .describe("the id if the input is prose that quotes a message with another id; for retries, like id"),
  strict: z.boolean().optional().describe("refuse unknown extra fields"),
  draft: z
    .boolean()
    .optional()
    .describe("the message holds a type and its fields alone; the hub fills in the rest and refuses unknown fields"),
});

const sendBody = z
  .union([envelopeShape, z.record(z.string(), z.unknown())])
  .describe("an envelope, or the wire message itself, kept verbatim; then receivers and id come by query and header");

const sendQuery = z.strictObject({ to: receivers.optional(), strict: z.boolean().optional() });

/** `POST .../messages`. */
const send = teamOperation(
  {
    name: "sendMessage",
    method: "post",
    path: "/api/teams/{team}/messages",
    says: "Sends one message.",
    access: "caller",
    query: sendQuery,
    body: sendBody,
    rawBody: true,
    answers: {
      201: { says: "Recorded, durable, with its receipt.", shape: acceptedShape },
      200: { says: "The same act had been accepted before.", shape: acceptedShape },
    },
  },
  async (asked) => {
    const bytes = await readJsonBytes(asked.request);
    if (!bytes.ok) return refusal([bytes.error]);
    const letter = readLetter(bytes.value, asked);
    if (!letter.ok) return refusal(letter.error);
    const reply = await asked.team.send(letter.value.text, letter.value.options);
    asked.services.metrics.message(
      reply.outcome === "accepted" && reply.receipt.duplicate ? "duplicate" : reply.outcome,
    );
    if (reply.outcome === "failed") asked.services.readiness.failed();
    else if (reply.receipt?.duplicate === false) asked.services.readiness.recorded();
    return replyAnswer(reply);
  },
);

interface Letter {
  readonly text: string | Uint8Array;
  readonly options: SendOptions;
}

/** Errors that leave no doubt that the body is no JSON at all; the others are the message's, judged and recorded. */
const bodyProblems: ReadonlySet<ProblemCode> = new Set(["empty-message", "not-utf8", "byte-order-mark", "not-json"]);

function readLetter(
  bytes: Uint8Array,
  asked: AskedOfTeam<z.infer<typeof sendQuery>>,
): Result<Letter, readonly Problem[]> {
  const value = readBody(bytes);
  if (!value.ok && bodyProblems.has(value.error.code)) return err([value.error]);
  const { query, id } = asked;
  if (!value.ok || !isEnvelope(value.value)) {
    const options = sendOptions({ ...query, id });
    return options.ok ? ok({ text: bytes, options: options.value }) : options;
  }
  const envelope = readShape(envelopeShape, value.value, "$");
  if (!envelope.ok) return envelope;
  const { message, to = query.to, strict = query.strict, id: named, proseId, draft } = envelope.value;
  if (named !== undefined && id !== undefined && named !== id) return err([twoIds(named)]);
  const options = sendOptions({ to, strict, id: named ?? id, proseId, draft });
  if (!options.ok) return options;
  return ok({ text: typeof message === "string" ? message : JSON.stringify(message), options: options.value });
}

/**
 * The body's value. A message with a character that no message may hold is taken out of its envelope all the same: the
 * one way in refuses it, with the place in the message itself, as it does at every other door.
 */
function readBody(bytes: Uint8Array): Result<Json, Problem> {
  const value = parseBounded(bytes, requestJsonLimits);
  const isInMessage = !value.ok && /^\$\.message(?![^.[])/.test(value.error.path);
  return isInMessage ? parseAnyCharacters(bytes, requestJsonLimits) : value;
}

/** What a sender sends along with the message. */
interface Beside {
  readonly to?: readonly string[] | undefined;
  readonly strict?: boolean | undefined;
  readonly id?: string | undefined;
  readonly proseId?: string | undefined;
  readonly draft?: boolean | undefined;
}

/**
 * Whether the body is an envelope: an object with `message`. Every wire message says its `type`, and an envelope never
 * does; so a misspelt field of an envelope is named, and does not turn the whole into some other kind of message.
 */
function isEnvelope(value: Json): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "message") && !Object.hasOwn(value, "type");
}

function sendOptions({ to, strict, id, proseId, draft }: Beside): Result<SendOptions, readonly Problem[]> {
  const addresses: Address[] = [];
  for (const text of to ?? []) {
    const address = readAddress(text);
    if (!address.ok) return err([address.error]);
    addresses.push(address.value);
  }
  return ok({
    ...(addresses.length === 0 ? {} : { to: addresses }),
    ...(strict === undefined ? {} : { strict }),
    ...(id === undefined ? {} : { id }),
    ...(proseId === undefined ? {} : { proseId }),
    ...(draft === undefined ? {} : { draft }),
  });
}

export const messageOperations: readonly Operation[] = [send];
