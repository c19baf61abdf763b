/** What `baton start` starts: the hub in the background, the browser, and tmux with the agents in it; and notifications. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { invariant } from "../../base/invariant.ts";
import { makeProblem, type Problem } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { shellLine } from "../../doors/cli/kernel/next-command.ts";
import { type TmuxTeam, tmuxSession, tmuxSocket, tmuxWindows } from "../../doors/cli/place/team-tmux.ts";
import { batonWords } from "../../perform/workspace/package-root.ts";
import { programOnPath } from "../../perform/workspace/program-path.ts";

type Environment = Readonly<Record<string, string>>;

/** A hub that was started, and may answer soon. */
export interface SpawnedHub {
  readonly pid: number | undefined;
  hasEnded(): boolean;
}

/** Starts the hub of the team at `root` in the background; what it says goes into the file `log`, which begins anew. */
export function spawnHub(hub: {
  readonly environment: Environment;
  readonly root: string;
  readonly log: string;
  readonly port: number;
}): SpawnedHub {
  // The hub is the person's own, and outlives the npm that this command may run below.
  const { BATON_AGENT: _a, BATON_HUB: _h, BATON_TOKEN: _t, npm_lifecycle_event: _n, ...env } = hub.environment;
  const [node, ...words] = batonWords();
  invariant(node !== undefined, "Baton starts with a word");
  const output = openSync(hub.log, "w", 0o600);
  const child = spawn(node, [...words, "up", "--port", String(hub.port)], {
    cwd: hub.root,
    env,
    detached: true,
    stdio: ["ignore", "ignore", output],
  });
  closeSync(output);
  let hasEnded = false;
  const over = () => {
    hasEnded = true;
  };
  child.once("error", over).once("exit", over);
  child.unref();
  return { pid: child.pid, hasEnded: () => hasEnded };
}

/** Opens the page in the person's browser, where this machine has a screen. */
export function openPage(environment: Environment, url: string): void {
  const hasScreen =
    process.platform === "darwin" || Boolean(environment.DISPLAY) || Boolean(environment.WAYLAND_DISPLAY);
  const opener = programOnPath([process.platform === "darwin" ? "open" : "xdg-open"], environment.PATH ?? "");
  if (!hasScreen || opener === null) return;
  const child = spawn(opener, [url], { detached: true, stdio: "ignore", env: environment });
  // The link is printed, too.
  child.on("error", () => undefined);
  child.unref();
}

/** A server of tmux that is the team's alone. */
export interface TmuxServer {
  readonly socket: string;
  readonly session: string;
  /** The line that shows it. */
  readonly attach: string;
}

/** What runs in it. */
interface TmuxAsked extends TmuxTeam {
  readonly root: string;
  readonly agents: readonly string[];
}

/** The line that ends the team's tmux with all that runs in it; null: there is none. */
export function tmuxEnd(team: TmuxTeam): string | null {
  return tmuxWindows(team).length > 0 ? `tmux -L ${tmuxSocket(team)} kill-session -t ${tmuxSession}` : null;
}

/** Starts the agents' programs, a window each; one whose program has ended starts again. Refuses `not-found`: no tmux. */
export function startInTmux({ environment, root, state, team, agents }: TmuxAsked): Result<TmuxServer, Problem> {
  const tmux = programOnPath(["tmux"], environment.PATH ?? "");
  if (tmux === null)
    return err(
      makeProblem("not-found", "tmux", "There is no tmux on the PATH.", {
        hint: "Install it, or start each agent in a terminal of its own.",
      }),
    );
  const socket = tmuxSocket({ team, state });
  const ask = (...words: readonly string[]) =>
    spawnSync(tmux, ["-L", socket, ...words], { cwd: root, env: environment, encoding: "utf8" });
  for (const agent of agents) {
    const line = shellLine([...batonWords(), "run", agent]);
    if (line === null) continue;
    const windows = ask("list-panes", "-s", "-t", tmuxSession, "-F", "#{pane_dead} #{window_name}");
    const place = ["-n", agent, "-c", root, line];
    const isThere = windows.status === 0 && windows.stdout.split("\n").some((each) => each.slice(2) === agent);
    // What the program said at its end stays to be read.
    const done =
      windows.status !== 0
        ? ask(
            "new-session",
            "-d",
            "-s",
            tmuxSession,
            "-x",
            "200",
            "-y",
            "50",
            ...place,
            ";",
            "set-option",
            "-g",
            "remain-on-exit",
            "on",
          )
        : isThere
          ? ask("respawn-window", "-t", `${tmuxSession}:=${agent}`, "-c", root, line)
          : ask("new-window", "-d", "-t", `${tmuxSession}:`, ...place);
    // A window whose program still runs stays as it is.
    if (done.status !== 0 && !isThere)
      return err(
        makeProblem("not-found", "tmux", `tmux did not start ${agent}: ${done.stderr.trim()}`, {
          hint: `Start it yourself: baton run ${agent}`,
        }),
      );
  }
  return ok({ socket, session: tmuxSession, attach: `tmux -L ${socket} attach -t ${tmuxSession}` });
}

/** Shows it in this terminal, in place of this process. */
export function tmuxAttach(environment: Environment, { socket, session }: TmuxServer): never {
  const tmux = programOnPath(["tmux"], environment.PATH ?? "") ?? "tmux";
  if (process.execve === undefined) throw new Error("this Node cannot start a program in its place");
  return process.execve(tmux, [tmux, "-L", socket, "attach", "-t", session], environment);
}

/** What shows a notification on this machine, a screen before the team's tmux; null: nothing does. */
export function notifier(
  environment: Environment,
): { readonly is: "osascript" | "notify-send" | "tmux"; readonly file: string } | null {
  const isMac = process.platform === "darwin";
  const hasScreen = Boolean(environment.DISPLAY) || Boolean(environment.WAYLAND_DISPLAY);
  const first = isMac ? (["osascript"] as const) : hasScreen ? (["notify-send"] as const) : [];
  for (const is of [...first, "tmux"] as const) {
    const file = programOnPath([is], environment.PATH ?? "");
    if (file !== null) return { is, file };
  }
  return null;
}

/** One notification. `inTmux`: in words of ours alone, for tmux expands what it shows, commands too. */
interface Notification extends TmuxTeam {
  readonly title: string;
  readonly text: string;
  readonly inTmux: string;
}

/** Shows it to who sits at this machine. Answers why it was not shown; null: it was. */
export async function showNotification(
  { environment, state, team, title, text, inTmux }: Notification,
  signal: AbortSignal,
): Promise<Problem | null> {
  const found = notifier(environment);
  if (found === null) return makeProblem("not-found", "PATH", "This machine has no way to notify any more.");
  const server = ["-L", tmuxSocket({ team, state })];
  const isSeen =
    found.is !== "tmux" ||
    spawnSync(found.file, [...server, "list-clients", "-t", tmuxSession], { env: environment }).stdout?.length > 0;
  if (!isSeen) return makeProblem("not-found", "tmux", "Nobody looks at the team's tmux.");
  const script = ["on run argv", "display notification (item 1 of argv) with title (item 2 of argv)", "end run"];
  const words = {
    osascript: [...script.flatMap((line) => ["-e", line]), text, title],
    // Some desktops read markup.
    "notify-send": ["--app-name=Baton", "--", title, text.replace(/[<&>]/g, " ")],
    tmux: [...server, "display-message", "-d", "10000", "-t", tmuxSession, inTmux],
  };
  const child = spawn(found.file, words[found.is], { env: environment, stdio: "ignore", timeout: 10_000, signal });
  const code = await once(child, "exit").then(
    ([ended]: readonly unknown[]) => ended,
    () => null,
  );
  return code === 0 ? null : makeProblem("not-found", found.is, "It did not show the notification.");
}
