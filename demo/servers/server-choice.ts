/**
 * The server in which the demo's journal is, with `--engine` or `--journal`: one that runs already, or one that the demo
 * starts, kills in the middle and ends. What its help says of engines is here, too.
 */
import { type Problem, problem } from "../../src/base/problem.ts";
import { err, ok, type Result } from "../../src/base/result.ts";
import type { Command } from "../../src/doors/cli/kernel/command.ts";
import { isServerAddress, serverForms, shownAddress } from "../../src/journal/engines.ts";
import { openTeamJournal } from "../../src/runtime/open.ts";
import { type Engine, type EngineServer, engines, type ServerOptions } from "./engine-server.ts";

/** What the command's help says about it. */
export const serverHelp = {
  description:
    "With --engine the journal is in a server that the demo starts (PostgreSQL, or three NATS servers) and two hubs share it.\n" +
    "In the middle one hub and the server, of NATS the one that leads, are killed with kill -9, and everybody goes on.",
  options: [
    {
      name: "engine",
      kind: "text",
      value: "ENGINE",
      choices: engines,
      summary: "two hubs and a journal in PostgreSQL or NATS JetStream; one hub and one server are killed",
    },
    {
      name: "journal",
      kind: "text",
      value: "URL",
      summary: `two hubs and this journal, without entries, in a server that runs (${serverForms}) and is not killed`,
    },
  ],
  example: {
    line: "baton demo --engine nats",
    meaning: "two hubs on three NATS servers; needs nats-server on the PATH",
  },
} as const satisfies Pick<Command, "description" | "options"> & { readonly example: Command["examples"][number] };

/** What the options ask for; null: the demo's journal is a file. Refuses with `wrong-usage` what does not fit together. */
export function readServerWish(
  engine: string | undefined,
  journal: string | undefined,
): Result<{ readonly engine: Engine; readonly journal: string | null } | null, Problem> {
  const asked = engines.find((each) => each === engine) ?? null;
  if (journal === undefined) return ok(asked === null ? null : { engine: asked, journal: null });
  const named = isServerAddress(journal) ? (journal.startsWith("nats:") ? "nats" : "postgres") : null;
  if (named !== null && (asked ?? named) === named) return ok({ engine: named, journal });
  const received = shownAddress(journal).slice(0, 80);
  const hint = "leave --journal out for a demo in a scratch folder, or --engine out where --journal names a server";
  return err(
    problem("wrong-usage", "--journal", "This is not the URL of a journal of this engine.", {
      received,
      expected: serverForms,
      hint,
    }),
  );
}

/**
 * A server for the demo's journal. Refuses what the start of each engine's server refuses, and for `journal` what opening
 * does.
 */
export async function serverFor(
  options: ServerOptions,
  journal: string | null,
): Promise<Result<EngineServer, readonly Problem[]>> {
  if (journal !== null) return await foundServer(journal);
  if (process.platform === "win32") return err([notHere(options.engine)]);
  if (options.engine === "postgres") {
    const { startPostgres } = await import("./postgres-server.ts");
    return await startPostgres(options);
  }
  const { startNats } = await import("./nats-cluster.ts");
  return await startNats(options);
}

function notHere(engine: Engine): Problem {
  return problem("journal-cannot-open", engine, "The demo starts no servers on Windows.", {
    hint: "Name a journal in a server that runs: --journal URL.",
  });
}

/** A server of the caller's: only a journal without entries is used, because the demo's stay in it. */
async function foundServer(url: string): Promise<Result<EngineServer, readonly Problem[]>> {
  const opened = await openTeamJournal(url);
  if (!opened.ok) return err([opened.error]);
  await using journal = opened.value;
  const teams = await journal.teams();
  if (!teams.ok) return err([teams.error]);
  const shown = shownAddress(url);
  if (teams.value.length === 0) return ok({ url, shown, strike: null, end: () => Promise.resolve() });
  const hint = "name a new one: ?schema=NAME at the end of a postgres URL, another NAME in nats://HOST/NAME";
  return err([problem("already-exists", shown, "This journal has entries, and the demo would add to them.", { hint })]);
}
