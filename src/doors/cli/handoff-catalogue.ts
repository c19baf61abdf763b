/** The commands about handoff documents, for the catalogue. */
import type { Catalogue } from "./catalogue.ts";

const group = "Handoff documents";

/** In the order of a document's life. */
export const handoffCommands: Catalogue = [
  {
    group,
    name: "handoff new",
    summary: "a draft from flags, the record, Markdown or questions",
    load: () => import("./commands/handoff-new.ts"),
  },
  {
    group,
    name: "handoff issue",
    summary: "stamp a document and hand the work over with it",
    load: () => import("./commands/handoff-issue.ts"),
  },
  {
    group,
    name: "handoff validate",
    summary: "whether a file is a well-formed handoff document",
    load: () => import("./commands/handoff-validate.ts"),
  },
  {
    group,
    name: "handoff verify",
    summary: "the files of a handoff document against their checksums",
    load: () => import("./commands/handoff-verify.ts"),
  },
  {
    group,
    name: "handoff accept",
    summary: "verify the files, and take the work over",
    load: () => import("./commands/handoff-accept.ts"),
  },
  {
    group,
    name: "handoff reject",
    summary: "give the work back, with reasons",
    load: () => import("./commands/handoff-reject.ts"),
  },
  {
    group,
    name: "handoff complete",
    summary: "say that what was handed over is done",
    load: () => import("./commands/handoff-complete.ts"),
  },
  {
    group,
    name: "handoff show",
    summary: "one handoff, its document and its lineage",
    load: () => import("./commands/handoff-show.ts"),
  },
  {
    group,
    name: "handoff list",
    summary: "what was handed over, and how it stands",
    load: () => import("./commands/handoff-list.ts"),
  },
];
