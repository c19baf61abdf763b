/**
 * What Baton's hooks add in the real agent programs: from the answer of a scripted model, which runs a shell command, to
 * the program's next request. Two sessions of one program take turns in one run, one with Baton's hooks and one without.
 */
import type { HookProgram } from "../src/message/program-hooks.ts";
import { needs } from "../tests/programs/installed.ts";
import { shellOf } from "../tests/programs/tools.ts";
import type { Measure } from "./measure.ts";

const rounds = 50;
/** Before the command and after it. */
const hooks = 2;
/** The first turns load what the program loads once. */
const warm = 5;

/** The measures of the programs that are installed here. */
export const programMeasures: readonly Measure[] = (["claude-code", "codex"] as const)
  .filter((program) => needs(program).skip === false)
  .map((program) => ({
    name: `A hook in ${program}, of the two of a shell command`,
    subject: "what it adds between the model's answer and its next request",
    yardstick: "ten milliseconds",
    target: { of: "time", atMost: 1 },
    rounds,
    open: async () => {
      const without = median(await times(program, false));
      const added = (await times(program, true)).map((each) => (each - without) / hooks);
      return { yardstick: () => 10, subject: () => added.pop() ?? Number.NaN };
    },
  }));

/** How long each turn of a session took that runs one shell command after another. */
async function times(program: HookProgram, isInstalled: boolean): Promise<number[]> {
  // Loaded where it is needed: the parts of tests start a test runner.
  const { makeProject } = await import("../tests/programs/project.ts");
  const { runSession } = await import("../tests/programs/session.ts");
  using project = isInstalled ? makeProject(program) : makeProject();
  const { turns, stderr } = await runSession(project, program, {
    agent: "dev-1",
    words: program === "claude-code" ? ["--allowedTools", "Bash"] : [],
    script: ({ number }) => (number < warm + rounds + 2 ? [shellOf(program, "true")] : "Done."),
  });
  if (turns.length < warm + rounds + 2) throw new Error(`the session ended early: ${stderr}`);
  return turns.slice(1).flatMap(({ atMs }, index) => (index < warm ? [] : [atMs - (turns[index]?.atMs ?? 0)]));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
