/**
 * The artifacts that messages name, held against the repository, over the whole record: each message that has effect and
 * names one. Of several messages about one artifact only the last is held to its numbers.
 * Source: semantics.md section 3 (Completion).
 */
import { canonicalPath } from "../base/paths.ts";
import type { Problem } from "../base/problem.ts";
import { ok, type Result } from "../base/result.ts";
import { type ArtifactMessage, artifactsOf, verifyArtifacts } from "../evidence/artifacts.ts";
import { openRepository } from "../evidence/repository.ts";
import { isUndecided } from "../evidence/verdict.ts";
import type { Entry } from "../journal/entry.ts";
import { contentOf } from "./content.ts";
import type { Context } from "./context.ts";
import type { RepositoryPlace } from "./gate.ts";

/** What the repository shows of one message's artifacts. */
export interface ArtifactVerdict {
  readonly seq: number;
  readonly message: string | null;
  readonly type: string | null;
  readonly sender: string;
  /** The artifacts' paths as written. */
  readonly artifacts: readonly string[];
  readonly state: "reported" | "verified" | "disputed";
  readonly problems: readonly Problem[];
}

interface Named {
  readonly entry: Entry;
  readonly type: string | null;
  readonly message: ArtifactMessage;
}

/** The verdict on each message that names artifacts, in their order. Refuses what the journal refuses. */
export async function artifactVerdicts(
  context: Context,
  place: RepositoryPlace,
  signal?: AbortSignal,
): Promise<Result<readonly ArtifactVerdict[], Problem>> {
  const named = await namedArtifacts(context);
  if (!named.ok || named.value.length === 0) return named.ok ? ok([]) : named;
  const opened = await openRepository(place.directory, place);
  const last = new Map(named.value.flatMap(({ entry, message }) => keysOf(message).map((key) => [key, entry.seq])));
  const verdicts: ArtifactVerdict[] = [];
  for (const { entry, type, message } of named.value) {
    if (signal?.aborted === true) break;
    const isOvertaken = keysOf(message).every((key) => last.get(key) !== entry.seq);
    const problems = opened.ok ? await verifyArtifacts(opened.value, { ...message, isOvertaken }) : [opened.error];
    const state = problems.length === 0 ? "verified" : isUndecided(problems) ? "reported" : "disputed";
    verdicts.push({
      seq: entry.seq,
      message: entry.id,
      type,
      sender: entry.principal.agent,
      artifacts: artifactsOf(message).map(([, path]) => path),
      state,
      problems,
    });
  }
  if (opened.ok) await opened.value[Symbol.asyncDispose]();
  return ok(verdicts);
}

/** Messages about one artifact are of one kind and name one path. */
function keysOf(message: ArtifactMessage): readonly string[] {
  return artifactsOf(message).map(([, written]) => {
    const path = canonicalPath(written);
    return `${message.kind} ${path.ok ? path.value : written}`;
  });
}

async function namedArtifacts(context: Context): Promise<Result<readonly Named[], Problem>> {
  const named: Named[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page = await context.journal.read(context.team, { after });
    if (!page.ok) return page;
    for (const entry of page.value.entries) {
      const content = entry.kind === "message" ? contentOf(entry) : null;
      const fact = content?.message?.fact ?? null;
      if (fact === null || content?.effect === false) continue;
      // A body of a fact is JSON by what `Fact` says of it.
      const message: ArtifactMessage = { kind: fact.kind, body: fact.body };
      if (artifactsOf(message).length > 0) named.push({ entry, type: content?.message?.type ?? null, message });
    }
    after = page.value.next;
  }
  return ok(named);
}
