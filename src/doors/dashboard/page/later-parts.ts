/** The parts of the page that its first view does not show: each is loaded when somebody wants it. */

/** Views that are loaded when they are first opened. */
export const laterViews = {
  inbox: () => import("../inbox/inbox-view.svelte"),
  timeline: () => import("../timeline/timeline-view.svelte"),
  lanes: () => import("../lanes/lanes-view.svelte"),
  board: () => import("../board/board-view.svelte"),
  tasks: () => import("../board/task-page.svelte"),
  agents: () => import("../overview/agent-page.svelte"),
  phases: () => import("../phases/phases-view.svelte"),
  handoffs: () => import("../handoffs/handoffs-view.svelte"),
  shutdown: () => import("../overview/shutdown-view.svelte"),
  compose: () => import("../compose/compose-view.svelte"),
  journal: () => import("../journal/journal-view.svelte"),
} as const;

/** What is over the page while somebody uses it. */
export const loadPalette = () => import("./palette.svelte");
export const loadKeys = () => import("./keys-dialog.svelte");
