/** A handoff document in a file, read as a message of bmad/1 and as nothing else. */
import { messageBytesMax } from "../../../base/limits.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { dialectOf } from "../../../dialects/registry.ts";
import { read } from "../../../intake/read.ts";
import type { AcceptedReading, Reading } from "../../../intake/reading.ts";
import { bodyOf, type HandoffBody } from "../../../message/handoff-body.ts";
import type { Call } from "../kernel/command.ts";
import { readWhole } from "../kernel/input.ts";

/** The dialect of handoff documents. */
export const handoffDialect = "bmad/1";

export interface HandoffFile {
  readonly reading: AcceptedReading;
  readonly body: HandoffBody;
}

/** The reading of a file (`-`: standard input) as a handoff document. Refuses `not-found` what cannot be read. */
export async function readHandoff(
  call: Call,
  file: string,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<Result<Reading, Problem>> {
  const bytes = await readWhole(file, messageBytesMax, call.signal);
  return bytes.ok ? ok(await readingOf(bytes.value, { strict })) : bytes;
}

/** The reading of a text as a handoff document. What is none is invalid, though it be fit to send as prose. */
export async function readingOf(
  text: string | Uint8Array,
  { strict = false }: { readonly strict?: boolean } = {},
): Promise<Reading> {
  const bmad = dialectOf(handoffDialect);
  const reading = await read(text, { dialects: bmad === null ? [] : [bmad], strict });
  if (reading.outcome !== "prose" || reading.problems.length > 0) return reading;
  return { ...reading, problems: [noDocument("$")] };
}

/** The document in a file. Refuses what it does not hold, with every problem of its form. */
export async function handoffIn(call: Call, file: string): Promise<Result<HandoffFile, readonly Problem[]>> {
  const reading = await readHandoff(call, file);
  if (!reading.ok) return err([reading.error]);
  if (reading.value.outcome !== "accepted") return err(reading.value.problems);
  return ok({ reading: reading.value, body: bodyOf(reading.value.message) });
}

/** That there is no document at `path`, and how one is made. */
export function noDocument(path: string): Problem {
  return problem("unknown-type", path, "The file holds no handoff document.", {
    expected: "YAML or JSON with everything under the one key handoff; in Markdown at its head, or in one fence",
    hint: "baton handoff new writes one; baton handoff new FILE.yaml --import FILE.md makes one of a Markdown handoff.",
  });
}
