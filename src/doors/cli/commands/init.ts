/** `baton init`: the team's definition, and what git should ignore beside it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { teamName } from "../../../base/ids.ts";
import { problem } from "../../../base/problem.ts";
import { nearest } from "../../../base/text.ts";
import { dialectIds } from "../../../dialects/registry.ts";
import type { DialectId } from "../../../message/message.ts";
import { teamTemplate } from "../../../team/template.ts";
import { usageProblem } from "../arguments.ts";
import type { Call, Command } from "../command.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";
import { findUpwards, mainWorktree, type Workspace, workspaceAt } from "../workspace.ts";

const ignored = `# The journal and everything else here is local to this machine;
# the team's definition and its own message definitions belong to the repository.
*
!.gitignore
!team.yaml
!messages/
!messages/**
`;

export const command: Command = {
  description:
    "Writes .baton/team.yaml, commented, and .baton/.gitignore. In a linked git worktree they go into the main worktree,\n" +
    "so that all worktrees share one journal. On a terminal it asks; with --yes, or without a terminal, it does not.",
  options: [
    {
      name: "dialect",
      kind: "text",
      value: "DIALECT",
      repeatable: true,
      summary: "the team's dialects, the first is the default",
    },
    { name: "yes", kind: "flag", short: "y", summary: "ask nothing" },
    { name: "force", kind: "flag", summary: "write over an existing team.yaml" },
  ],
  examples: [
    { line: "baton init --dialect vbw/2 --yes", meaning: "a team that speaks vbw/2, no questions" },
    { line: "baton init --team web", meaning: "a team called web" },
  ],
  next: "Edit .baton/team.yaml or run baton agent register dev-1 --role dev; then baton send.",
  run: async (call) => {
    const place = workspaceAt(rootFor(call.config.directory));
    if (existsSync(place.teamFile) && !call.given.flag("force")) {
      return call.output.fail(
        problem("already-exists", place.teamFile, "This team is initialised already; nothing was changed.", {
          hint: "edit the file, or write a new one over it with --force",
        }),
      );
    }
    const dialects = call.given.texts("dialect");
    const unknown = dialects.find((dialect) => !isDialect(dialect));
    if (unknown !== undefined) return call.output.fail(unknownDialect(unknown));
    const name = call.given.text("team") ?? nameFrom(place.root);
    if (teamName(name) === null) {
      return call.output.fail(
        usageProblem("--team", "A team's name is 1 to 64 of a-z, 0-9 and -.", "write --team web", name),
      );
    }
    const wanted = { name, dialects: dialects.filter(isDialect) };
    const asks = call.config.interactive && !call.given.flag("yes") && !call.output.json;
    const answers = asks ? await (await import("../init-questions.ts")).askInit(wanted) : wanted;
    if (answers === null) return exitCodes.interrupted;
    return write(call, place, answers);
  },
};

function write(
  call: Call,
  place: Workspace,
  wanted: { readonly name: string; readonly dialects: readonly DialectId[] },
): ExitCode {
  const [first = "vbw/2", ...others] = wanted.dialects;
  try {
    mkdirSync(join(place.directory, "messages"), { recursive: true });
    writeFileSync(place.teamFile, teamTemplate({ name: wanted.name, dialects: [first, ...others] }));
    writeFileSync(join(place.directory, ".gitignore"), ignored);
  } catch (cause) {
    return call.output.fail(cannotWrite(place.directory, cause));
  }
  call.output.result(
    { team: wanted.name, dialects: [first, ...others], directory: place.directory, teamFile: place.teamFile },
    () => {
      const shown = relative(call.config.directory, place.teamFile) || place.teamFile;
      return `Wrote ${shown} for team ${wanted.name} (${[first, ...others].join(", ")}).`;
    },
  );
  call.output.say("Next: baton agent register dev-1 --role dev, then baton status.");
  return exitCodes.done;
}

function cannotWrite(directory: string, cause: unknown) {
  const reason = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  return problem("journal-cannot-open", directory, `The team's directory cannot be written (${reason}).`, {
    hint: "run baton init where you may write, or free the place of what stands there",
  });
}

/** Where `.baton/` belongs: here, or at the same place of the main worktree. */
function rootFor(directory: string): string {
  const tree = findUpwards(directory, ".git", existsSync);
  const main = tree === null ? null : mainWorktree(tree);
  return tree === null || main === null ? directory : join(main, relative(tree, directory));
}

function nameFrom(root: string): string {
  const name = basename(root)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .slice(0, 64)
    .replaceAll(/^-+|-+$/g, "");
  return name === "" ? "team" : name;
}

function isDialect(word: string): word is DialectId {
  return (dialectIds as readonly string[]).includes(word);
}

function unknownDialect(word: string) {
  const near = nearest(word, dialectIds);
  return problem("unknown-dialect", "--dialect", `There is no dialect "${word}" in this build.`, {
    expected: dialectIds.join(" | "),
    received: word,
    hint: near === null ? `one of: ${dialectIds.join(", ")}` : `did you mean "${near}"?`,
  });
}
