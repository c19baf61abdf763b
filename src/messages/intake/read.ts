/**
 * Reads an input completely, without a team: from the input to its reading, by form alone. Doors that only judge inputs
 * and the library's front door read here; the runtime decodes before its lock and reads under it (`decode.ts`,
 * `ladder.ts`). Source: docs/protocol/messages.md, sections 10 to 18.
 */
import { systemClock, timestampOf } from "../../base/clock.ts";
import { inOrder, makeProblem, type Problem } from "../../base/problem.ts";
import type { YamlParser } from "../../base/text-formats/yaml.ts";
import { isRole } from "../role.ts";
import { type Decoded, decode, decodeWith } from "./decode.ts";
import type { Connection } from "./flat-to-envelope.ts";
import { type LadderOptions, readDecoded } from "./ladder.ts";
import type { AcceptedReading, InvalidReading, Reading } from "./reading.ts";

/**
 * Reads an input whole: synchronously, except for a handoff document whose YAML reader must be loaded. Never throws;
 * see `Reading` for what comes out. Form, cross-field rules and `author_role` against the type are judged; receivers
 * and the state of any work are not.
 */
export function read(input: string | Uint8Array, options: LadderOptions): Reading | Promise<Reading> {
  const decoded = decode(input);
  return decoded instanceof Promise
    ? decoded.then((late) => judgeCandidate(late, options))
    : judgeCandidate(decoded, options);
}

/** As `read`, at once, with the YAML reader at hand. */
export function readWith(parse: YamlParser, input: string | Uint8Array, options: LadderOptions): Reading {
  return judgeCandidate(decodeWith(parse, input), options);
}

/** The reading of a decoded text, invalid where the role that the message names may not send its type. */
export function judgeCandidate(decoded: Decoded, options: LadderOptions): Reading {
  const reading = readDecoded(decoded, options, options.connection ?? offhand);
  if (reading.outcome === "prose") return reading;
  if (reading.outcome === "invalid") return withSenderProblem(reading, options);
  const problem = senderProblem(reading, options);
  return problem === null ? reading : { ...reading, outcome: "invalid", fact: null, problems: [problem] };
}

/** Only the time is known of an input that is only judged; its id is made as the scripts of vbw/2.1 make it. */
function offhand(): Connection {
  const nowMs = systemClock.now();
  return { id: `normalized-${Math.floor(nowMs / 1000)}`, authorRole: null, timestamp: timestampOf(nowMs) };
}

/** The problem of a role that may not send the type, or null. */
function senderProblem(reading: AcceptedReading, options: LadderOptions): Problem | null {
  const role = reading.fact.head.authorRole;
  return role === null ? null : roleProblem(role, reading, options);
}

/** All problems are reported: for a refused message also that its role may not send its type, if it names a role. */
function withSenderProblem(reading: InvalidReading, options: LadderOptions): InvalidReading {
  const { dialect, message, problems, type } = reading;
  const role = message?.author_role;
  if (dialect === null || type === null || typeof role !== "string" || !isRole(role)) return reading;
  if (problems.some(({ path }) => path === "$.author_role")) return reading;
  const problem = roleProblem(role, { dialect, type }, options);
  return problem === null ? reading : { ...reading, problems: inOrder([...problems, problem]) };
}

function roleProblem(
  role: string,
  reading: Pick<AcceptedReading, "dialect" | "type">,
  options: LadderOptions,
): Problem | null {
  const dialect = options.dialects.find(({ id }) => id === reading.dialect);
  const definition = dialect?.definitions.get(reading.type);
  // A flat message has no such field: one that was translated keeps the role of another dialect there.
  if (dialect?.form !== "typed" || definition === undefined || definition.senders.some((sender) => sender === role))
    return null;
  return makeProblem(
    "sender-not-authorised",
    "$.author_role",
    `${role} may not send ${reading.type} in ${reading.dialect}.`,
    {
      expected: definition.senders.join(" | "),
      received: role,
      hint: `Messages of this type come from ${definition.senders.join(" or ")}.`,
    },
  );
}
