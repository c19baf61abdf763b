/** Accepting messages: read, check, authorise, decide, durable; one at a time, and a hundred at once. */

import { type Measure, type Pair, timed } from "./measure.ts";
import { contractText, updateText } from "./messages.ts";
import { openRawInsert } from "./raw-insert.ts";
import { openBenchTeam, sendAccepted } from "./team.ts";

const onesPerRound = 200;
const groupsPerRound = 10;
const groupSize = 100;

/** One `send` after another, each durable before the next. */
export const acceptOne: Measure = {
  name: "Accepting one message",
  subject: "send: read, check, authorise, decide, durable",
  yardstick: "raw insert, one row a commit",
  target: { of: "rate", atLeast: 0.7 },
  rounds: 25,
  open: (folder) =>
    openPair(folder, onesPerRound, 1, async (send, texts) => {
      for (const text of texts) await send(text);
    }),
};

/** A hundred sends at the same time; they may share a commit. */
export const acceptGrouped: Measure = {
  name: "Accepting 100 messages sent at once",
  subject: "100 sends, awaited together",
  yardstick: "raw insert, 100 rows a commit",
  target: { of: "rate", atLeast: 0.4 },
  rounds: 25,
  open: (folder) =>
    openPair(folder, groupsPerRound * groupSize, groupSize, async (send, texts) => {
      for (let start = 0; start < texts.length; start += groupSize) {
        await Promise.all(texts.slice(start, start + groupSize).map(send));
      }
    }),
};

async function openPair(
  folder: string,
  perRound: number,
  rowsPerCommit: number,
  sendAll: (send: (text: string) => Promise<void>, texts: readonly string[]) => Promise<void>,
): Promise<Pair> {
  const raw = openRawInsert(folder);
  const lead = await openBenchTeam(folder, "lead-1");
  await sendAccepted(lead, contractText());
  await lead[Symbol.asyncDispose]();
  const dev = await openBenchTeam(folder, "dev-1");
  return {
    yardstick: () => timed(perRound, () => raw.insert(perRound / rowsPerCommit, rowsPerCommit)),
    subject: () => {
      const texts = Array.from({ length: perRound }, updateText);
      return timed(perRound, () => sendAll((text) => sendAccepted(dev, text), texts));
    },
    async close() {
      raw[Symbol.dispose]();
      await dev[Symbol.asyncDispose]();
    },
  };
}
