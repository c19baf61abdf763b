/**
 * The wire and the command as they were before operations were defined once (`before/`), compared with what they are now.
 * Each difference is intended and has its reason here; one without a reason, or a reason without its difference, fails.
 * Exit codes and problem codes are pinned in `tests/architecture/pins.test.ts`.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openApiDocument } from "../../src/doors/http/index.ts";
import { catalogue } from "../../src/main/catalogue.ts";
import { commandLines } from "./command-lines.ts";
import { wireLines } from "./wire-lines.ts";

/** Why lines came or went: the beginnings of the lines, by the reason. `<` a line of before, `>` one of now. */
type Reasons = Readonly<Record<string, readonly string[]>>;

/** Answers that name a role, and the arguments that take one. */
const placesOfRoles = [
  "#AgentStatus.role: ",
  "#Approval.answer|0.role|0: ",
  "#Approval.requesterRole|0: ",
  "#Caller.role|0: ",
  "#Entry.principal.role|0: ",
  "#Handoff.issuerRole|0: ",
  "POST /api/teams/{team}/agents body application/json.role: ",
];

const wireReasons: Reasons = {
  "an entry in full says what became of its reports": ["> #Shown.verdicts"],
  "a task names so many of the artifacts that hold up its plan, and says how many more there are": [
    "> #Task.heldUpByMore",
  ],
  "verifying says what is in archives": ["> #VerifyReport.archives"],
  "a guest asks the team and is no part of it": placesOfRoles.flatMap((place) => [`< ${place}`, `> ${place}`]),
  "new operations": [
    "> POST /api/teams/{team}/breakers/close ",
    "> POST /api/teams/{team}/phase/exclude ",
    "> POST /api/teams/{team}/revision/confirm ",
    "> POST /api/teams/{team}/revision/decline ",
    "> POST /api/teams/{team}/tasks/{task}/reassign ",
  ],
  "agents ask the team for something, and such a task can end without being done": [
    "> GET /api/teams/{team}/asks ",
    "> POST /api/teams/{team}/asks ",
    "> POST /api/teams/{team}/tasks/{task}/discuss ",
    "> POST /api/teams/{team}/tasks/{task}/end ",
    "> #Ask",
    "< #Task.state: ",
    "> #Task.state: ",
    "< GET /api/teams/{team}/tasks query.state?: ",
    "> GET /api/teams/{team}/tasks query.state?: ",
  ],
  "verifiers judge reports next to clones": [
    "> GET /api/teams/{team}/verification/work ",
    "> POST /api/teams/{team}/verification/",
    "> #Finding",
    "> #WorkSheet",
    "> #Task.findings",
    "> #Task.isDiffering",
    "> #Task.settledBy",
  ],
  "the team asks remote agents": [
    "> GET /api/teams/{team}/remotes ",
    "> POST /api/teams/{team}/remotes",
    "> POST /api/teams/{team}/remote-asks/{ask}/withdraw ",
    "> #Remote",
    "> #TeamStatus.remotes",
  ],
  "a line of the record names the remote that it asks, or whose word it has": ["> #LogLine.remote", "> #Shown.remote"],
  "a status lists handoffs that wait only for agents that have left": [
    "> #OrphanedHandoff",
    "> #TeamStatus.orphanedHandoffs",
  ],
  "a status says who waits for an answer, however many requests are open": ["> #AgentStatus.waits?"],
  "the overview shows every step of the phases under way": ["> #TeamStatus.phases[].steps"],
  "a team is shared for reading": [
    "> GET /api/teams/{team}/shares ",
    "> POST /api/teams/{team}/shares ",
    "> POST /api/teams/{team}/shares/{share}/revoke ",
    "> POST /api/session body application/json.share?",
    "> #Caller.readOnlyUntil",
    "> #CreatedShare",
    "> #Share",
  ],
  "limits are written into the team file": [
    "> GET /api/teams/{team}/limits ",
    "> POST /api/teams/{team}/limits ",
    "> #TeamLimits",
  ],
  "an answer that is as its reader knows it is not given again": [
    "> GET /api/teams/{team}/agents header.If-None-Match",
    "> GET /api/teams/{team}/approvals header.If-None-Match",
    "> GET /api/teams/{team}/contracts header.If-None-Match",
    "> GET /api/teams/{team}/escalations header.If-None-Match",
    "> GET /api/teams/{team}/handoffs header.If-None-Match",
    "> GET /api/teams/{team}/phase header.If-None-Match",
    "> GET /api/teams/{team}/shutdowns header.If-None-Match",
    "> GET /api/teams/{team}/status header.If-None-Match",
    "> GET /api/teams/{team}/tasks header.If-None-Match",
    "> GET /api/teams/{team}/tasks/board header.If-None-Match",
  ],
  "a caller learns which messages it may send": ["> GET /api/teams/{team}/forms ", "> #MessageForm"],
  "a commit that the record names is looked at": ["> GET /api/teams/{team}/commits/{commit} ", "> #CommitView"],
  "a decision counts for what was shown, and several are made at once": [
    "> POST /api/teams/{team}/approvals/{request} body application/json.ifSeq?",
    "> POST /api/teams/{team}/escalations/{escalation} body application/json.ifSeq?",
    "> POST /api/teams/{team}/escalations/{escalation}/raise body application/json.ifSeq?",
    "> POST /api/teams/{team}/phase/lift body application/json.ifSeq?",
    "> POST /api/teams/{team}/decisions ",
  ],
  "what follows from an answer is shown before it is given": [
    "> GET /api/teams/{team}/approvals/{request}/effect ",
    "> #ApprovalEffect",
  ],
  "the record is filtered by outcome and until a time, and matches are counted": [
    "> GET /api/teams/{team}/messages query.count?",
    "> GET /api/teams/{team}/messages query.outcome",
    "> GET /api/teams/{team}/messages query.until?",
    "> GET /api/teams/{team}/messages 200 application/json.count",
  ],
  "the record over time is given as columns": ["> GET /api/teams/{team}/lanes ", "> #Lanes"],
  "the team is looked at as it was at an entry": [
    "> GET /api/teams/{team}/at/{seq}/{view} ",
    "> GET /api/teams/{team}/seq ",
    "> #EntryAtTime",
    "> #Past",
  ],
  "the record is counted by agent, by reason and over time": ["> GET /api/teams/{team}/metrics ", "> #TeamMetrics"],
  "what was disputed stays countable once it is repaired": ["> #Task.disputes"],
  "one task is told with everything that is known of it": ["> GET /api/teams/{team}/tasks/{task} ", "> #TaskStory"],
  "what needs the person is one ranked list": ["> GET /api/teams/{team}/needs ", "> #Need"],
  "the server of a journal may not answer": ["< #TeamStatus.journal: ", "> #TeamStatus.journal: "],
  "a client reads which operations a hub knows": ["> #Caller.operations"],
  "a message is sent as a draft": ["> POST /api/teams/{team}/messages body application/json|0.draft?"],
  "the sender tells entries of one id apart": ["> GET /api/teams/{team}/messages/{key} query.sender?"],
  "an edit takes files, and who edits what is shown": [
    "> #Board.edits",
    "> #Edit",
    "> #Standing.others[].isEdit?",
    "> #Standing.others[].since?",
    "> #TeamStatus.edits",
    "> POST /api/teams/{team}/edits ",
  ],
  "a message is shown once in each context of its reader's model, and how long mail takes is measured": [
    "> #AgentStatus.delivery",
    "> POST /api/teams/{team}/agents/{agent}/shown ",
  ],
  "one task is looked up": ["> GET /api/teams/{team}/tasks query.task?"],
  "a task needs no change in files": [
    "< POST /api/teams/{team}/tasks body application/json.files",
    "> POST /api/teams/{team}/tasks body application/json.files",
    "> #Task.filesKind",
  ],
  "a report names several commits, and work that was finished before": [
    "< POST /api/teams/{team}/tasks/{task}/complete body application/json.commit?",
    "> POST /api/teams/{team}/tasks/{task}/complete body application/json.commit",
    "> POST /api/teams/{team}/tasks/{task}/complete body application/json.finishedBefore?",
    "> #Task.commits",
    "> #TaskVerdict.commits",
  ],
  "only verified work counts as done, and it says what the verdict notes": [
    "> #Task.report",
    "> #Task.verdict",
    "> #Task.notes",
    "> #TaskVerdict.notes",
    "> #PlanReport.stale",
    "> #PlanReport.unverified",
    "> #PlanReport.noted",
    "> #Phase.departments[].plans[].stale",
    "> #Phase.departments[].plans[].unverified",
    "> #Phase.departments[].unverified",
    "> #Phase.unverified",
    "> #TeamStatus.phases[].unverified",
    "> #TeamStatus.unverified",
    "> #Shutdown.agents[].stale",
    "> #Shutdown.agents[].unverified",
    "> #Shutdown.agents[].disputed",
    "> #LogLine.report",
    "> #Shown.report",
  ],
  "a line says what became of its entry, in which thread, and why it was refused": [
    "> #LogLine.outcome",
    "> #LogLine.problem",
    "> #LogLine.supersededBy",
    "> #LogLine.thread",
    "> #Shown.outcome",
    "> #Shown.problem",
    "> #Shown.supersededBy",
    "> #Shown.thread",
  ],
  "what was found after a phase was shipped": [
    "< #Phase.departments[].standing: ",
    "> #Phase.departments[].standing: ",
    "> #Phase.departments[].hasFindings",
    "< #TeamStatus.phases[].standing: ",
    "> #TeamStatus.phases[].standing: ",
    "> #TeamStatus.phases[].hasFindings",
  ],
  "departments are left out by a decision, and what they say is checked": ["> #Phase.excluded", "> #Phase.unconfirmed"],
  "changes of the team wait for the owner": ["> #Proposal", "> #TeamStatus.proposal"],
  "who registered and retired an agent": ["> #AgentStatus.registrars", "> #AgentStatus.retiredBy"],
  "free tasks outside their contract": ["> #Board.outsideContract"],
  "a shutdown says what was left and who joined": [
    "< #Shutdown.agents[].outcome|0: ",
    "> #Shutdown.agents[].outcome|0: ",
    "> #Shutdown.agents[].joined",
  ],
  "agent programs' permission frames are known": [
    "< #LogLine.fact|0|0: ",
    "> #LogLine.fact|0|0: ",
    "< #Shown.fact|0|0: ",
    "> #Shown.fact|0|0: ",
  ],
  "counts list their words in the document; the answers are the same": [
    "< #TeamStatus.counts.*",
    "> #TeamStatus.counts.",
    "< #TeamStatus.tasks.*",
    "> #TeamStatus.tasks.",
  ],
};

const commandReasons: Reasons = {
  "a guest asks the team and is no part of it": ["< agent register --role ", "> agent register --role "],
  "at a terminal the team is on the whole screen, and lines can be asked for": ["> watch --lines flag"],
  "new operations": [
    "> breaker close",
    "> phase exclude",
    "> task reassign",
    "> team",
    "> journal fork",
    "> journal moved",
    "> journal place",
    "> needs",
    "> share ",
  ],
  "agents ask the team for something, and such a task can end without being done": [
    "> task ask",
    "> task discuss",
    "> task end",
    "< task list --state ",
    "> task list --state ",
  ],
  "verifiers judge reports next to clones": ["> verifier", "> task settle"],
  "the team asks remote agents": ["> remote "],
  "A2A clients set webhooks": ["> up --webhooks "],
  "what people look for": [
    "> agent show",
    "> inbox AGENT",
    "> log --agent",
    "> log --outcome",
    "> log --until",
    "> watch --outcome",
    "> log --tail",
    "> watch --agent",
    "> status --watch",
    "> task show",
    "> version",
    "> whoami",
  ],
  "agent programs ask at more of their events, and by their own MCP server": [
    "< hook EVENT required ",
    "> hook EVENT required ",
    "> mcp --program",
    "> run",
  ],
  "mail wakes an idle agent": [
    "> hook --wake",
    "> install claude-code --no-wake",
    "> install codex --no-wake",
    "> mcp --no-wake",
  ],
  "installed hooks are tried": ["> doctor --hooks"],
  "Codex is set up once for all projects of its user": ["> install codex --user", "> uninstall codex --user"],
  "an agent program's settings name its hub": [
    "> install claude-code --hub",
    "> install codex --hub",
    "> install gemini --hub",
  ],
  "an agent program is started as its agent": ["> run"],
  "a copy in a file is kept up with a journal": ["> journal mirror"],
  "a prompt says what an agent of a role must know": ["> card"],
  "a project of VBW, YOLO or BMAD is taken over": ["> adopt"],
  "what has ended is put into an archive": ["> journal archive", "> journal restore"],
  "a journal is copied into another engine": ["> journal migrate"],
  "the demo plays on a journal in a server": ["> demo --engine", "> demo --journal"],
  "users of the servers of a journal on NATS": ["> nats permissions"],
  "the folder of an adopted project is kept in step": ["> sync"],
  "a script of an adopted project goes on answering": ["> adopt --scripts", "> shim"],
  "a hub answers other machines": [
    "> up --allow-host",
    "> up --listen",
    "> up --public-url",
    "> up --tls-cert",
    "> up --tls-key",
  ],
  "what installing changes is said in a line a file, and shown whole where one asks": [
    "> install claude-code --diff",
    "> install codex --diff",
    "> install gemini --diff",
    "> uninstall claude-code --diff",
    "> uninstall codex --diff",
    "> uninstall gemini --diff",
  ],
  "a message is written from its fields": ["> send --set", "> send --task", "> send --type"],
  "the sender tells entries of one id apart": ["> show --from"],
  "a report names several commits, and work that was finished before": [
    "< task complete --commit text",
    "> task complete --commit text repeatable",
    "> task complete --finished-before",
  ],
};

/** Differences without a reason, and reasons without a difference. */
function unexplained(before: readonly string[], now: readonly string[], reasons: Reasons): readonly string[] {
  const [old, current] = [new Set(before), new Set(now)];
  const differences = [
    ...before.filter((line) => !current.has(line)).map((line) => `< ${line}`),
    ...now.filter((line) => !old.has(line)).map((line) => `> ${line}`),
  ];
  const starts = Object.entries(reasons).flatMap(([reason, each]) => each.map((start) => [reason, start] as const));
  return [
    ...differences.filter((line) => !starts.some(([, start]) => line.startsWith(start))),
    ...starts
      .filter(([, start]) => !differences.some((line) => line.startsWith(start)))
      .map(([reason, start]) => `nothing begins with "${start}" (${reason})`),
  ];
}

function linesOf(file: string): readonly string[] {
  return readFileSync(join(import.meta.dirname, "before", file), "utf8")
    .trimEnd()
    .split("\n");
}

const wire = wireLines(openApiDocument("0.0.0"));

test("each difference of the wire has its reason", () => {
  assert.deepEqual(unexplained(linesOf("wire.txt"), wire, wireReasons), []);
});

test("each difference of the commands and their options has its reason", async () => {
  assert.deepEqual(unexplained(linesOf("commands.txt"), await commandLines(catalogue), commandReasons), []);
});

test("a difference that nobody intended, and a reason for nothing, are seen", () => {
  const [first = "", ...rest] = wire;
  assert.deepEqual(unexplained([first, ...rest], [`${first}x`, ...rest], {}), [`< ${first}`, `> ${first}x`]);
  assert.deepEqual(unexplained(wire, wire, { why: ["> #X"] }), ['nothing begins with "> #X" (why)']);
});
