/** The commands about handoff documents, for the catalogue. */
import type { Catalogue } from "./catalogue.ts";

const group = "Handoff documents";

/** In the order of a document's life. */
export const handoffCommands: Catalogue = [
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
];
