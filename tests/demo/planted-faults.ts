/** Records of a phase with something wrong in each, made from a good one: what the demo's own check must find. */
import type { RecordedPhase, RecordedWork } from "../../demo/checks/record.ts";

/** One line a case: what is done to the record, and the error that must be found. */
export const damages: readonly (readonly [string, (phase: RecordedPhase) => RecordedPhase, RegExp])[] = [
  ["a message is lost", (phase) => ({ ...phase, messages: phase.messages.slice(1) }), /is lost/],
  [
    "a message is doubled",
    (phase) => ({ ...phase, messages: [...phase.messages, ...phase.messages.slice(2, 3)] }),
    /is there 2 times/,
  ],
  [
    "a message is doubled under another id",
    (phase) => ({ ...phase, messages: [...phase.messages, { ...phase.messages[3]!, id: "again" }] }),
    /was never meant to be sent/,
  ],
  [
    "a receiver did not acknowledge",
    (phase) => ({ ...phase, messages: phase.messages.map((each) => ({ ...each, acknowledgedBy: [] })) }),
    /never acknowledged/,
  ],
  [
    "a commit was made twice",
    (phase) => ({ ...phase, commits: [...phase.commits, ...phase.commits] }),
    /committed 2 times/,
  ],
  [
    "a reported commit is not in git",
    (phase) => ({ ...phase, reports: phase.reports.map((each) => ({ ...each, committed: null })) }),
    /not in git/,
  ],
  [
    "a report names other files",
    (phase) => ({ ...phase, reports: phase.reports.map((each) => ({ ...each, files: ["other.js"] })) }),
    /the commit changes/,
  ],
  [
    "a dispute is told to nobody",
    (phase) => ({ ...phase, messages: phase.messages.filter(({ act }) => act === null) }),
    /dev-2 was not notified of what entry \d+ says against the report of 1-1-T3/,
  ],
  [
    "a dispute is told to the lead only",
    (phase) => ({
      ...phase,
      messages: phase.messages.map((each) => (each.act === null ? each : { ...each, receivers: ["lead-1"] })),
    }),
    /dev-2 was not notified/,
  ],
  [
    "a dispute is told to the reporter only",
    (phase) => ({
      ...phase,
      messages: phase.messages.map((each) => (each.act === null ? each : { ...each, receivers: ["dev-2"] })),
    }),
    /lead-1 was not notified/,
  ],
  [
    "a dispute is told to another too",
    (phase) => ({
      ...phase,
      messages: phase.messages.map((each) =>
        each.act === null ? each : { ...each, receivers: ["dev-2", "lead-1", "dev-1"] },
      ),
    }),
    /dev-1 was notified/,
  ],
  [
    "a dispute is unjust",
    (phase) => ({ ...phase, reports: phase.reports.map((each) => ({ ...each, verdict: "disputed" })) }),
    /is disputed, and git bears it out/,
  ],
  [
    "a lie is believed",
    (phase) => ({ ...phase, reports: phase.reports.map((each) => ({ ...each, verdict: "verified" })) }),
    /the commit changes/,
  ],
  [
    "a claim never ended",
    (phase) => ({ ...phase, work: phase.work.filter(({ event }) => event.event !== "task-reported") }),
    /gives dev-\d test\/.*, which dev-\d holds/,
  ],
  [
    "a later grant has no newer token",
    (phase) => ({ ...phase, work: phase.work.map(underTokenOne) }),
    /grants 1-1-T4 under token 1, not newer than/,
  ],
  [
    "a task is granted to two",
    (phase) => ({ ...phase, work: phase.work.flatMap(twiceGranted) }),
    /grants 1-1-T1 to dev-9, and dev-1 holds it/,
  ],
];

/** The grant of the first task, and right after it one to another agent. */
function twiceGranted(work: RecordedWork): readonly RecordedWork[] {
  const { seq, event } = work;
  const isIt = event.event === "task-claimed" && event.task === "1-1-T1";
  return isIt ? [work, { seq, event: { ...event, holder: "dev-9", files: [] } }] : [work];
}

/** The grant of the silent agent's task to another, under a token that is not newer. */
function underTokenOne({ seq, event }: RecordedWork): RecordedWork {
  const isIt = event.event === "task-claimed" && event.task === "1-1-T4" && event.holder === "dev-2";
  return { seq, event: isIt ? { ...event, token: 1 } : event };
}

/** One line a case: what is done to the record, and what is then said not to have happened. */
export const gaps: readonly (readonly [string, (phase: RecordedPhase) => RecordedPhase, RegExp])[] = [
  ["nothing is refused", (phase) => ({ ...phase, refusals: [] }), /refused for a wrong word/],
  ["no claim is denied", (phase) => ({ ...phase, refusals: [] }), /denied for files of another/],
  [
    "every claim lies in the contract",
    (phase) => ({ ...phase, refusals: phase.refusals.filter(({ codes }) => !codes.includes("outside-contract")) }),
    /no claim was held to the contract/,
  ],
  [
    "the lie is not there",
    (phase) => ({ ...phase, reports: phase.reports.filter(isNoLie) }),
    /0 reports were disputed/,
  ],
  [
    "the lie is not repaired",
    (phase) => ({ ...phase, reports: phase.reports.filter((each) => each.task !== "1-1-T3" || !isNoLie(each)) }),
    /last report is not verified/,
  ],
  [
    "the plan is not summed up",
    (phase) => ({ ...phase, work: phase.work.filter(({ event }) => event.event !== "plan-summarised") }),
    /not summed up/,
  ],
  [
    "a must-have is shown by nobody",
    (phase) => ({ ...phase, work: phase.work.map(withoutCents) }),
    /no report shows that: 1250 cents are shown as 12\.50/,
  ],
];

/** The report about money without what shows it. */
function withoutCents({ seq, event }: RecordedWork): RecordedWork {
  const isIt = event.event === "task-reported" && event.task === "1-1-T2";
  return { seq, event: isIt ? { ...event, evidence: null } : event };
}

function isNoLie({ verdict }: RecordedPhase["reports"][number]): boolean {
  return verdict !== "disputed";
}

/** One line a case: what is done to the record of the silence, and the error that must be found. */
export const silenceDamages: readonly (readonly [string, (phase: RecordedPhase) => RecordedPhase, RegExp])[] = [
  [
    "nobody is found out",
    (phase) => ({ ...phase, health: phase.health.filter(({ event }) => event.event !== "agent-disappeared") }),
    /nobody found out/,
  ],
  [
    "one that is there is found out too",
    (phase) => ({ ...phase, health: phase.health.flatMap((each) => [each, { ...each, event: ofScout(each.event) }]) }),
    /takes scout-1 for gone/,
  ],
  ["it is found out too early", (phase) => ({ ...phase, health: phase.health.map(atOnce) }), /before the limit/],
  [
    "its claim does not end",
    (phase) => ({ ...phase, work: phase.work.filter(({ event }) => event.event !== "claim-released") }),
    /did not come free/,
  ],
  [
    "its lead is not told",
    (phase) => ({ ...phase, messages: phase.messages.filter(({ sender }) => sender !== "baton") }),
    /lead-1 was not notified/,
  ],
  [
    "its task is handed on to nobody",
    (phase) => ({ ...phase, work: phase.work.filter(({ event }) => !isGrant(event) || event.holder !== "dev-2") }),
    /handed on to nobody/,
  ],
  ["the new token is not newer", (phase) => ({ ...phase, work: phase.work.map(underTokenOne) }), /is not newer/],
  [
    "nobody does it",
    (phase) => ({ ...phase, reports: phase.reports.filter(({ task }) => task !== "1-1-T4") }),
    /was not done by the agent that took it over/,
  ],
  [
    "the silent one's late report is believed",
    (phase) => ({ ...phase, reports: phase.reports.map((each) => ({ ...each, sender: "dev-3" })) }),
    /was not done by the agent that took it over/,
  ],
  [
    "it is not told why it is refused",
    (phase) => ({ ...phase, refusals: phase.refusals.filter(({ codes }) => !codes.includes("fenced-claim")) }),
    /was not notified/,
  ],
  [
    "it does not come back",
    (phase) => ({ ...phase, health: phase.health.filter(({ event }) => event.event !== "agent-returned") }),
    /did not come back/,
  ],
];

type Health = RecordedPhase["health"][number];

function ofScout(event: Health["event"]): Health["event"] {
  return event.event === "agent-disappeared" ? { ...event, agent: "scout-1" } : event;
}

/** The disappearance as if it had been recorded a moment after the last heartbeat. */
function atOnce({ seq, event }: Health): Health {
  return { seq, event: event.event === "agent-disappeared" ? { ...event, atMs: (event.lastSignMs ?? 0) + 1 } : event };
}

function isGrant(event: RecordedWork["event"]): event is Extract<RecordedWork["event"], { event: "task-claimed" }> {
  return event.event === "task-claimed";
}
