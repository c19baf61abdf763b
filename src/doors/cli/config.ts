/**
 * The only reader of the environment. Whatever a command knows of its surroundings beside its arguments comes from
 * here as a value, so nothing further down depends on the machine it happens to run on.
 */

/** What the surroundings say. */
export interface Config {
  /** The working directory, absolute. */
  readonly directory: string;
  /** Whether results, and words for people, may be coloured (no-color.org; never for a dumb terminal). */
  readonly colour: { readonly stdout: boolean; readonly stderr: boolean };
  /** Whether a person can be asked: both ends are terminals. */
  readonly interactive: boolean;
  /** `VBW_PLANNING_DIR`: where today's scripts keep their planning directory; null where it is not set. */
  readonly planningDirectory: string | null;
}

/** Reads the surroundings of this process. An empty variable counts as not set. */
export function readConfig(): Config {
  const { env, stdin, stdout, stderr } = process;
  const plain = Boolean(env.NO_COLOR) || env.TERM === "dumb";
  return {
    directory: process.cwd(),
    colour: { stdout: !plain && stdout.isTTY === true, stderr: !plain && stderr.isTTY === true },
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    planningDirectory: env.VBW_PLANNING_DIR || null,
  };
}
