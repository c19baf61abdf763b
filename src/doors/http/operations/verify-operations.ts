/**
 * Work checked against git, through a hub: the hub judges what was reported by the repository next to it, and tells
 * what agents may change, so that the gate can judge a commit where its files are.
 */
import { type Problem, problem } from "../../../base/problem.ts";
import { editFiles, listStandings, verifyArtifacts, verifyTasks } from "../../../operations/verification.ts";
import { json, refusal } from "../server/answers.ts";
import { byHand } from "./defined-operations.ts";
import { type AskedOfTeam, given, type HubRepository, type Operation } from "./operation.ts";

export const verifyOperations: readonly Operation[] = [
  byHand(verifyTasks, async ({ tasks, runChecks = false, checkSeconds }, asked) => {
    const place = repositoryOf(asked);
    if ("code" in place) return refusal([place]);
    if (runChecks && !place.runsChecks) return refusal([runsNoChecks()]);
    const msMax = checkSeconds === undefined ? {} : { msMax: checkSeconds * 1000 };
    const judged = await asked.team.verify(place, {
      ...given({ tasks }),
      ...(runChecks ? { runChecks: msMax } : {}),
      signal: signalOf(asked),
    });
    return judged.ok ? json({ tasks: judged.value }) : refusal([judged.error]);
  }),
  byHand(verifyArtifacts, async (_, asked) => {
    const place = repositoryOf(asked);
    if ("code" in place) return refusal([place]);
    const judged = await asked.team.verifyArtifacts(place, { signal: signalOf(asked) });
    return judged.ok ? json({ messages: judged.value }) : refusal([judged.error]);
  }),
  byHand(listStandings, async ({ when, agent }, { team }) => {
    const found = await team.standings({ when, ...given({ agent }) });
    return found.ok ? json({ standings: found.value }) : refusal([found.error]);
  }),
  byHand(editFiles, async ({ files, isWritten }, { team }) => {
    const asked = await team.editFiles(files, given({ isWritten }));
    return asked.ok ? json(asked.value) : refusal([asked.error]);
  }),
];

/** The hub's repository, where it is that of the team. */
function repositoryOf({ services, team }: AskedOfTeam): HubRepository | Problem {
  if (services.repository !== null && services.hub.home === team.name) return services.repository;
  return problem("repository-missing", team.name, "This hub looks into no repository for the team.", {
    hint: "Verify where its files are, or start the hub with `baton up --repository DIR` and without --no-verify.",
  });
}

function runsNoChecks(): Problem {
  return problem("sender-not-authorised", "runChecks", "This hub runs no checks: they are shell that agents wrote.", {
    hint: "The person who runs the hub allows them with `baton up --run-checks`.",
  });
}

function signalOf({ services, request }: AskedOfTeam): AbortSignal {
  return AbortSignal.any([services.stopping, request.signal]);
}
