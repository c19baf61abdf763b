/** The team's own server of tmux, in which `baton start` starts agents: a window each, named like the agent. */
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { sha256 } from "../../../base/canonical.ts";
import { lookForPlace } from "../../../perform/workspace/place.ts";
import { programOnPath } from "../../../perform/workspace/program-path.ts";
import type { Call } from "../kernel/command.ts";
import { hubOf } from "./hub-address.ts";

/** Whose tmux it is. `state`: the folder of the team's state, by which two teams of one name have two servers. */
export interface TmuxTeam {
  readonly environment: Readonly<Record<string, string>>;
  readonly state: string;
  readonly team: string;
}

export const tmuxSession = "baton";

export function tmuxSocket({ team, state }: Pick<TmuxTeam, "team" | "state">): string {
  return `baton-${team}-${sha256(state).slice(0, 8)}`;
}

/** The names of its windows, also of those whose program has ended; empty: it does not run. */
export function tmuxWindows(team: TmuxTeam): readonly string[] {
  const { environment } = team;
  const tmux = programOnPath(["tmux"], environment.PATH ?? "");
  if (tmux === null) return [];
  const words = ["-L", tmuxSocket(team), "list-windows", "-t", tmuxSession, "-F", "#{window_name}"];
  const { status, stdout } = spawnSync(tmux, words, { env: environment, encoding: "utf8" });
  return status === 0 ? stdout.trim().split("\n") : [];
}

/** Whether the agent of this machine's team has a window there. tmux is asked once, with the first agent. */
export function isInTmux(call: Call, team: string): (agent: string) => boolean {
  let windows: readonly string[] | null = null;
  return (agent) => {
    windows ??= windowsHere(call, team);
    return windows.includes(agent);
  };
}

function windowsHere(call: Call, team: string): readonly string[] {
  const place = hubOf(call) === null ? lookForPlace(call) : null;
  if (place?.ok !== true) return [];
  return tmuxWindows({ environment: call.config.environment(), state: dirname(place.value.journal), team });
}
