/**
 * The contract about endpoints between frontend and backend: either lead proposes, the other agrees to the same endpoints
 * or proposes others, and backend builds what is agreed. The third counter-proposal goes to the owner. What is out of
 * step is noted with what differs, and changes nothing.
 * Source: docs/protocol/phases.md, section 6.
 */
import type { Problem } from "../../base/problem.ts";
import { ok, type Result } from "../../base/result.ts";
import { shorten, shortList } from "../../base/text.ts";
import type { FactBodies } from "../../messages/fact-bodies.ts";
import type { WorkDepartment } from "../../messages/role.ts";
import { type Decided, nothing } from "../../perform/decider.ts";
import {
  type ApiContract,
  type ApiStep,
  apiStepsMax,
  endpointDifferences,
  endpointsOf,
  hashOfEndpoints,
} from "../state/department-state.ts";
import type { Said } from "../state/phase-state.ts";

/** Counter-proposals of one negotiation; with the last of them the owner decides. */
export const counterProposalsMax = 3;

/** The contract as it is after a word of one of its sides. */
export interface ApiNegotiated {
  readonly event: "api-negotiated";
  readonly phase: string;
  readonly contract: ApiContract;
  /** Whether this word was one counter-proposal too many. */
  readonly isAtLimit: boolean;
}

/** A word about endpoints. */
export interface NegotiateApi {
  readonly command: "negotiate-api";
  readonly phase: string;
  readonly body: FactBodies["api-contract"];
  readonly said: Said;
}

type Outcome = Result<Decided<ApiNegotiated>, readonly Problem[]>;

/** What the word makes of the contract. Never refused. */
export function negotiateApi({ phase, body, said }: NegotiateApi, known: ApiContract | null): Outcome {
  const department: WorkDepartment = body.direction === "frontend_to_backend" ? "frontend" : "backend";
  const endpoints = endpointsOf(body.endpoints);
  const hash = hashOfEndpoints(endpoints);
  const differences = endpointDifferences(known?.endpoints ?? [], endpoints);
  const step = { ...said, department, hash, differences };
  const negotiated = (contract: Omit<ApiContract, "steps">, word: ApiStep["word"], isAtLimit = false): Outcome => {
    const steps = [...(known?.steps ?? []), { ...step, word }].slice(-apiStepsMax);
    const notes = differences.length === 0 || known === null ? [] : [differencesNote(differences)];
    return ok({ events: [{ event: "api-negotiated", phase, contract: { ...contract, steps }, isAtLimit }], notes });
  };
  if (body.status === "proposed") {
    if (known?.hash === hash && known.proposer === department)
      return outOfStep("already-so", "You propose so already.");
    if (known?.hash === hash && known.standing !== "implemented") {
      return outOfStep(
        "api-same",
        'These are the endpoints that the other side proposes; agree to them with status "agreed".',
      );
    }
    const isCounter = known !== null && (known.standing === "proposed" || known.standing === "disputed");
    if (!isCounter)
      return negotiated({ standing: "proposed", proposer: department, hash, endpoints, counters: 0 }, "proposed");
    if (known.proposer === department) return negotiated({ ...known, hash, endpoints }, "proposed");
    const counters = known.counters + 1;
    const isAtLimit = counters >= counterProposalsMax;
    const standing = isAtLimit ? "disputed" : "proposed";
    return negotiated({ standing, proposer: department, hash, endpoints, counters }, "counter-proposed", isAtLimit);
  }
  if (known === null)
    return outOfStep("api-unproposed", 'Nobody has proposed these endpoints; begin with status "proposed".');
  if (differences.length > 0) {
    const message = `These are not the agreed endpoints: ${shortList(differences.map(shown))}`;
    return outOfStep("api-differs", message);
  }
  return body.status === "agreed"
    ? agree(known, { department, by: said.by }, negotiated)
    : implement(known, department, negotiated);
}

type Negotiate = (contract: Omit<ApiContract, "steps">, word: ApiStep["word"]) => Outcome;

function agree(
  known: ApiContract,
  { department, by }: { readonly department: WorkDepartment; readonly by: string },
  negotiated: Negotiate,
): Outcome {
  if (known.standing === "agreed" || known.standing === "implemented") {
    return outOfStep("already-so", "These endpoints are agreed already.");
  }
  // Who proposed them stays their proposer, whichever department it leads now.
  const proposal = known.steps.findLast(({ word }) => word === "proposed" || word === "counter-proposed");
  if (known.proposer === department || proposal?.by === by) {
    return outOfStep("api-own-proposal", "The other side agrees to a proposal, not the one that made it.");
  }
  return negotiated({ ...known, standing: "agreed", counters: 0 }, "agreed");
}

function implement(known: ApiContract, department: WorkDepartment, negotiated: Negotiate): Outcome {
  if (department !== "backend") return outOfStep("api-not-backend", "Backend builds the endpoints and says so.");
  if (known.standing === "implemented") return outOfStep("already-so", "These endpoints are built already.");
  if (known.standing !== "agreed")
    return outOfStep("api-unagreed", "The other side has not agreed to these endpoints yet.");
  return negotiated({ ...known, standing: "implemented" }, "implemented");
}

function outOfStep(code: string, message: string): Outcome {
  return nothing(code, message);
}

function differencesNote(differences: readonly string[]) {
  const message = `Changes the earlier endpoints: ${shortList(differences.map(shown))}`;
  return { code: "api-changes", path: "$.body.endpoints", message };
}

/** Most of one difference that a note repeats. */
const shownCharactersMax = 160;

function shown(difference: string): string {
  return shorten(difference, shownCharactersMax);
}
