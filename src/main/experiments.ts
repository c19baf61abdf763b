/** Keeps quiet what Node calls an experiment: Node 22 does so of its database, at each command. */
export function silenceExperiments(): void {
  const emit = process.emitWarning.bind(process) as (...words: readonly unknown[]) => void;
  process.emitWarning = (...words: readonly unknown[]) => {
    if (words[1] !== "ExperimentalWarning") emit(...words);
  };
}
