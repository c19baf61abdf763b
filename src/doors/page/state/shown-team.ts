/** What every part of the page may use: where it is in the page, and the team that it shows. */
import { createContext } from "svelte";
import type { Router } from "./router.svelte.ts";
import type { TeamView } from "./team-view.svelte.ts";

/** The page's router, set where the page begins. */
export const [usedRouter, useRouter] = createContext<Router>();

/** The team that is shown; another team's page is made anew. */
export const [shownTeam, showTeam] = createContext<TeamView>();
