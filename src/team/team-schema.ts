/**
 * The form of `.baton/team.yaml` as JSON Schema 2020-12, for editors. `team-file.ts` reads; this only describes, and a
 * test holds the two together. What a schema cannot say (a dialect that is not listed) only the reader tells.
 */

import type { Json } from "../base/json.ts";
import {
  breakerFailuresDefault,
  breakerFailuresMax,
  breakerOpenSecondsDefault,
  breakerProbeSecondsDefault,
  breakerSecondsMax,
  breakerWindowSecondsDefault,
  disappearSecondsDefault,
  disappearSecondsMax,
  escalationSecondsDefault,
  escalationSecondsMax,
  leaseSecondsDefault,
  leaseSecondsMax,
  messageBytesMax,
  pageRowsMax,
} from "../base/limits.ts";
import { departments, roles } from "../message/role.ts";

/** The schema's identity, and what a new file names as its `$schema`. */
export const teamSchemaId = "urn:baton:team";

/** The keys of each level of the file. */
export const teamKeys = {
  top: ["version", "$schema", "team", "dialects", "policy", "team_mode", "agents", "routing", "limits"],
  agent: ["role", "department", "dialect"],
  routing: ["dialect", "type", "receivers"],
  limits: [
    "message_bytes",
    "inbox_page",
    "lease_seconds",
    "escalation_seconds",
    "disappear_seconds",
    "breaker_failures",
    "breaker_window_seconds",
    "breaker_open_seconds",
    "breaker_probe_seconds",
  ],
} as const;

/** Least value of `message_bytes`: below it no envelope of any dialect fits. */
export const messageBytesMin = 1024;

/** The schema for a build that knows these dialects. */
export function teamSchema(dialects: readonly string[]): Json {
  const dialect = { enum: [...dialects] };
  const agent = closed(["role"], {
    role: { description: "What the agent does; decides what it may send and receive.", enum: [...roles] },
    department: { enum: [...departments] },
    dialect: { ...dialect, description: "The dialect it reads and writes; the team's first one where it is missing." },
  });
  const routing = closed(["dialect", "type", "receivers"], {
    dialect,
    type: { type: "string" },
    receivers: { type: "array", minItems: 1, uniqueItems: true, items: { enum: [...roles] } },
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: teamSchemaId,
    title: "A Baton team",
    ...closed(["version", "team", "dialects"], {
      version: { const: 1 },
      $schema: { type: "string" },
      team: { type: "string", pattern: "^[a-z0-9-]{1,64}$" },
      dialects: {
        description: "In the order they are tried.",
        type: "array",
        minItems: 1,
        uniqueItems: true,
        items: dialect,
      },
      policy: {
        description: "enforce refuses faults; observe records them and delivers.",
        enum: ["enforce", "observe"],
      },
      team_mode: {
        description: "teammate: developers claim tasks themselves. task: a lead hands them out.",
        enum: ["teammate", "task"],
      },
      agents: {
        type: ["object", "null"],
        propertyNames: {
          pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
          not: { pattern: "^(?:[Oo][Ww][Nn][Ee][Rr]|[Bb][Aa][Tt][Oo][Nn])$" },
        },
        additionalProperties: agent,
      },
      routing: { description: "Widens who may receive a type.", type: ["array", "null"], items: routing },
      limits: { ...limitsSchema(), type: ["object", "null"] },
    }),
  };
}

function limitsSchema(): { readonly [key: string]: Json } {
  return closed([], {
    message_bytes: { type: "integer", minimum: messageBytesMin, maximum: messageBytesMax },
    inbox_page: { type: "integer", minimum: 1, maximum: pageRowsMax },
    lease_seconds: {
      description: `How long a claim lives without a sign of life of its holder; ${leaseSecondsDefault} where it is missing.`,
      type: "integer",
      minimum: 1,
      maximum: leaseSecondsMax,
    },
    escalation_seconds: {
      description: `How long a level may be silent about an escalation before it is passed by; ${escalationSecondsDefault} where it is missing.`,
      type: "integer",
      minimum: 1,
      maximum: escalationSecondsMax,
    },
    disappear_seconds: {
      description: `How late an expected sign of life may be before its agent has disappeared; ${disappearSecondsDefault} where it is missing.`,
      type: "integer",
      minimum: 1,
      maximum: disappearSecondsMax,
    },
    breaker_failures: {
      description: `So many disappearances of a department open its circuit breaker; ${breakerFailuresDefault} where it is missing.`,
      type: "integer",
      minimum: 1,
      maximum: breakerFailuresMax,
    },
    breaker_window_seconds: seconds("Within how long they count", breakerWindowSecondsDefault),
    breaker_open_seconds: seconds("How long it is open before one agent may try", breakerOpenSecondsDefault),
    breaker_probe_seconds: seconds("How long that one has to show life", breakerProbeSecondsDefault),
  });
}

function seconds(what: string, otherwise: number): Json {
  return {
    description: `${what}; ${otherwise} where it is missing.`,
    type: "integer",
    minimum: 1,
    maximum: breakerSecondsMax,
  };
}

function closed(
  required: readonly string[],
  properties: { readonly [key: string]: Json },
): { readonly [key: string]: Json } {
  return { type: "object", additionalProperties: false, ...(required.length === 0 ? {} : { required }), properties };
}
