/** `baton completion`: the script by which a shell completes `baton`, and what the script asks. */
import type { Catalogue } from "../../doors/cli/kernel/catalogue.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { behindBreak, candidatesFor, joinedWords } from "../../doors/cli/kernel/completion.ts";
import { installations, type Shell, scripts, shells } from "../../doors/cli/kernel/completion-scripts.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/kernel/exit-codes.ts";
import { chosen } from "../../doors/cli/kernel/time-argument.ts";

/** So long a hub may take, in milliseconds: the person who pressed the key is waiting. */
const hubMsMax = 1_000;

/** The command, which completes the commands of `catalogue`. */
export function completionCommand(catalogue: Catalogue): Command {
  return {
    description: [
      "Prints a script; the shell that reads it completes commands, options and their values, and the team's agents, tasks,",
      "plans and what waits for an answer, as the journal of this machine has them, or the hub that the line or the",
      "surroundings name, where it answers within a second. To have it, and to be rid of it:",
      ...shells.flatMap((shell) => [
        `  ${shell.padEnd(5)} ${installations[shell].install}`,
        `        ${installations[shell].remove}`,
      ]),
      "With the words of a line after -- it prints what may replace the last of them, as the script requests.",
    ].join("\n"),
    isLocal: true,
    globals: [],
    positionals: [
      { name: "SHELL", required: true, choices: shells, summary: "which shell reads it" },
      { name: "WORD", repeatable: true, summary: "after --: the words of a line behind baton, up to the cursor" },
    ],
    examples: [
      { line: "baton completion bash", meaning: "the script that bash takes with the line above" },
      { line: "baton completion bash -- log --vi", meaning: "what --vi may become" },
    ],
    next: "Type baton and a blank, and press the Tab key twice.",
    run: async (call) => {
      const shell = chosen(call.given.word("SHELL") ?? "", shells);
      const words = call.given.words("WORD");
      if (words.length > 0) return await complete(call, catalogue, shell, words);
      call.output.result({ shell, script: scripts[shell] }, () => scripts[shell]);
      return exitCodes.done;
    },
  };
}

async function complete(call: Call, catalogue: Catalogue, shell: Shell, words: readonly string[]): Promise<ExitCode> {
  const typed = shell === "bash" ? joinedWords(words) : words;
  for (const candidate of await candidatesFor(catalogue, typed, { ...call, hubMsMax })) {
    const { word, summary } = candidate;
    call.output.result(candidate, () => {
      if (shell === "bash") return behindBreak(word, typed.at(-1) ?? "");
      return summary === null ? word : `${word}\t${summary}`;
    });
  }
  return exitCodes.done;
}
