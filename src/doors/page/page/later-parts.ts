/** The parts of the page that its first view does not show: each is loaded when somebody wants it. */

/** Views that are loaded when they are first opened. */
export const laterViews = {
  inbox: () => import("../../../needs/page/inbox-view.svelte"),
  timeline: () => import("../../../record/page/timeline-view.svelte"),
  lanes: () => import("../../../record/page/lanes-view.svelte"),
  board: () => import("../../../tasks/page/board-view.svelte"),
  tasks: () => import("../../../tasks/page/task-page.svelte"),
  agents: () => import("../../../team/page/agent-page.svelte"),
  phases: () => import("../../../phases/page/phases-view.svelte"),
  handoffs: () => import("../../../handoffs/page/handoffs-view.svelte"),
  shutdown: () => import("../../../team/page/shutdown-view.svelte"),
  compose: () => import("../../../mail/page/compose-view.svelte"),
  journal: () => import("../../../record/page/journal-view.svelte"),
} as const;

/** What is over the page while somebody uses it. */
export const loadPalette = () => import("./palette.svelte");
export const loadKeys = () => import("./keys-dialog.svelte");
