/** The scripts that Baton answers, by name; each is loaded when it is called, for most calls are short. */
import { planningOf, type Script, type ScriptAnswer, type ScriptPlace } from "./script.ts";

const [departments, gates, leases, plans, work] = [
  () => import("./department-scripts.ts"),
  () => import("./gate-scripts.ts"),
  () => import("./lease-scripts.ts"),
  () => import("./plan-scripts.ts"),
  () => import("./work-scripts.ts"),
];

/** Every script that Baton answers, by its name without `.sh`. */
export const scripts: ReadonlyMap<string, () => Promise<Script>> = new Map([
  ["check-escalation-timeout", async () => (await departments()).checkEscalationTimeout],
  ["compute-dev-count", async () => (await departments()).computeDevCount],
  ["contract-revision", async () => (await plans()).contractRevision],
  ["department-guard", async () => (await gates()).departmentGuard],
  ["dept-gate", async () => (await departments()).deptGate],
  ["dept-status", async () => (await departments()).deptStatus],
  ["file-guard", async () => (await gates()).fileGuard],
  ["generate-contract", async () => (await plans()).generateContract],
  ["hard-gate", async () => (await gates()).hardGate],
  ["lease-lock", async () => (await leases()).leaseLock],
  ["lock-lite", async () => (await leases()).lockLite],
  ["log-event", async () => (await work()).logEvent],
  ["resolve-task-deps", async () => (await plans()).resolveTaskDeps],
  ["two-phase-complete", async () => (await work()).twoPhaseComplete],
  ["validate-contract", async () => (await plans()).validateContract],
  ["validate-gates", async () => (await gates()).validateGates],
  ["validate-message", async () => (await work()).validateMessage],
  ["validate-plan", async () => (await plans()).validatePlan],
  ["validate-send-message", async () => (await gates()).validateSendMessage],
]);

/** What a script answers there; null: Baton answers none of this name. */
export async function runScript(
  name: string,
  words: readonly string[],
  place: ScriptPlace,
): Promise<ScriptAnswer | null> {
  const load = scripts.get(name);
  if (load === undefined) return null;
  const script = await load();
  const planning = planningOf(place.directory, place.environment.VBW_PLANNING_DIR);
  return await script({ ...place, words, planning });
}
