/**
 * The client of a hub: speaks to one as the token's agent. Loaded only for a hub, so that commands on a journal of this
 * machine never pay for it.
 */
import { argument } from "../../../base/argument.ts";
import { systemClock } from "../../../base/clock.ts";
import type { TeamName } from "../../../base/ids.ts";
import { type Problem, problem } from "../../../base/problem.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { HubAddress, HubConnection } from "../../../runtime/hub-connection.ts";
import { newCaller } from "./client-caller.ts";
import { askedByHand } from "./client-calls.ts";
import { readHubUrl } from "./client-exchange.ts";
import { otherIdentity, tokenMalformed, tokenMissing } from "./client-problems.ts";
import { remoteRecord } from "./client-record.ts";
import { remoteTeam } from "./client-team.ts";

/** Asks the hub who the caller is; see `ConnectHub` for what it refuses. */
export async function connectHub(address: HubAddress): Promise<Result<HubConnection, Problem>> {
  const hub = readHubUrl(address.url);
  if (!hub.ok) return hub;
  if (address.token === null) return err(tokenMissing());
  // What a header cannot hold is refused here: the error of the attempt would show it.
  if (!/^[A-Za-z0-9._~+/-]{1,200}=*$/.test(address.token)) return err(tokenMalformed());
  if (hub.value.isOpenOnTheWay) {
    address.say(`warning: ${hub.value.shown} is not encrypted, so others on the way can read the token. Use https.`);
  }
  const { token, program, answerMsMax } = address;
  const speaks = program === undefined ? {} : { program };
  const hurry = answerMsMax === undefined ? {} : { answerMsMax };
  const caller = newCaller({ hub: hub.value, token, ...speaks, ...hurry, clock: systemClock }, address.signal);
  // A hub that was never there is reported at once; one that was there is waited for.
  const session = await caller.ask({
    ...askedByHand("whoAmI", {}),
    retriesMax: 1,
  });
  if (!session.ok) return err(session.error.problems[0]);
  const { agent, teams, journal: condition = { condition: "ready" }, operations = null, version } = session.value;
  if (address.agent !== null && address.agent !== agent) return err(otherIdentity(agent, address.agent));
  return ok({
    agent,
    teams,
    team: () => {
      const team = chooseTeam(address.team ?? session.value.team, teams);
      if (!team.ok) return team;
      const actor = { agent, via: "token", ...speaks } as const;
      const known = operations === null ? null : { version: version ?? "another", operations: new Set(operations) };
      return ok(remoteTeam(caller, { team: team.value, actor, condition, known, say: (words) => address.say(words) }));
    },
    record: () => remoteRecord(caller, condition, address.signal),
  });
}

/** The team that is meant, as `openTeam` chooses one. */
function chooseTeam(asked: string | null, teams: readonly TeamName[]): Result<TeamName, Problem> {
  const [only] = teams;
  if (asked === null && only !== undefined && teams.length === 1) return ok(only);
  if (asked === null) {
    const fault = only === undefined ? "The hub holds no team yet." : "The hub holds several teams.";
    const hint =
      only === undefined ? "Run `baton init` where its journal lies." : `Name one of them: ${teams.join(", ")}.`;
    return err(problem("unknown-team", argument("team"), fault, { hint }));
  }
  const found = teams.find((team) => team === asked);
  if (found !== undefined) return ok(found);
  return err(
    problem("unknown-team", asked, `There is no team "${asked}" here.`, {
      expected: teams.join(" | ") || "no team yet",
      hint: "A token is for one team; use a token of that team.",
    }),
  );
}
