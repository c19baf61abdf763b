/** The request behind the approval that is opened. It is asked for by its id: all that are open may be thousands. */
import { untrack } from "svelte";
import type { ApprovalState } from "../../../approvals/decide/approvals.ts";
import type { Need } from "../../../needs/view/need-ranking.ts";
import type { Past } from "../../../record/operations/lanes.ts";
import { ask, teamPath } from "../hub/request.ts";
import type { TeamView } from "./team-view.svelte.ts";

/** To be made with a component, with which it ends. */
export class OpenedRequest {
  readonly #view: TeamView;
  #found = $state.raw<{ readonly id: string; readonly request: ApprovalState | undefined } | null>(null);
  readonly #item: () => { readonly id: string; readonly need: Need };
  /** Undefined: it is not there yet, or the need is no approval. */
  readonly request = $derived.by(() => (this.#found?.id === this.#item().id ? this.#found.request : undefined));

  constructor(view: TeamView, item: () => { readonly id: string; readonly need: Need }) {
    this.#view = view;
    this.#item = item;
    // The need is another object with each answer of the hub.
    const asked = $derived(JSON.stringify([item().id, item().need.ifSeq, view.past?.seq ?? null]));
    $effect(() => {
      const of = asked;
      untrack(() => {
        const { id, need } = item();
        if (need.kind !== "approval") return;
        void this.#requests(need.target, view.past?.seq).then((all) => {
          if (all === null || of !== asked) return;
          const request = all.find(({ requestId, requester }) => requestId === need.target && requester === need.agent);
          this.#found = { id, request };
        });
      });
    });
  }

  async #requests(target: string, past: number | undefined): Promise<readonly ApprovalState[] | null> {
    const { name } = this.#view;
    if (past !== undefined) {
      const then = await ask<Past>(teamPath(name, `at/${past}/approvals`));
      // The hub promises what the operation of that view answers.
      return then.ok ? (then.value.value as readonly ApprovalState[]) : null;
    }
    const now = await ask<{ readonly approvals: readonly ApprovalState[] }>(
      teamPath(name, "approvals", { request: target }),
    );
    return now.ok ? now.value.approvals : null;
  }
}
