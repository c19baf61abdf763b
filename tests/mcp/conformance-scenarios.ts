/**
 * The server scenarios of the protocol's own conformance suite, all of them: those that count, and why the others do
 * not. Most of the suite drives sample tools, resources and prompts (`test_simple_text`, `test://…`) that a server has
 * only when it was built to be tested.
 */

/** The words of a text. */
const wordsOf = (text: string) => text.trim().split(/\s+/);

export interface Scenario {
  readonly name: string;
  readonly revision: "2025-11-25" | "2026-07-28";
  /** Checks of the scenario that do not pass, each with its reason. */
  readonly except?: Readonly<Record<string, string>>;
}

const noDiagnosticTool = "asks for a sample tool, which this server does not list";
const noResources = "needs resources, which this server does not have: programs show its tools and prompts";

/** Scenarios that count: they must pass but for the named checks. */
export const counted: readonly Scenario[] = [
  { name: "server-initialize", revision: "2025-11-25" },
  { name: "ping", revision: "2025-11-25" },
  { name: "tools-list", revision: "2025-11-25" },
  { name: "prompts-list", revision: "2025-11-25" },
  { name: "dns-rebinding-protection", revision: "2025-11-25" },
  {
    name: "server-stateless",
    revision: "2026-07-28",
    except: {
      "sep-2575-server-rejects-undeclared-capability": noDiagnosticTool,
      "sep-2575-missing-capability-http-400": noDiagnosticTool,
      "sep-2575-http-server-no-independent-requests-on-stream": noDiagnosticTool,
      "sep-2575-server-no-log-without-loglevel": noDiagnosticTool,
    },
  },
  { name: "tools-list", revision: "2026-07-28" },
  { name: "prompts-list", revision: "2026-07-28" },
  { name: "server-sse-multiple-streams", revision: "2026-07-28" },
  { name: "dns-rebinding-protection", revision: "2026-07-28" },
  {
    name: "caching",
    revision: "2026-07-28",
    except: {
      "sep-2549-resources-list-caching-hints": noResources,
      "sep-2549-resources-templates-list-caching-hints": noResources,
    },
  },
  { name: "http-header-validation", revision: "2026-07-28" },
  { name: "input-required-result-unsupported-methods", revision: "2026-07-28" },
  { name: "input-required-result-validate-input", revision: "2026-07-28" },
];

/** Scenarios that do not count, by the reason; the suite runs them with the others. */
export const notCounted: Readonly<Record<string, readonly string[]>> = {
  "needs a sample tool": wordsOf(`
    tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content
    tools-call-with-logging tools-call-error tools-call-with-progress tools-call-sampling tools-call-elicitation
    json-schema-2020-12 elicitation-sep1034-defaults elicitation-sep1330-enums server-sse-polling
    http-custom-header-server-validation input-required-result-basic-elicitation
    input-required-result-basic-sampling input-required-result-basic-list-roots input-required-result-request-state
    input-required-result-multiple-input-requests input-required-result-multi-round
    input-required-result-missing-input-response input-required-result-result-type
    input-required-result-tampered-state input-required-result-capability-check
    input-required-result-ignore-extra-params
`),
  [noResources]: wordsOf(`
    resources-list sep-2164-resource-not-found resources-read-text resources-read-binary resources-templates-read
    resources-subscribe resources-unsubscribe
`),
  "needs a sample prompt": wordsOf(`
    completion-complete prompts-get-simple prompts-get-with-args prompts-get-embedded-resource
    prompts-get-with-image input-required-result-non-tool-request
`),
  "needs sessions, which this server does not have: the suite skips every check": ["server-session-lifecycle"],
  "needs log messages to the client, which this server does not send (and the newest revision deprecates)": [
    "logging-set-level",
  ],
  "tests an extension that this server does not declare": wordsOf(`
    sep-2640-skills-directory sep-2640-skills-enumeration sep-2640-skills-manifest tasks-lifecycle
    tasks-capability-negotiation tasks-wire-fields tasks-request-state-removal tasks-mrtr-input
    tasks-request-headers tasks-dispatch-and-envelope tasks-status-notifications tasks-required-task-error
    tasks-mrtr-composition
`),
};
