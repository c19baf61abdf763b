/** `baton verifier`: judges what a team reports next to a clone on this machine, under its own name. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { visible } from "../../base/text.ts";
import { usageProblem } from "../../doors/cli/kernel/arguments.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { hubOf } from "../../doors/cli/place/hub-address.ts";
import { openLocal, warnOf } from "../../doors/cli/place/session.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";
import { toned } from "../../doors/cli/terminal/output.ts";
import { type RemoteBranches, remoteBranches } from "../../evidence/git/remote-branches.ts";
import { isServerAddress } from "../../journal/engines.ts";
import { isVerifier } from "../../messages/principal.ts";
import type { Team } from "../../perform/team.ts";
import { lookForPlace, ownState } from "../../perform/workspace/place.ts";
import { judgeRound, type VerifierFinding, type Verifying, verifyOn } from "../verifier.ts";

/** Between two looks for new reports, and at everything, as branches move. */
const lookSeconds = 5;
const lookAgainMs = 60_000;
const fetchSeconds = 120;

export const command: Command = {
  endsByInterrupt: true,
  globals: ["team", "journal", "hub", "token"],
  description:
    "Judges what agents report as done, by the branches of the remote of the clone in this folder, and records what it finds\n" +
    "as `verifier:NAME`. For hubs that have no clone, or another one. BATON_TOKEN holds the token that the owner created by\n" +
    "`baton token create verifier:NAME`; with it a program looks and judges, and does nothing else. Revoking it ends the verifier.\n" +
    "\n" +
    "It fetches into a repository of its own in ~/.local/state/baton (XDG_STATE_HOME), and changes nothing else. It runs no hook and no\n" +
    "program that the clone's configuration names, and asks nothing: the fetch must work with your own git configuration. A commit\n" +
    "that is on no branch of the remote is undecided until it is pushed. A team has one verifier; what others see is not recorded.",
  options: [
    { name: "remote", kind: "text", value: "NAME", summary: "the clone's remote (default: origin)" },
    { name: "repository", kind: "text", value: "DIR", summary: "a folder of the clone (default: this one)" },
    {
      name: "once",
      kind: "flag",
      summary: "judge everything once, and end with what was found (2: disputed, 5: undecided)",
    },
    {
      name: "every",
      kind: "seconds",
      value: "S",
      summary: `seconds between two looks for new reports (default: ${lookSeconds})`,
    },
    {
      name: "fetch-seconds",
      kind: "seconds",
      value: "S",
      summary: `the longest time of one fetch (default: ${fetchSeconds})`,
    },
  ],
  examples: [
    {
      line: "baton verifier --hub https://baton.example.com:4778",
      meaning: "follow the team, with the token in BATON_TOKEN",
    },
    { line: "baton verifier --once --json", meaning: "a line of JSON for each report, and an end" },
  ],
  next: "baton task list shows the verdicts, and what the verifier cannot see.",
  run: async (call) => {
    const { output, given, config } = call;
    const directory = resolve(config.directory, given.text("repository") ?? ".");
    const own = ownState(config.environment());
    if (own === null)
      return output.fail(usageProblem("HOME", "What is fetched is kept in your home, and none is named.", homeHint));
    const branches = await remoteBranches(directory, {
      folder: join(own, "verifier"),
      remote: given.text("remote") ?? "origin",
      environment: config.environment(),
      fetchMsMax: (given.number("fetch-seconds") ?? fetchSeconds) * 1000,
    });
    if (!branches.ok) return output.fail(branches.error);
    const opened = await openAsVerifier(call);
    if (!opened.ok) return output.fail(opened.error);
    await using team = opened.value;
    warnOf(call, team.condition());
    return await run(call, team, branches.value);
  },
};

async function run(call: Call, team: Team, branches: RemoteBranches): Promise<ExitCode> {
  const { output, given, signal } = call;
  const verifying: Verifying = {
    team,
    branches,
    signal,
    lookMs: (given.number("every") ?? lookSeconds) * 1000,
    lookAgainMs,
    tell: (found, seq) => {
      if (seq !== null || given.flag("once")) tell(call, found, seq);
    },
    hinder: (problem) => (problem === null ? output.say("It can look again.") : output.problems([problem])),
  };
  if (given.flag("once")) {
    const round = await judgeRound(verifying, { all: true });
    return round.ok ? codeOf(round.value.found) : output.fail(round.error);
  }
  output.say(`${visible(team.actor.agent)} judges by ${visible(branches.shownUrl)}. Ctrl-C ends it.`);
  const ended = await verifyOn(verifying);
  return ended === null ? exitCodes.done : output.fail(ended);
}

/** The team, as the verifier that the token proves. Refuses other tokens, and none. */
async function openAsVerifier(call: Call): Promise<Result<Team & AsyncDisposable, Problem | readonly Problem[]>> {
  const { config } = call;
  const hub = hubOf(call);
  if (hub !== null) {
    const connected = await call.connectHub({ ...hub, agent: null });
    const opened = connected.ok ? connected.value.team() : connected;
    return opened.ok ? verifierOnly(opened.value) : opened;
  }
  if (config.token === null) return err(usageProblem("BATON_TOKEN", "A verifier acts by its own token.", tokenHint));
  const missing = missingJournal(call);
  if (missing !== null) return err(missing);
  const opened = await openLocal(call, null, { token: config.token });
  return opened.ok ? verifierOnly(opened.value) : opened;
}

/** Why no journal is here: a verifier begins none, as no token would be known there. Null: there is one. */
function missingJournal(call: Call): Problem | null {
  const place = lookForPlace(call);
  if (!place.ok) return place.error;
  const { address, journal, shown } = place.value;
  if (isServerAddress(address) || existsSync(journal)) return null;
  return makeProblem("journal-missing", shown, "No hub is named, and there is no journal here.", {
    hint: "Name the hub of the team: set BATON_HUB, or add --hub URL. Without a hub: add --journal URL.",
  });
}

const homeHint = "set HOME or XDG_STATE_HOME to a folder of yours";
const tokenHint = "the owner creates one: `baton token create verifier:NAME`; put it into BATON_TOKEN";

async function verifierOnly<Opened extends Team & AsyncDisposable>(team: Opened): Promise<Result<Opened, Problem>> {
  const { agent } = team.actor;
  if (isVerifier(agent)) return ok(team);
  await team[Symbol.asyncDispose]();
  return err(
    makeProblem("sender-not-authorised", agent, `This is the token of ${agent}, which is no verifier.`, {
      expected: "the token of a verifier",
      received: agent,
      hint: tokenHint,
    }),
  );
}

function tell({ output }: Call, found: VerifierFinding, seq: number | null): void {
  const { task, plan = null, report, state, commit, commits, problems, notes } = found;
  const shown = { task, plan, report, state, commit, commits, problems, notes, recorded: seq };
  output.result(shown, () => {
    const tones = { verified: "good", disputed: "bad", gone: "warn", undecided: "faint" } as const;
    const word = toned(output.paint.stdout, tones, state, state.padEnd("undecided".length));
    const where = seq === null ? "as before" : `entry ${seq}`;
    return `${word}  ${visible(task)}  ${commit?.slice(0, 12) ?? "-"}  ${where}`;
  });
  output.problems(problems);
  output.notes(notes);
}

function codeOf(found: readonly VerifierFinding[]): ExitCode {
  if (found.some(({ state }) => state === "disputed" || state === "gone")) return exitCodes.refused;
  return found.some(({ state }) => state === "undecided") ? exitCodes.undecided : exitCodes.done;
}
