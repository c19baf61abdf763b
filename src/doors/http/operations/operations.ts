/**
 * Every operation of the hub; among them those that are answered by hand: several decisions at once, and work checked
 * against git.
 */

import type { z } from "zod";
import { type Problem, problem } from "../../../base/problem.ts";
import { type DecisionResult, decideSeveral, listNeeds } from "../../../operations/needs.ts";
import { operationsBySubject } from "../../../operations/registry.ts";
import type { Reply } from "../../../operations/reply.ts";
import { editFiles, listStandings, verifyArtifacts, verifyTasks } from "../../../operations/verification.ts";
import type { Team } from "../../../runtime/team/team.ts";
import { json, refusal } from "../server/answers.ts";
import { byHand, routesOf } from "./defined-operations.ts";
import { healthOperations, inboxOperations } from "./inbox-operations.ts";
import { journalOperations } from "./journal-operations.ts";
import { messageOperations, recordOperations } from "./message-operations.ts";
import { type AskedOfTeam, given, type HubRepository, type Operation } from "./operation.ts";
import { sessionOperations } from "./session-operations.ts";

/*
 * Several decisions in one request: each is done as its own operation does it, one after the other.
 */

type Decision = z.infer<typeof decideSeveral.input>["decisions"][number];

const decisionOperations: readonly Operation[] = [
  byHand(decideSeveral, async ({ decisions }, { team, id: batch }) => {
    const results: DecisionResult[] = [];
    for (const [index, decision] of decisions.entries()) {
      // A batch that comes again under its id is the same decisions again, each recorded once.
      const id = decision.id ?? (batch === undefined ? undefined : `${batch}-${index + 1}`);
      results.push(resultOf(await decide(team, decision, id === undefined ? {} : { id })));
    }
    return json({ results });
  }),
];

function decide(team: Team, decision: Decision, named: { readonly id?: string }): Promise<Reply> {
  switch (decision.decide) {
    case "approve":
    case "deny": {
      const { decide: word, id: _, request, reason, ...more } = decision;
      return team.answer({ request, approved: word === "approve", reason, ...given(more) }, named);
    }
    case "resolve": {
      const { decide: _, id: __, escalation, ...more } = decision;
      return team.resolve({ escalation, ...given(more) }, named);
    }
    case "raise": {
      const { decide: _, id: __, escalation, ...more } = decision;
      return team.raise({ escalation, ...given(more) }, named);
    }
    case "lift": {
      const { decide: _, id: __, stop, reason, ...more } = decision;
      return team.liftStop({ stop, reason, ...given(more) }, named);
    }
  }
}

function resultOf(reply: Reply): DecisionResult {
  switch (reply.outcome) {
    case "accepted":
      return { outcome: "accepted", receipt: reply.receipt, problems: [] };
    case "refused":
      return { outcome: "refused", receipt: reply.receipt, problems: reply.problems };
    case "failed":
      return { outcome: "failed", receipt: null, problems: [reply.problem] };
  }
}

/*
 * Work checked against git, through a hub: the hub judges what was reported by the repository next to it, and tells
 * what agents may change, so that the gate can judge a commit where its files are.
 */

const verifyOperations: readonly Operation[] = [
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

/** Every operation of the hub, in the order of its document. */
export const operations: readonly Operation[] = [
  ...healthOperations,
  ...sessionOperations,
  ...messageOperations,
  ...recordOperations,
  ...routesOf(operationsBySubject.status),
  ...inboxOperations,
  ...routesOf(operationsBySubject.agents),
  ...routesOf(operationsBySubject.revisions),
  ...routesOf(operationsBySubject.breakers),
  ...routesOf(operationsBySubject.lanes),
  ...routesOf([listNeeds]),
  ...decisionOperations,
  ...routesOf(operationsBySubject.approvals),
  ...routesOf(operationsBySubject.contracts),
  ...routesOf(operationsBySubject.tasks),
  ...verifyOperations,
  ...routesOf(operationsBySubject.commits),
  ...routesOf(operationsBySubject.phases),
  ...routesOf(operationsBySubject.escalations),
  ...routesOf(operationsBySubject.handoffs),
  ...routesOf(operationsBySubject.shutdowns),
  ...routesOf(operationsBySubject.tokens),
  ...journalOperations,
];
