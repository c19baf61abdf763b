/**
 * What a team can say about a git repository: reported work, and what is about to be committed. A hub's team judges reported
 * work by the hub's repository, and what is about to be committed by the one here.
 */
import type { Problem } from "../../base/problem.ts";
import type { Result } from "../../base/result.ts";
import type { AgentStanding } from "../../evidence/gate.ts";
import type { TaskVerdict } from "../../operations/reply.ts";
import type { ArtifactVerdict, EditAnswer } from "../../operations/verification.ts";
import type { ArtifactOptions } from "./artifact-verdicts.ts";
import type { GateAnswer, RepositoryPlace, StandingsAsked } from "./gate.ts";
import type { VerifyOptions } from "./verification.ts";

/** Work checked against a git repository. */
export interface RepositoryWork {
  /** Reported completions, judged by what the repository shows: see `verification.ts`. */
  verify(place: RepositoryPlace, options?: VerifyOptions): Promise<Result<readonly TaskVerdict[], Problem>>;
  /** The artifacts that messages name, judged the same way: see `artifact-verdicts.ts`. */
  verifyArtifacts(
    place: RepositoryPlace,
    options?: ArtifactOptions,
  ): Promise<Result<readonly ArtifactVerdict[], Problem>>;
  /** Looks at the repository after rounds that are over; answers how many: see `shutdown-inspection.ts`. */
  inspectRounds(place: RepositoryPlace): Promise<Result<number, Problem>>;
  /** What agents may change: see `gate.ts`. */
  standings(asked: StandingsAsked): Promise<Result<readonly AgentStanding[], Problem>>;
  /** Whether the acting agent may write files now; it takes those that it does not hold: see `edit-taking.ts`. */
  editFiles(files: readonly string[]): Promise<Result<EditAnswer, Problem>>;
  /** What is staged there, judged for an agent: see `gate.ts`. */
  judgeStaged(place: RepositoryPlace, agent: string): Promise<Result<GateAnswer, Problem>>;
  /** The agent that the repository's own configuration names (`baton.agent`), or null. */
  configuredAgent(place: RepositoryPlace): Promise<string | null>;
  /** The commits of a range, each judged for its author. */
  judgeRange(
    place: RepositoryPlace,
    range: string,
    who: { readonly as: string | null; readonly fallback: string | null },
  ): Promise<Result<readonly GateAnswer[], Problem>>;
}
