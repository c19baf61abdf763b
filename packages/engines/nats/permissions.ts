/**
 * Who may publish and subscribe to what in a journal on JetStream, as accounts and users of the servers' configuration.
 * Hubs write the log. An agent may only ask: its subject names team, agent and type of message, so the broker proves the
 * author, and a hub answers by recording the message or by refusing it.
 * Source: docs/protocol/record.md, section 18.
 */
import { type Asker, type AskSubject, err, makeProblem, ok, type Problem, type Result } from "batonhq/journal";
import { type NatsAddress, readNatsAddress, userOf } from "./address.ts";
import { namesOf } from "./settings.ts";

type Named = Pick<NatsAddress, "name">;

/** A journal, and the agents that may ask there. */
export interface PermittedJournal extends Named {
  readonly askers: readonly Asker[];
}

/** The subject of asks. A name becomes one token of it, whatever it holds. */
export function askSubject({ name }: Named, { team, agent, type }: AskSubject): string {
  return ["baton", name, "ask", ...[team, agent, type].map(tokenOf)].join(".");
}

/** Every ask of the journal. */
export function everyAsk({ name }: Named): string {
  return `baton.${name}.ask.*.*.*`;
}

/** What the subject of an ask says; null: it is none. */
export function readAsk(subject: string): AskSubject | null {
  const [, , , ...tokens] = subject.split(".");
  try {
    const [team, agent, type, more] = tokens.map((token) => decodeURIComponent(token));
    return team === undefined || agent === undefined || type === undefined || more !== undefined
      ? null
      : { team, agent, type };
  } catch {
    return null; // A percent sign that escapes nothing: Baton makes no such subject.
  }
}

function tokenOf(text: string): string {
  return encodeURIComponent(text).replaceAll(".", "%2E").replaceAll("*", "%2A");
}

/**
 * Where the asker hears its answers: everything below its own inbox prefix. A hub answers nowhere else, because who asks
 * chooses where the answer goes, and a hub may write what the asker may not.
 */
export function answersTo({ name }: Named, { team, agent }: Omit<AskSubject, "type">): string {
  return `_INBOX_${tokenOf(askerName(name, { team, agent }))}.`;
}

function askerName(journal: string, { team, agent }: Omit<AskSubject, "type">): string {
  return `baton-${journal}-${team}-${agent}`;
}

interface User {
  readonly name: string;
  readonly about: string;
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** The lines for the journals at `addresses`, as the contract of engines says. */
export function permissionLinesOf(
  addresses: readonly string[],
  askers: readonly Asker[],
): Result<readonly string[], Problem> {
  const journals: PermittedJournal[] = [];
  for (const address of addresses) {
    const read = readNatsAddress(address);
    if (!read.ok) {
      if (address.startsWith("nats://")) return read;
      const hint = "name the journal: nats://HOST/NAME";
      return err(makeProblem("wrong-usage", "URL", "This journal is not on NATS.", { hint }));
    }
    const { name } = read.value;
    if (journals.some((known) => known.name === name)) {
      const hint = "name each journal once; two journals of the same servers have different names";
      return err(makeProblem("wrong-usage", "URL", `The journal "${name}" is named twice.`, { hint }));
    }
    journals.push({ name, askers: journals.length === 0 ? askers : [] });
  }
  return ok(permissionLines(journals));
}

/** Lines for the configuration of each server: an account for each journal, with its users and what each may do. */
export function permissionLines(journals: readonly PermittedJournal[]): readonly string[] {
  const variables = new Set<string>();
  const names = journals.map(({ name }) => `"${name}"`).join(", ");
  return [
    `# Users of ${journals.length === 1 ? "the journal" : "the journals"} ${names} on NATS, by \`baton nats permissions\`. Each server includes this file, and has`,
    "# no other `authorization` or `accounts`: of two `accounts` the server takes the second without a word.",
    "# Each password is a variable of the server's environment. After a change of this file: `nats-server --signal reload`.",
    "accounts: {",
    ...journals.flatMap((journal) => accountLines(journal, variables)),
    "}",
  ];
}

function accountLines(journal: PermittedJournal, variables: Set<string>): readonly string[] {
  const users = [...staff(journal, journal.askers), ...journal.askers.map((asker) => agentUser(journal, asker))];
  return [
    `  BATON_${journal.name}: {`,
    "    jetstream: enabled",
    "    users: [",
    ...users.flatMap((user) => userLines(user, variableOf(user.name, variables))),
    "    ]",
    "  }",
  ];
}

function userLines({ name, about, publish, subscribe }: User, variable: string): readonly string[] {
  const list = (subjects: readonly string[]) => `[${subjects.map((each) => JSON.stringify(each)).join(", ")}]`;
  return [
    `      # ${about}`,
    `      { user: ${JSON.stringify(name)}, password: $${variable}, permissions: {`,
    `        publish: { allow: ${list(publish)} }`,
    `        subscribe: { allow: ${list(subscribe)} }`,
    "      } }",
  ];
}

/** A name for the password's variable that no other user has. */
function variableOf(user: string, taken: Set<string>): string {
  const base = `${user.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}_PASSWORD`;
  let name = base;
  for (let count = 2; taken.has(name); count += 1) name = `${base}_${count}`;
  taken.add(name);
  return name;
}

function staff(journal: Named, askers: readonly Asker[]): readonly User[] {
  const { log, side, entries, key, turns } = namesOf({ ...journal } as NatsAddress);
  const both = (call: string, rest = "") => [log, side].map((stream) => `$JS.API.${call}.${stream}${rest}`);
  const reads = [
    ...both("STREAM.INFO"),
    ...both("STREAM.MSG.GET"),
    ...both("CONSUMER.CREATE", ".>"),
    ...both("CONSUMER.MSG.NEXT", ".>"),
    ...both("CONSUMER.DELETE", ".>"),
    `$JS.FC.${log}.>`,
  ];
  const writes = [entries("*"), key(">"), turns("*"), ...reads];
  const hears = ["_INBOX.>", turns("*")];
  return [
    {
      name: userOf(journal.name, "hub"),
      about: "Hubs: read and write the journal, and answer agents that ask.",
      // Answers by the agents' own prefixes: leave to answer any caller would let an agent name any subject.
      publish: [...writes, ...askers.map((asker) => `${answersTo(journal, asker)}>`)],
      subscribe: [...hears, everyAsk(journal)],
    },
    {
      name: userOf(journal.name, "operator"),
      about: "Who makes the streams, once: baton journal place.",
      publish: [...writes, ...both("STREAM.CREATE"), ...both("STREAM.UPDATE")],
      subscribe: hears,
    },
    {
      name: userOf(journal.name, "reader"),
      about: "Audit and dashboards: read only.",
      publish: reads,
      subscribe: hears,
    },
  ];
}

function agentUser(journal: Named, { team, agent, types }: Asker): User {
  return {
    name: askerName(journal.name, { team, agent }),
    about: `Agent ${agent} of team ${team}: asks, and hears answers in its inbox prefix.`,
    publish: types.map((type) => askSubject(journal, { team, agent, type })),
    subscribe: [`${answersTo(journal, { team, agent })}>`],
  };
}
