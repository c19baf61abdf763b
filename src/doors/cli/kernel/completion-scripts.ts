/**
 * The scripts that a shell reads once so that it completes `baton`. They know no command and no option: they ask the
 * command itself what may follow (`completion.ts`), and never run or expand what it answers. Where it answers nothing, the
 * shell completes names of files. The command bounds its own waiting; bash and zsh give up besides where it cannot, as
 * while the system looks up the name of a hub.
 */

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
