/**
 * Letters: messages on their way from somebody to some, and what each door's answer says about every pair of sender and
 * receiver. A refusal names each receiver that may not get the message, so one letter judges all pairs of its sender.
 */
import type { Role } from "../../src/messages/role.ts";
import type { Chance } from "../crash/seed.ts";
import { messageOf } from "./messages.ts";
import { people, receiverName, senderName } from "./people.ts";
import { answered, levelAbove, type Person, type Row, type TableDialect, table } from "./table.ts";

export interface Letter {
  readonly dialect: TableDialect;
  readonly row: Row;
  readonly sender: Person;
  readonly to: readonly Person[];
  /** Names the operation. */
  readonly id: string;
}

/** The text of a letter. */
export function textOf({ dialect, row, sender, id }: Letter): string {
  return JSON.stringify(messageOf(dialect, row[0], sender, id));
}

/** Says what is wanted of one pair. */
export type Judge = (letter: Letter, receiver: Person) => string;

/** What the table says. */
export const byTable: Judge = ({ dialect, row, sender }, receiver) =>
  answered(row, sender, receiver, { dialect, severalDepartments: true, level: levelAbove(sender) });

/** Letters of these senders: of each type one to everybody, and where the table lets it reach some, one to just those. */
export function lettersOf(dialect: TableDialect, senders: (row: Row) => readonly Person[]): readonly Letter[] {
  const rows: readonly Row[] = table[dialect];
  return rows.flatMap((row) => senders(row).flatMap((sender) => ofOne(dialect, row, sender)));
}

function ofOne(dialect: TableDialect, row: Row, sender: Person): readonly Letter[] {
  const all: Letter = { dialect, row, sender, to: people, id: `${row[0]}:${senderName(sender)}:all` };
  const fit = people.filter((receiver) => byTable(all, receiver) === "authorised");
  return fit.length === 0 ? [all] : [all, { ...all, to: fit, id: `${row[0]}:${senderName(sender)}:fit` }];
}

/**
 * Letters to one receiver each, chosen by chance; half are from roles that may send, a quarter to roles that may
 * receive.
 */
export function singleLetters(dialect: TableDialect, chance: Chance, count: number): readonly Letter[] {
  const rows: readonly Row[] = table[dialect];
  return Array.from({ length: count }, (_, index): Letter => {
    const row = oneOf(
      rows.filter(([, senders]) => index % 2 === 0 || senders !== ""),
      chance,
    );
    const sender = oneOf(
      people.filter(({ role }) => index % 2 === 0 || isSentBy(row, role)),
      chance,
    );
    const receiver = oneOf(
      people.filter(({ role }) => index % 4 !== 3 || row[2].split(" ").includes(role)),
      chance,
    );
    return { dialect, row, sender, to: [receiver], id: `${row[0]}:${senderName(sender)}:single-${index}` };
  });
}

/** One of a list, chosen by chance. */
export function oneOf<Each>(list: readonly Each[], chance: Chance): Each {
  const found = list[chance.below(list.length)];
  if (found === undefined) throw new Error("there is nothing to choose from");
  return found;
}

/** Whether a role may send the type from some department. */
export function isSentBy([, senders]: Row, role: Role): boolean {
  return senders.split(" ").includes(role);
}

/** Whether a letter asks for an answer. */
export function asks({ row: [type] }: Letter): boolean {
  return type === "approval_request" || type === "shutdown_request";
}

/** What a door said. */
export interface Answer {
  readonly accepted: boolean;
  /** Who gets it, where it was accepted and the door tells. */
  readonly receivers: readonly string[] | null;
  readonly problems: readonly { readonly code: string; readonly path: string }[];
}

/** A letter and what became of it. */
export interface Exchange {
  readonly letter: Letter;
  readonly answer: Answer;
}

/** Refusals that come after authority was given: by the state of the work. */
const later = `
  unknown-request ambiguous-request unknown-task task-held task-done task-blocked outside-contract
  id-taken id-conflict human-required not-ready must-decide already-answered changed-meanwhile phase-open
`
  .trim()
  .split(/\s+/);

/** What an answer says of one receiver: the verdict, or the code of a refusal that is no word about authority. */
function verdictOn({ accepted, problems }: Answer, receiver: Person): string {
  const [first] = problems;
  if (accepted || first === undefined) return accepted ? "authorised" : "refused without a problem";
  if (first.code === "receiver-not-authorised") {
    return problems.some(({ path }) => path === receiverName(receiver)) ? first.code : "authorised";
  }
  return isLater(first) ? "authorised" : first.code;
}

/** The deciders use the word for a sender's authority too, but only authorisation says it of the type. */
function isLater({ code, path }: Answer["problems"][number]): boolean {
  return later.includes(code) || (code === "sender-not-authorised" && path !== "$.type");
}

export interface Report {
  letters: number;
  /** Pairs of sender and receiver that an answer says something about. */
  judged: number;
  authorised: number;
  /** Letters that were let in, and those of them that the state of the work refused. */
  admitted: number;
  refusedLater: number;
  readonly wrong: string[];
}

/** Compares what a door said with what is wanted, pair by pair. */
export function compare(exchanges: readonly Exchange[], judge: Judge = byTable): Report {
  const report: Report = { letters: 0, judged: 0, authorised: 0, admitted: 0, refusedLater: 0, wrong: [] };
  for (const { letter, answer } of exchanges) {
    const { dialect, row, sender, to } = letter;
    const isRefusedLater = answer.problems[0] !== undefined && isLater(answer.problems[0]);
    report.letters++;
    if (answer.accepted || isRefusedLater) report.admitted++;
    if (isRefusedLater) report.refusedLater++;
    for (const receiver of to) {
      const [verdict, expected] = [verdictOn(answer, receiver), judge(letter, receiver)];
      report.judged++;
      if (verdict === "authorised") report.authorised++;
      if (verdict === expected) continue;
      const who = `${dialect} ${row[0]}: ${senderName(sender)} to ${receiverName(receiver)}`;
      report.wrong.push(`${who}: ${verdict}, wanted ${expected}`);
    }
    const named = to.map(receiverName);
    // A decision reaches who is held up, too.
    const isDecision = row[0] === "escalation_resolution";
    const reached = isDecision ? answer.receivers?.filter((each) => named.includes(each)) : answer.receivers;
    if (answer.receivers !== null && !isSame(reached ?? [], named))
      report.wrong.push(`${letter.id} went to ${answer.receivers.join(" ")}`);
  }
  return report;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  const wanted = new Set(others);
  return some.length === others.length && some.every((each) => wanted.has(each));
}

/** The table with one cell turned: what may be may not, and what may not may. */
export function turned(letter: Letter, receiver: Person): Judge {
  return (each, other) => {
    const said = byTable(each, other);
    const isCell = each.row === letter.row && each.sender === letter.sender && other === receiver;
    return isCell ? (said === "authorised" ? "receiver-not-authorised" : "authorised") : said;
  };
}
