/**
 * An agent as its own process that is asked to stop, and answers in its own way. Arguments: journal path, agent, how.
 * Each reply to an answer is printed as a line; it ends when it has said all it has to say, or its round is over.
 */

import { openTeam } from "../../src/perform/open.ts";
import type { Reply } from "../../src/perform/operations/reply.ts";
import type { Team } from "../../src/perform/team.ts";
import { typedMessage } from "../../src/testing/fixtures.ts";

/** What an agent says when it is asked for the nth time: yes and no, in order; `die`: it ends without a word. */
const manners = {
  obeys: () => ["yes"],
  ignores: () => [],
  refuses: () => ["no"],
  "refuses once": (asked: number) => (asked === 1 ? ["no"] : ["yes"]),
  dies: () => ["die"],
  "is late": (asked: number) => (asked === 1 ? [] : ["yes"]),
  "answers twice": () => ["yes", "yes"],
  contradicts: () => ["yes", "no"],
} satisfies { readonly [manner: string]: (asked: number) => readonly string[] };

type Manner = keyof typeof manners;

function isManner(word: string): word is Manner {
  return Object.hasOwn(manners, word);
}

async function answer(team: Team, word: string, index: number): Promise<Reply> {
  const payload =
    word === "yes"
      ? { request_id: "shut-1" }
      : { request_id: "shut-1", approve: false, final_status: "in_progress", pending_work: "mid-write" };
  const message = typedMessage("shutdown_response", payload, { id: `${team.actor.agent}-${index}` });
  const reply = await team.send(JSON.stringify(message));
  console.log(JSON.stringify(reply.outcome === "refused" ? reply.problems[0]?.code : reply.outcome));
  return reply;
}

async function behave(journal: string, agent: string, manner: Manner): Promise<void> {
  const opened = await openTeam({ journal, agent, create: false });
  if (!opened.ok) throw new Error(JSON.stringify(opened.error));
  await using team = opened.value;
  console.log("ready");
  let [after, asked, said] = [0, 0, 0];
  for (;;) {
    const page = await team.inbox({ after, waitMs: 1_000 });
    const found = await team.shutdowns();
    if (!found.ok) throw new Error(found.error.message);
    for (const { seq, type } of page.ok ? page.value.deliveries : []) {
      after = seq;
      if (type !== "shutdown_request") continue;
      asked += 1;
      for (const word of manners[manner](asked)) {
        if (word === "die") process.exit(0);
        said += 1;
        await answer(team, word, said);
      }
    }
    const part = found.value.at(-1)?.agents.find((each) => each.agent === agent);
    if (part !== undefined && part.outcome !== null) return;
  }
}

const [journal = "", agent = "", manner = ""] = process.argv.slice(2);
if (!isManner(manner)) throw new Error(`an agent behaves in one of these ways: ${Object.keys(manners).join(", ")}`);
await behave(journal, agent, manner);
