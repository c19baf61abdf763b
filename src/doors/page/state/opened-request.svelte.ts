/** The request behind the approval that is opened. It is asked for by its id: all that are open may be thousands. */
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
    $effect(() => {
      const { id, need } = item();
      const past = view.past?.seq;
      const { kind, target, agent } = need;
      if (kind !== "approval") return;
      void this.#requests(target, past).then((all) => {
        if (all === null || id !== item().id || past !== view.past?.seq) return;
        this.#found = {
          id,
          request: all.find(({ requestId, requester }) => requestId === target && requester === agent),
        };
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
