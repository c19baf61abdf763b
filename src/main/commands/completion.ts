/** `baton completion`: the script by which a shell completes `baton`, and what the script asks. */
import type { Catalogue } from "../../doors/cli/kernel/catalogue.ts";
import type { Call, Command } from "../../doors/cli/kernel/command.ts";
import { behindBreak, candidatesFor, joinedWords } from "../../doors/cli/kernel/completion.ts";
import { chosen } from "../../doors/cli/kernel/time-argument.ts";
import { type ExitCode, exitCodes } from "../../doors/cli/terminal/exit-codes.ts";

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

/** Shells that there is a script for. */
export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** How each takes the script: for this session, for good, and away again. */
export const installations: { readonly [shell in Shell]: { readonly install: string; readonly remove: string } } = {
  bash: {
    install: `eval "$(baton completion bash)", in ~/.bashrc to have it always`,
    remove: "complete -r baton, and take the line out of ~/.bashrc",
  },
  zsh: {
    install: `eval "$(baton completion zsh)", in ~/.zshrc to have it always`,
    remove: "compdef -d baton, and take the line out of ~/.zshrc",
  },
  fish: {
    install: "baton completion fish > ~/.config/fish/completions/baton.fish",
    remove: "rm ~/.config/fish/completions/baton.fish",
  },
};

/** The script of each. */
export const scripts: { readonly [shell in Shell]: string } = {
  // No mapfile: macOS has a bash that does not know it yet.
  bash: `_baton() {
  local word
  COMPREPLY=()
  while IFS= read -r -t 10 word; do
    COMPREPLY+=("$word")
  done < <("$1" completion bash -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
}
complete -o bashdefault -o default -F _baton baton`,
  zsh: `#compdef baton
_baton() {
  local line word
  local -a words_found shown
  while IFS= read -r -t 10 line; do
    word="\${line%%$'\\t'*}"
    words_found+=("$word")
    shown+=("\${word}\${\${line#"$word"}/$'\\t'/  }")
  done < <("\${words[1]}" completion zsh -- "\${(@)words[2,CURRENT]}" 2>/dev/null </dev/null)
  if (( \${#words_found} )); then
    compadd -l -d shown -a words_found
  else
    _files
  fi
}
(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
compdef _baton baton`,
  fish: `function __baton_complete
  set -l line (commandline -opc)
  set -l current (commandline -ct)
  test -n "$current"; or set current ""
  set -l found ($line[1] completion fish -- $line[2..] "$current" 2>/dev/null </dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path "$current"
  end
end
complete -c baton -e
complete -c baton -f -a '(__baton_complete)'`,
};
