/**
 * Accepting messages in a journal that holds many (read, check, authorise, decide, durable), one at a time and a hundred at
 * once, next to a raw table of as many rows.
 */

import { type Measure, type Pair, timed } from "./measure.ts";
import { updateText } from "./messages.ts";
import { openRawInsert } from "./raw-insert.ts";
import { fillBenchTeam, groupSize as fillGroupSize, manyMessages, openBenchTeam, sendAccepted } from "./team.ts";

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
  open: (folder) => openOnes(folder),
};

/** A hundred sends at the same time; they may share a commit. */
export const acceptGrouped: Measure = {
  name: "Accepting 100 messages sent at once",
  subject: "100 sends, awaited together",
  yardstick: "raw insert, 100 rows a commit",
  target: { of: "rate", atLeast: 0.4 },
  rounds: 25,
  open: (folder) => openGroups(folder),
};

type Send = (text: string) => Promise<void>;

function openOnes(folder: string): Promise<Pair> {
  return openPair(folder, onesPerRound, 1, async (send, texts) => {
    for (const text of texts) await send(text);
  });
}

function openGroups(folder: string): Promise<Pair> {
  return openPair(folder, groupsPerRound * groupSize, groupSize, async (send, texts) => {
    for (let start = 0; start < texts.length; start += groupSize) {
      await Promise.all(texts.slice(start, start + groupSize).map(send));
    }
  });
}

async function openPair(
  folder: string,
  perRound: number,
  rowsPerCommit: number,
  sendAll: (send: Send, texts: readonly string[]) => Promise<void>,
): Promise<Pair> {
  const raw = openRawInsert(folder);
  raw.insert(manyMessages / fillGroupSize, fillGroupSize);
  await fillBenchTeam(folder);
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
