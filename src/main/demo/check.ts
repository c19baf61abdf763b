/**
 * The check of a phase: nothing lost, nothing doubled, nothing claimed that is not so. Pure, so that a test can show it
 * a record in which something is wrong.
 */
import { cast, castMembers } from "./cast.ts";
import type { RecordedMessage, RecordedPhase, RecordedReport } from "./record.ts";
import { farewellId, messageIds } from "./story.ts";

/** A message that must stand in the journal exactly once. */
export interface Expected {
  readonly sender: string;
  readonly type: string | null;
  readonly id: string;
}

/** Every message of the demo's phase. */
export function expectedMessages(): readonly Expected[] {
  const said = (member: { readonly agent: string }, type: string | null, id: string): Expected => {
    return { sender: member.agent, type, id };
  };
  const { lead, architect, scout, dev, qa } = cast;
  return [
    said(lead, null, messageIds.kickOff),
    said(scout, "scout_findings", messageIds.findings),
    said(architect, "plan_contract", messageIds.contract),
    said(dev, "execution_update", messageIds.taxUpdate),
    said(dev, "approval_request", messageIds.request),
    said(lead, "approval_response", messageIds.answer),
    said(lead, "plan_contract", messageIds.widerContract),
    said(dev, "execution_update", messageIds.moneyUpdate),
    said(qa, "qa_verdict", messageIds.verdict),
    said(lead, "shutdown_request", messageIds.shutdown),
    ...[scout, dev, qa].map((member) => said(member, "shutdown_response", farewellId(member.agent))),
    said(architect, null, farewellId(architect.agent)),
  ];
}

/**
 * What is wrong with the phase, a sentence each; none: every expected message stands once, no other does, every receiver
 * acknowledged what it was sent, and every report's commit is in git with the files it names.
 */
export function faultsOf(phase: RecordedPhase, expected: readonly Expected[]): readonly string[] {
  return [
    ...expected.flatMap((each) => countFault(each, phase.messages)),
    ...phase.messages.filter((message) => !expected.some((each) => isIt(each, message))).map(strangerFault),
    ...phase.messages.flatMap(deliveryFaults),
    ...phase.reports.flatMap((report) => reportFaults(report, phase)),
  ];
}

/** What the demo promises beyond `faultsOf`: that everything it is to show has really happened. */
export function omissionsOf(phase: RecordedPhase): readonly string[] {
  const wanted: readonly (readonly [boolean, string])[] = [
    [phase.refusals.some(({ codes }) => codes.includes("wrong-value")), "no message was refused for a wrong word"],
    [phase.refusals.some(({ codes }) => codes.includes("outside-contract")), "no report was held to the contract"],
    [phase.approvals.some(({ standing }) => standing === "approved"), "no request was approved"],
    [phase.contracts.some(({ revision }) => revision === 2), "the contract was not widened"],
    [phase.reports.length === 2, `${phase.reports.length} reports of work stand, not 2`],
    [castMembers.every(({ agent }) => phase.messages.some(({ sender }) => sender === agent)), "an agent said nothing"],
  ];
  return wanted.filter(([holds]) => !holds).map(([, fault]) => fault);
}

function isIt(expected: Expected, message: RecordedMessage): boolean {
  return expected.id === message.id && expected.sender === message.sender && expected.type === message.type;
}

function countFault(expected: Expected, messages: readonly RecordedMessage[]): readonly string[] {
  const count = messages.filter((message) => isIt(expected, message)).length;
  const name = `${expected.type ?? "prose"} ${expected.id} of ${expected.sender}`;
  if (count === 1) return [];
  return [count === 0 ? `${name} is lost` : `${name} stands ${count} times`];
}

function strangerFault({ seq, id, sender, type }: RecordedMessage): string {
  return `entry ${seq}, ${type ?? "prose"} ${id ?? "without an id"} of ${sender}, was never meant to be sent`;
}

function deliveryFaults({ seq, receivers, acknowledgedBy }: RecordedMessage): readonly string[] {
  if (receivers.length === 0) return [`entry ${seq} was sent to nobody`];
  return receivers
    .filter((agent) => !acknowledgedBy.includes(agent))
    .map((agent) => `${agent} never acknowledged entry ${seq}`);
}

function reportFaults(report: RecordedReport, phase: RecordedPhase): readonly string[] {
  const { sender, task, commit, files, committed } = report;
  if (committed === null) return [`the commit ${commit} that ${sender} reported for ${task} is not in git`];
  const wrong: string[] = [];
  if (files.toSorted().join(" ") !== committed.toSorted().join(" ")) {
    wrong.push(`the report of ${task} names ${files.join(" ")}, the commit changes ${committed.join(" ")}`);
  }
  const made = phase.commits.filter(({ author, occasion }) => author === sender && occasion === task);
  if (made.length !== 1) wrong.push(`${sender} committed ${made.length} times for ${task}`);
  if (made[0] !== undefined && made[0].hash !== commit) wrong.push(`the report of ${task} names another commit`);
  return wrong;
}
