/**
 * An agent that falls silent: its process group is stopped by SIGSTOP, as a program is that hangs, and goes on by
 * SIGCONT. A separate small process sends both. Stopped processes do not see that the demo is gone, and would stay for
 * ever; that one sees it by the end of its input, lets them go on, and so they see it too and end.
 */
import { type Child, type Environment, startChild } from "./programs.ts";

/**
 * How fast the demo is played, and how soon the agent that falls silent is found out. The limit is the team's and so
 * applies to every agent whose program sends heartbeats; why none of the others reaches it is in decision 0130.
 */
export interface Tempo {
  /** Pause of an agent before each step, for people who watch, in milliseconds. */
  readonly paceMs: number;
  /** How late an expected heartbeat may be, in seconds. */
  readonly disappearSeconds: number;
}

/** Windows knows no signal that stops a process; there nobody falls silent, and the scene is left out. */
export const canSilence = process.platform !== "win32";

/** A group that is stopped. */
export interface Silence {
  /** Lets it continue; resolves once the signal was sent. */
  end(): Promise<void>;
}

export interface SilenceOptions {
  readonly directory: string;
  readonly environment: Environment;
  /** Called with the process that stops the group, which must be ended with everything else. */
  enter(child: Child): void;
}

/** Every POSIX system has this shell, and its own `kill` takes the number of a group. */
const shell = "/bin/sh";
const script = 'kill -s STOP -- "-$1" || exit; echo stopped; read -r word; kill -s CONT -- "-$1"';

/** Stops the group that `leader` leads; null: it has ended, or there is no such signal. */
export async function silenceGroup(leader: Child, options: SilenceOptions): Promise<Silence | null> {
  if (!canSilence || leader.pid === null) return null;
  const { directory, environment, enter } = options;
  const stopped = Promise.withResolvers<boolean>();
  const keeper = startChild({
    words: [shell, "-c", script, shell, String(leader.pid)],
    directory,
    environment,
    onLine: () => stopped.resolve(true),
  });
  enter(keeper);
  void keeper.ended.then(() => stopped.resolve(false));
  if (!(await stopped.promise)) return null;
  return {
    end: async () => {
      keeper.write("go on");
      await keeper.ended;
    },
  };
}

/** As it is watched, and as it is when nobody waits for it. */
export const tempos = {
  watched: { paceMs: 2_800, disappearSeconds: 8 },
  fast: { paceMs: 0, disappearSeconds: 4 },
} as const satisfies Readonly<Record<string, Tempo>>;
