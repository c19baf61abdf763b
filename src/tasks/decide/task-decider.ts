/**
 * Tasks and claims as one decider: its parts are `tasks.ts` (the list), `claims.ts` (who holds what), `artifacts.ts` (what
 * messages name) and their neighbours, its state is `task-state.ts`, its fold `task-fold.ts`.
 * Source: docs/protocol/tasks.md.
 */
import { unreachable } from "../../base/invariant.ts";
import { ok } from "../../base/result.ts";
import {
  type NameArtifacts,
  nameArtifacts,
  type RecordArtifacts,
  recordArtifacts,
  type SettleArtifacts,
  settleArtifacts,
} from "../../evidence/decide/artifact-disputes.ts";
import type { Decider } from "../../perform/decider.ts";
import type { WorkEvent } from "../state/task-events.ts";
import { evolveWork } from "../state/task-fold.ts";
import { initialWork, type Work } from "../state/task-state.ts";
import { type DiscussTask, discussTask, type EndTask, endTask } from "./asks.ts";
import {
  type ClaimTask,
  claimTask,
  type ReleaseTask,
  type RenewTask,
  releaseAll,
  releaseTask,
  renewTask,
} from "./claims.ts";
import {
  type RecordFinding,
  type RecordVerdict,
  type ReportTask,
  recordFinding,
  recordVerdict,
  reportTask,
} from "./completions.ts";
import { type FreeFiles, freeFiles, type TakeFiles, takeFiles } from "./edit-claims.ts";
import { type ExpireLeases, expireLeases } from "./leases.ts";
import { type ReopenTask, reopenTask, type SettleTask, settleTask } from "./settling.ts";
import { type AddTask, type AdoptTasks, addTask, adoptTasks } from "./tasks.ts";

/** Orders about tasks. `release-all`: an agent has left the team. */
export type WorkCommand =
  | AddTask
  | AdoptTasks
  | DiscussTask
  | EndTask
  | ClaimTask
  | ReleaseTask
  | RenewTask
  | ExpireLeases
  | ReportTask
  | RecordVerdict
  | RecordFinding
  | SettleTask
  | ReopenTask
  | NameArtifacts
  | RecordArtifacts
  | SettleArtifacts
  | TakeFiles
  | FreeFiles
  | { readonly command: "release-all"; readonly holder: string };

/** Refuses what `addTask`, `claimTask`, `renewTask`, `releaseTask`, `reportTask` and `recordVerdict` refuse. */
export const work: Decider<Work, WorkCommand, WorkEvent> = {
  name: "work",
  initial: initialWork,
  decide(command, state) {
    switch (command.command) {
      case "add-task":
        return addTask(command, state);
      case "adopt-tasks":
        return ok(adoptTasks(command, state));
      case "discuss-task":
        return discussTask(command, state);
      case "end-task":
        return endTask(command, state);
      case "claim-task":
        return claimTask(command, state);
      case "release-task":
        return releaseTask(command, state);
      case "renew-task":
        return renewTask(command, state);
      case "expire-leases":
        return ok({ events: expireLeases(command, state), notes: [] });
      case "report-task":
        return reportTask(command, state);
      case "record-verdict":
        return recordVerdict(command, state);
      case "record-finding":
        return recordFinding(command, state);
      case "settle-task":
        return settleTask(command, state);
      case "reopen-task":
        return reopenTask(command, state);
      case "name-artifacts":
        return ok(nameArtifacts(command, state));
      case "record-artifacts":
        return recordArtifacts(command, state);
      case "settle-artifacts":
        return settleArtifacts(command, state);
      case "take-files":
        return takeFiles(command, state);
      case "free-files":
        return ok({ events: freeFiles(command, state), notes: [] });
      case "release-all":
        return ok({ events: releaseAll(state, command.holder), notes: [] });
      default:
        return unreachable(command);
    }
  },
  evolve: evolveWork,
};
