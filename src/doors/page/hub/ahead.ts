/**
 * The first script that a page runs. It asks the hub for what each view of a team begins with, while the larger scripts that
 * show it are still on their way. Where there is no session yet it asks for nothing else, so that one visit counts as one
 * wrong credential at most.
 */
import { readPlace } from "../shown/places.ts";
import { askAhead, type Session, shownPaths, teamsOf } from "./request.ts";

async function begin(): Promise<void> {
  const session = await askAhead<Session>("/api/session");
  if (!session.ok) return;
  const teams = teamsOf(session.value);
  const team = readPlace(location.pathname, location.search)?.team ?? teams[0];
  if (team === undefined || !teams.includes(team)) return;
  for (const path of Object.values(shownPaths(team))) void askAhead(path);
}

// A code in the address becomes a session first.
if (location.hash === "") void begin();
