/** Which journal and which team a command means: from `--journal`, `--team` and the nearest `.baton/`. */
import { dirname, join, resolve } from "node:path";
import { type Problem, problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { TeamFileText } from "../../runtime/team-files.ts";
import { usageProblem } from "./arguments.ts";
import type { Call } from "./command.ts";
import { readTeamTexts } from "./team-files.ts";
import { findWorkspace, linkedWorkspace, workspaceAbove } from "./workspace.ts";

export interface Place {
  /** The journal's database file; it need not exist yet. */
  readonly journal: string;
  /** The team file beside it, when there is one, with the team's own message types. */
  readonly teamFile: TeamFileText | null;
}

/** The place that the call means. Refuses with `wrong-usage` a journal of no known kind, with `not-initialised` none. */
export function placeOf(call: Pick<Call, "given" | "config">): Result<Place, Problem> {
  const journal = journalOf(call);
  if (!journal.ok) return journal;
  const teamFile = readTeamTexts(join(dirname(journal.value), "team.yaml"));
  return teamFile.ok ? ok({ journal: journal.value, teamFile: teamFile.value }) : teamFile;
}

function journalOf(call: Pick<Call, "given" | "config">): Result<string, Problem> {
  const url = call.given.text("journal");
  if (url !== undefined) return journalPath(url, call.config.directory);
  const workspace = findWorkspace(call.config.directory);
  if (workspace !== null) return ok(workspace.journal);
  const above = workspaceAbove(call.config.directory);
  const link = linkedWorkspace(call.config.directory);
  if (link !== null && above === null)
    return err(
      problem(
        "not-initialised",
        link,
        "This .baton is a link, and a commit could lead it anywhere: it is not followed.",
        {
          hint: "make it a folder of this project, or name a journal with --journal sqlite:PATH",
        },
      ),
    );
  const where = "run `baton init` in the root of your repository, or name a journal with --journal sqlite:";
  return err(
    problem(
      "not-initialised",
      call.config.directory,
      above === null
        ? "There is no .baton/ here or in any directory above."
        : `There is no .baton/ in this repository; the one in ${above.root} is another team's.`,
      { hint: `${where}${above?.journal ?? "PATH"}` },
    ),
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
