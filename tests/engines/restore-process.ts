/** Restores the archived team of a journal, in a process whose memory its parent bounds. */
import type { TeamName } from "../../src/base/ids.ts";
import { openTeamJournal } from "../../src/perform/open.ts";
import { restoreTeam } from "../../src/record/handlers/journal-archive.ts";

const [address = "", team = "", file = ""] = process.argv.slice(2);
const opened = await openTeamJournal(address, { create: false });
if (!opened.ok) throw new Error(opened.error.message);
const done = await restoreTeam(opened.value, team as TeamName, file); // the parent's own team
await opened.value.close();
process.stdout.write(done.ok ? "restored" : JSON.stringify(done.error));
