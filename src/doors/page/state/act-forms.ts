/** What the person does on the page by a form of its own, with the fields and the words of each. */

import type { Json } from "../../../base/json.ts";
import { roles } from "../../../messages/role.ts";
import { teamPath } from "../hub/request.ts";
import { type FormField, formField } from "../shown/form-values.ts";

/** One form. `key`: its part of the page's address. */
export interface ComposeForm {
  readonly key: string;
  readonly title: string;
  readonly summary: string;
  readonly fields: readonly FormField[];
  /** Where it is sent and what, with the values of its fields. */
  request(values: Readonly<Record<string, Json>>): { readonly path: string; readonly body: object };
}

const departments = ["backend", "frontend", "uiux", "shared"] as const;

/** The forms for a team, in their order. */
export function actForms(team: string): readonly ComposeForm[] {
  return [
    {
      key: "reassign",
      title: "Reassign a task",
      summary: "Gives a task that somebody holds to another agent, which reads the reason.",
      fields: [
        formField("task", "line", "The task that goes to another.", true),
        formField("to", "line", "Who has it from now on.", true),
        formField("reason", "text", "Both read it.", true),
        formField("plan", "line", "Its plan, where several have a task of that name."),
      ],
      request: ({ task, ...body }) => ({
        path: teamPath(team, `tasks/${encodeURIComponent(typeof task === "string" ? task : "")}/reassign`),
        body,
      }),
    },
    {
      key: "agent",
      title: "Register an agent",
      summary: "Adds an agent to the team, or brings back one that has left.",
      fields: [
        formField("agent", "line", "Its name, such as dev-1.", true),
        formField("role", roles, "What it does in the team.", true),
        formField("department", departments, "Where it belongs to one."),
      ],
      request: (body) => ({ path: teamPath(team, "agents"), body }),
    },
    {
      key: "token",
      title: "Create a token",
      summary: "A token proves to the hub who an agent is, or you. Whoever has it is that agent.",
      fields: [formField("agent", "line", "Whom it proves.", true)],
      request: (body) => ({ path: teamPath(team, "tokens"), body }),
    },
    {
      key: "share",
      title: "Share or invite",
      summary: "A link by which somebody may read this team until it expires, or also decide what needs you.",
      fields: [
        formField("hours", "whole", "For how many hours it is good: 24 where you write none, 720 at most."),
        formField("note", "line", "For whom it is, for your list."),
        formField("person", "line", "Who may decide by it, recorded under this name. Without one it is for reading."),
      ],
      request: (body) => ({ path: teamPath(team, "shares"), body }),
    },
  ];
}
