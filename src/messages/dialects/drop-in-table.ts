/**
 * The tables of the drop-in: which payload fields a script asks for, who may send, who may receive, in each revision of
 * the scripts. They differ from the dialects' matrices in places (docs/protocol/messages.md, section 20, says where); a
 * test lists every difference with its reason.
 */

/** What a script knows of one message. */
export interface DropInMessage {
  /** Payload fields that must be there, in the order they are asked for. */
  readonly required: readonly string[];
  readonly senders: readonly string[];
}

/** One revision of the scripts. */
export interface DropInTable {
  readonly messages: ReadonlyMap<string, DropInMessage>;
  /** Types that each role may be addressed with. */
  readonly receives: ReadonlyMap<string, readonly string[]>;
  /** Whether `v2_typed_protocol: false` switches the judgement off. */
  readonly heedsFlag: boolean;
  /** Whether flat shutdown messages are lifted and `checks_detail` is looked at. */
  readonly isLaterRevision: boolean;
}

const request = ["subject", "request_type", "evidence"];
const teammates = ["dev", "qa", "scout", "lead", "debugger", "docs"];

/** Entries that are the same in every revision; each dialect's table adds its own. */
const sharedMessages: readonly (readonly [string, DropInMessage])[] = [
  ["scout_findings", { required: ["domain", "documents"], senders: ["scout"] }],
  [
    "plan_contract",
    {
      required: ["plan_id", "phase_id", "objective", "tasks", "allowed_paths", "must_haves"],
      senders: ["lead", "architect"],
    },
  ],
  ["execution_update", { required: ["plan_id", "task_id", "status", "commit"], senders: ["dev", "docs"] }],
  ["qa_verdict", { required: ["tier", "result", "checks"], senders: ["qa"] }],
  ["approval_request", { required: request, senders: ["dev", "lead"] }],
  ["approval_response", { required: ["request_id", "approved", "reason"], senders: ["lead", "architect"] }],
  ["shutdown_request", { required: ["reason", "team_name"], senders: ["lead"] }],
];

/** `blocker_report`, sent by `senders`. */
function blockerReport(senders: readonly string[]): readonly [string, DropInMessage] {
  return ["blocker_report", { required: ["plan_id", "task_id", "blocker", "needs"], senders }];
}

/** `shutdown_response`, whose answer field is spelled differently. */
function shutdownResponse(answerField: string): readonly [string, DropInMessage] {
  return ["shutdown_response", { required: ["request_id", answerField, "final_status"], senders: teammates }];
}

/** Who may be addressed with what; `diagnosis` is `debugger_report` where the revision knows it. */
function receivesTable(diagnosis: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const asked = ["plan_contract", "shutdown_request"];
  const worker = ["plan_contract", "approval_response", "shutdown_request"];
  return new Map([
    [
      "lead",
      [
        "execution_update",
        "blocker_report",
        ...diagnosis,
        "qa_verdict",
        "scout_findings",
        "approval_request",
        "shutdown_request",
        "shutdown_response",
      ],
    ],
    ["architect", ["scout_findings", "approval_request"]],
    ["dev", worker],
    ["docs", worker],
    ["qa", asked],
    ["scout", asked],
    ["debugger", asked],
  ]);
}

/** The scripts of vbw/2. */
export const vbw2DropIn: DropInTable = {
  messages: new Map([...sharedMessages, blockerReport(["dev", "debugger", "docs"]), shutdownResponse("approve")]),
  receives: receivesTable([]),
  heedsFlag: true,
  isLaterRevision: false,
};

/** The scripts of vbw/2.1: a debugger's own report, `approved`, no flag. */
export const vbw21DropIn: DropInTable = {
  messages: new Map([
    ...sharedMessages,
    blockerReport(["dev", "docs"]),
    [
      "debugger_report",
      {
        required: [
          "hypothesis",
          "evidence_for",
          "evidence_against",
          "confidence",
          "resolution_observation",
          "recommended_fix",
        ],
        senders: ["debugger"],
      },
    ],
    shutdownResponse("approved"),
  ]),
  receives: receivesTable(["debugger_report"]),
  heedsFlag: false,
  isLaterRevision: true,
};

/** The scripts of yolo/2. */
export const yolo2DropIn: DropInTable = {
  messages: new Map([
    ...sharedMessages,
    blockerReport(["dev", "docs"]),
    [
      "debugger_report",
      {
        required: ["hypothesis", "evidence_for", "evidence_against", "confidence", "recommended_fix"],
        senders: ["debugger"],
      },
    ],
    shutdownResponse("approved"),
  ]),
  receives: receivesTable(["debugger_report"]),
  heedsFlag: true,
  isLaterRevision: false,
};
