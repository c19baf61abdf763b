/** Which journal and which team a command means: from `--journal`, `--team` and the nearest `.baton/`. */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { usageProblem } from "./arguments.ts";
import type { Call } from "./command.ts";
import { findWorkspace } from "./workspace.ts";

export interface Place {
  /** The journal's database file; it need not exist yet. */
  readonly journal: string;
  /** The team file beside it, when there is one. */
  readonly teamFile: { readonly path: string; readonly text: string } | null;
}

/** The place that the call means. Refuses with `wrong-usage` a journal of no known kind, with `not-initialised` none. */
export function placeOf(call: Call): Result<Place, Problem> {
  const journal = journalOf(call);
  if (!journal.ok) return journal;
  const teamFile = readTeamText(join(dirname(journal.value), "team.yaml"));
  return teamFile.ok ? ok({ journal: journal.value, teamFile: teamFile.value }) : teamFile;
}

/** The text of a team file, or null where there is none. Refuses with `team-file` one that cannot be read. */
export function readTeamText(path: string): Result<Place["teamFile"], Problem> {
  try {
    return ok({ path, text: readFileSync(path, "utf8") });
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
    if (reason === "ENOENT" || reason === "ENOTDIR") return ok(null);
    return err(
      problem("team-file", path, `The team file cannot be read (${reason}).`, {
        hint: "it must be a file that you may read",
      }),
    );
  }
}

function journalOf(call: Call): Result<string, Problem> {
  const url = call.given.text("journal");
  if (url !== undefined) return journalPath(url, call.config.directory);
  const workspace = findWorkspace(call.config.directory);
  if (workspace !== null) return ok(workspace.journal);
  return err(
    problem("not-initialised", call.config.directory, "There is no .baton/ here or in any directory above.", {
      hint: "run `baton init` in the root of your repository, or name a journal with --journal sqlite:PATH",
    }),
  );
}

function journalPath(url: string, directory: string): Result<string, Problem> {
  const [, scheme = "", rest = ""] = /^([a-z]+):(.*)$/s.exec(url) ?? [];
  if (scheme === "sqlite" && rest !== "") return ok(resolve(directory, rest.replace(/^\/\/(?=\/)/, "")));
  if (scheme === "nats") {
    return err(usageProblem("--journal", "Journals on NATS are not in this build.", "use --journal sqlite:PATH", url));
  }
  return err(
    usageProblem(
      "--journal",
      "This is not the URL of a journal.",
      `write --journal sqlite:${scheme === "" ? url : "PATH"}`,
      url,
    ),
  );
}
