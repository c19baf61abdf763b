/**
 * The form of `.baton/team.yaml` as JSON Schema 2020-12, for editors. `team-file.ts` reads; this only describes, and a
 * test holds the two together. What a schema cannot say (a dialect that is not listed) only the reader tells.
 */
import type { Json } from "../../base/json.ts";
import { checkSecondsMax } from "../../base/limits.ts";
import { reservedNames } from "../../messages/principal.ts";
import { hookPrograms } from "../../messages/program-hooks.ts";
import { departments, levels, roles } from "../../messages/role.ts";
import { branchPattern, landingTimes, teamLimits } from "./definition.ts";
import { namePattern, ruleAgentsMax, ruleRoles } from "./roster.ts";

/** The schema's identity, and what a new file names as its `$schema`. */
export const teamSchemaId = "urn:baton:team";

/** The keys of each level of the file. */
export const teamKeys = {
  top: [
    "version",
    "$schema",
    "team",
    "dialects",
    "policy",
    "broken_json",
    "team_mode",
    "claims",
    "scope",
    "planning",
    "main",
    "land",
    "shared",
    "checks",
    "chain",
    "agents",
    "routing",
    "names",
    "speakers",
    "limits",
  ],
  agent: ["role", "department", "dialect", "program"],
  routing: ["dialect", "type", "receivers"],
  names: ["pattern", "role", "department", "dialect", "max"],
  land: ["when"],
  checks: ["commands", "setup", "share", "sandbox"],
  check: ["run", "network", "seconds"],
  limits: teamLimits.map(({ key }) => key),
} as const;

/** The schema for a build that knows these dialects. */
export function teamSchema(dialects: readonly string[]): Json {
  const dialect = { enum: [...dialects] };
  const agent = closed(["role"], {
    role: { description: "What the agent does; decides what it may send and receive.", enum: [...roles] },
    department: { enum: [...departments] },
    dialect: { ...dialect, description: "The dialect it reads and writes; the team's first one where it is missing." },
    program: { description: "What `baton run` starts for it, in a work tree of its own.", enum: [...hookPrograms] },
  });
  const routing = closed(["dialect", "type", "receivers"], {
    dialect,
    type: { type: "string" },
    receivers: { type: "array", minItems: 1, uniqueItems: true, items: { enum: [...roles] } },
  });
  const limits = closed(
    [],
    Object.fromEntries(
      teamLimits.map(({ key, min, max, otherwise, says }) => {
        const description = `${says[0]?.toUpperCase()}${says.slice(1)}; ${otherwise} where it is missing.`;
        return [key, { description, type: "integer", minimum: min, maximum: max }];
      }),
    ),
  );
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
        description: "enforce refuses errors; observe records them and delivers.",
        enum: ["enforce", "observe"],
      },
      broken_json: {
        description:
          "JSON that does not parse: refuse, or prose (delivered as prose, with a note). Missing: prose under observe, refuse under enforce.",
        enum: ["refuse", "prose"],
      },
      team_mode: {
        description: "teammate: developers claim tasks themselves. task: a lead hands them out.",
        enum: ["teammate", "task"],
      },
      ...claimRules,
      land: closed(["when"], {
        when: {
          description:
            "auto: a hub lands verified work on the branch baton/MAIN, from which `baton land` moves yours. ask: you are asked.",
          enum: [...landingTimes],
        },
      }),
      checks,
      chain,
      agents: {
        type: ["object", "null"],
        propertyNames: {
          pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
          not: { pattern: `^(?:${reservedNames.map(inAnySpelling).join("|")})$` },
        },
        additionalProperties: agent,
      },
      routing: { description: "Widens who may receive a type.", type: ["array", "null"], items: routing },
      names: nameRules(dialect),
      speakers,
      limits: { ...limits, type: ["object", "null"] },
    }),
  };
}

/** A pattern of the name in any case, with separators anywhere behind its first letter. */
function inAnySpelling(name: string): string {
  return [...name].map((letter) => `[${letter.toUpperCase()}${letter}][._-]*`).join("");
}

const chain: Json = {
  description: "The levels that escalations go up, lowest first; the last is the user.",
  type: "array",
  minItems: 1,
  uniqueItems: true,
  items: { enum: [...levels] },
};

/** How agents come to hold files. */
const claimRules: { readonly [key: string]: Json } = {
  claims: {
    description:
      "declared: a developer claims a task before it edits. edits: the first edit of a file that nobody holds takes it. Missing: edits where no dialect of the team has a claim message.",
    enum: ["declared", "edits"],
  },
  scope: {
    description:
      "strict: a task's files are a bound. advisory: they are a forecast, and what is edited outside them is noted. Missing: advisory where no dialect of the team has a claim message.",
    enum: ["strict", "advisory"],
  },
  planning: {
    description: "The planning folder of another tool that a hub keeps in step with the record. Missing: none.",
    enum: [".vbw-planning", ".yolo-planning"],
  },
  main: {
    description: "The branch on which work has landed. Missing: the one of origin, else main or master.",
    type: "string",
    pattern: branchPattern.source,
  },
  shared: {
    description: "Globs of files that several agents edit, such as an index; an edit does not take them.",
    type: ["array", "null"],
    uniqueItems: true,
    items: { type: "string" },
  },
};

const check: Json = {
  anyOf: [
    { type: "string", minLength: 1 },
    closed(["run"], {
      run: { type: "string", minLength: 1 },
      network: { type: "boolean" },
      seconds: { type: "integer", minimum: 1, maximum: checkSecondsMax },
    }),
  ],
};

const checks: Json = {
  description: "Which checks of contracts may run. Missing: none does without your word.",
  ...closed(["commands"], {
    commands: { type: "array", items: check },
    setup: { ...check, description: "Runs before the checks in each clean tree." },
    share: {
      description: "Folders of the checkout that the clean tree links to. Missing: node_modules.",
      type: "array",
      items: { type: "string" },
    },
    sandbox: { description: "none: checks run without a sandbox.", enum: ["none"] },
  }),
};

const speakers: Json = {
  description: "Agents that pass on what the user decides.",
  type: ["array", "null"],
  uniqueItems: true,
  items: { type: "string" },
};

/** The rules under `names`. */
function nameRules(dialect: Json): Json {
  const rule = closed(["pattern", "role", "max"], {
    pattern: {
      description: "An agent's name with one * in it, which stands for one or more characters.",
      type: "string",
      maxLength: 64,
      pattern: namePattern.source,
    },
    role: { description: "What such an agent is; no role that decides for others.", enum: [...ruleRoles] },
    department: { enum: [...departments] },
    dialect,
    max: {
      description: "How many such agents may be in the team at once.",
      type: "integer",
      minimum: 1,
      maximum: ruleAgentsMax,
    },
  });
  return { description: "Which agents may join by their names alone.", type: ["array", "null"], items: rule };
}

function closed(
  required: readonly string[],
  properties: { readonly [key: string]: Json },
): { readonly [key: string]: Json } {
  return { type: "object", additionalProperties: false, ...(required.length === 0 ? {} : { required }), properties };
}
