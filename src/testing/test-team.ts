/**
 * A team for tests: the real runtime on a journal in memory (or one the test brings), with one handle for each agent.
 */
import type { Clock } from "../base/clock.ts";
import { teamName } from "../base/ids.ts";
import { invariant } from "../base/invariant.ts";
import type { Journal } from "../journal/journal.ts";
import { openMemoryJournal } from "../journal/memory.ts";
import { dialects as builtIn, dialectOf } from "../messages/dialects/registry.ts";
import type { DialectId, OwnMessage } from "../messages/message.ts";
import { readAddress } from "../messages/role.ts";
import type { Context } from "../perform/context.ts";
import { teamHandle } from "../perform/handle.ts";
import type { Reply } from "../perform/operations/reply.ts";
import { teamProjection } from "../perform/projection.ts";
import type { TeamState } from "../perform/state.ts";
import type { LocalTeam, SendOptions } from "../perform/team.ts";
import { reviseTeam } from "../team/handlers/revision.ts";
import type {
  AgentDefinition,
  BrokenJsonRule,
  ClaimsRule,
  Policy,
  ScopeRule,
  TeamChecks,
  TeamLanding,
  TeamLimits,
} from "../team/state/definition.ts";
import { manualClock } from "./fixtures.ts";

export interface TestTeamOptions {
  readonly agents: readonly AgentDefinition[];
  /** Absent: `vbw/2`. */
  readonly dialects?: readonly DialectId[];
  readonly policy?: Policy;
  /** Absent: as the policy has it. */
  readonly brokenJson?: BrokenJsonRule;
  readonly limits?: TeamLimits;
  /** Absent: teammate mode. */
  readonly teamMode?: "teammate" | "task";
  /** False: it is known that there is no repository. */
  readonly hasRepository?: boolean;
  /** Absent: nobody knows the repository. */
  readonly readBranches?: Context["readBranches"];
  /** Absent: as the dialects have it. */
  readonly claims?: ClaimsRule;
  readonly scope?: ScopeRule;
  readonly shared?: readonly string[];
  /** Absent: no check runs without the owner's answer. */
  readonly checks?: TeamChecks;
  /** Absent: work lands by the owner's word alone. */
  readonly land?: TeamLanding;
  /** Absent: none is known. */
  readonly repository?: Context["repository"];
  /** Message types of the team's own. */
  readonly messages?: readonly OwnMessage[];
  /** Absent: one that stops until the test moves it. */
  readonly clock?: Clock;
  /** Absent: a journal in memory. */
  readonly journal?: Journal<TeamState>;
}

/** An agent's handle whose `send` takes receivers as text. */
export type TestHandle = Omit<LocalTeam, "send"> & {
  send(
    text: string | Uint8Array,
    options?: Omit<SendOptions, "to"> & { readonly to?: readonly string[] },
  ): Promise<Reply>;
};

export interface TestTeam extends AsyncDisposable {
  readonly context: Context;
  /** `program`: the handle of a program that stays and speaks for the agent. */
  as(agent: string, program?: string): TestHandle;
  openApprovals(): Promise<readonly unknown[]>;
}

/** Opens a team with these agents. */
export async function testTeam(options: TestTeamOptions): Promise<TestTeam> {
  const clock = options.clock ?? manualClock();
  const journal = options.journal ?? openMemoryJournal(teamProjection, { clock });
  const team = teamName("greeters");
  invariant(team !== null, "the fixture's name is a team's name");
  const {
    agents,
    dialects = ["vbw/2"],
    policy = "enforce",
    limits = {},
    messages,
    teamMode,
    brokenJson,
    hasRepository,
    readBranches,
    claims,
    scope,
    shared,
    checks,
    land,
    repository,
  } = options;
  const context: Context = {
    journal,
    team,
    clock,
    dialectOf,
    dialects: builtIn,
    ...(hasRepository === undefined ? {} : { hasRepository }),
    ...(readBranches === undefined ? {} : { readBranches }),
    ...(repository === undefined ? {} : { repository }),
  };
  const revised = await reviseTeam(context, {
    name: team,
    dialects,
    policy,
    agents,
    routing: [],
    limits,
    ...(messages === undefined ? {} : { messages }),
    ...(teamMode === undefined ? {} : { teamMode }),
    ...(brokenJson === undefined ? {} : { brokenJson }),
    ...(claims === undefined ? {} : { claims }),
    ...(scope === undefined ? {} : { scope }),
    ...(shared === undefined ? {} : { shared }),
    ...(checks === undefined ? {} : { checks }),
    ...(land === undefined ? {} : { land }),
  });
  invariant(revised.ok, "the fixture's definition is recorded");
  const as = (agent: string, program?: string): TestHandle => {
    const speaks = program === undefined ? {} : { program };
    const handle = teamHandle(context, { agent, via: "launcher", ...speaks }, () => Promise.resolve());
    return {
      ...handle,
      send: (text, { to, ...rest } = {}) =>
        handle.send(text, to === undefined ? rest : { ...rest, to: to.map(address) }),
    };
  };
  return {
    context,
    as,
    openApprovals: async () => {
      const open = await as("owner").approvals();
      invariant(open.ok, "approvals of a journal in memory can be read");
      return open.value;
    },
    [Symbol.asyncDispose]: () => journal.close(),
  };
}

function address(text: string) {
  const read = readAddress(text);
  invariant(read.ok, `the test names a receiver: ${text}`);
  return read.value;
}
