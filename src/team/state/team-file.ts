/**
 * Reads `.baton/team.yaml`. Pure: text in, definition or errors out, each with its line and column.
 *
 *   version: 1                 required, this number
 *   $schema: TEXT              optional, for editors
 *   team: web                  required, [a-z0-9-]{1,64}
 *   dialects: [vbw/2]          required, at least one, each once; the first is the default of agents
 *   policy: enforce            or observe; enforce where it is missing
 *   broken_json: refuse        or prose; where it is missing, prose under observe and refuse under enforce
 *   team_mode: teammate        or task; teammate where it is missing
 *   claims: declared           or edits; edits where it is missing and no dialect of the team has a claim message
 *   scope: strict              or advisory; advisory where it is missing and no dialect of the team has a claim message
 *   planning: .vbw-planning    or .yolo-planning: the folder of another tool that a hub keeps in step
 *   main: develop              the branch on which work has landed; the one that git takes for the main one where missing
 *   land: {when: auto}         verified work lands by itself; by `baton land` alone where missing
 *   shared: [src/index.ts]     globs of files that an edit does not take
 *   checks:                    which checks of contracts may run; only `commands` is required
 *     commands: [npm test, {run: npm run e2e, network: true, seconds: 900}]
 *     setup: npm ci            runs before them in each clean tree; as a command
 *     share: [node_modules]    folders of the checkout that the tree links to; these where it is missing
 *     sandbox: none            where it is missing, nothing runs without one
 *   chain: [dev, lead, user]   the levels that escalations go up, lowest first, the user last; the dialect's where missing
 *   agents:                    by name; `owner` is kept for the person
 *     dev-1: {role: dev, department: backend, dialect: vbw/2, program: codex}      only role is required
 *   routing:                   widens who may receive a type
 *     - {dialect: vbw/2, type: execution_update, receivers: [qa]}
 *   names:                     which agents may join by their names alone; see docs/protocol/authority.md, sections 17
 * to 21
 *     - {pattern: vbw-dev-*, role: dev, max: 8}                     department and dialect where they matter
 *   speakers: [orchestrator-1]                                     agents that pass on what the user decides
 *   limits: {message_bytes: 65536, lease_seconds: 300}           whole numbers, by the names and bounds of definition.ts
 *
 * `agents`, `routing`, `names`, `speakers`, `shared` and `limits` may be missing or empty. Unknown keys are errors: a
 * misspelt one must not be ignored.
 */
import { agentName, teamName } from "../../base/ids.ts";
import { isJsonList, isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { checkSecondsMax } from "../../base/limits.ts";
import { readGlob } from "../../base/paths/globs.ts";
import { jsonPath, makeProblem, type Problem, pathStep } from "../../base/problem.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { nearest, shorten } from "../../base/text.ts";
import { parseYaml, type Yaml } from "../../base/text-formats/yaml.ts";
import type { DialectId } from "../../messages/message.ts";
import {
  isReservedName,
  nameHint,
  nameInOtherCase,
  otherCaseMessage,
  reservedNameMessage,
} from "../../messages/principal.ts";
import { type HookProgram, hookPrograms } from "../../messages/program-hooks.ts";
import { type Department, departments, type Level, levels, type Role, roles } from "../../messages/role.ts";
import {
  type AgentDefinition,
  branchPattern,
  brokenJsonRules,
  type CheckCommand,
  claimsRules,
  landingTimes,
  type NameRule,
  type Policy,
  planningFolders,
  type RoutingWidening,
  scopeRules,
  type TeamChecks,
  type TeamDefinition,
  type TeamLimits,
  teamLimits,
  teamModes,
} from "./definition.ts";
import { namePattern, ruleAgentsMax, ruleRoles } from "./roster.ts";
import { teamKeys } from "./team-schema.ts";

export interface TeamFileOptions {
  /** Every dialect. */
  readonly dialects: readonly DialectId[];
  /** The file's name in problems. */
  readonly path?: string;
  /** The message types of a dialect; without it, the types under `routing` are not checked. */
  readonly types?: (dialect: DialectId) => readonly string[];
}

/**
 * The definition that `text` holds, or all its errors in the order of the text. Each has the path `FILE:LINE:COLUMN`;
 * the code is `team-file`, or that of `parseYaml` for text that is no readable YAML. Never throws.
 */
export async function readTeamFile(
  text: string,
  options: TeamFileOptions,
): Promise<Result<TeamDefinition, readonly Problem[]>> {
  const file = options.path ?? ".baton/team.yaml";
  const yaml = await parseYaml(text, file);
  if (!yaml.ok) return err([yaml.error]);
  const reading = new Reading(yaml.value, file);
  const definition = readTeam(yaml.value.value, reading, options);
  return reading.found.length > 0 ? err(reading.inTextOrder()) : ok(definition);
}

const policies: readonly Policy[] = ["enforce", "observe"];

function readTeam(value: Json, reading: Reading, options: TeamFileOptions): TeamDefinition {
  const top = reading.object(value, "$", teamKeys.top, ["version", "team", "dialects"]);
  if (top.version !== undefined && top.version !== 1)
    reading.problem("$.version", "This version of the format is not known.", "1", top.version);
  if (top.$schema !== undefined) reading.text(top.$schema, '$["$schema"]');
  const name = top.team === undefined ? "" : reading.text(top.team, "$.team");
  if (name !== null && name !== "" && teamName(name) === null)
    reading.problem("$.team", "This cannot be a team's name.", "1 to 64 of a-z, 0-9 and -", name);
  if (name === "" && top.team !== undefined)
    reading.problem("$.team", "The team's name is empty.", "1 to 64 of a-z, 0-9 and -");
  const dialects = top.dialects === undefined ? [] : reading.words(top.dialects, "$.dialects", options.dialects);
  const broken = top.broken_json === undefined ? null : reading.word(top.broken_json, "$.broken_json", brokenJsonRules);
  const claims = top.claims === undefined ? null : reading.word(top.claims, "$.claims", claimsRules);
  const scope = top.scope === undefined ? null : reading.word(top.scope, "$.scope", scopeRules);
  const planning = top.planning === undefined ? null : reading.word(top.planning, "$.planning", planningFolders);
  const mode = top.team_mode === undefined ? null : reading.word(top.team_mode, "$.team_mode", teamModes);
  return {
    name: name ?? "",
    dialects,
    policy: top.policy === undefined ? "enforce" : (reading.word(top.policy, "$.policy", policies) ?? "enforce"),
    ...(broken === null ? {} : { brokenJson: broken }),
    ...(mode === null ? {} : { teamMode: mode }),
    ...(claims === null ? {} : { claims }),
    ...(scope === null ? {} : { scope }),
    ...(planning === null ? {} : { planning }),
    ...(top.main === undefined ? {} : readMain(top.main, reading)),
    ...(top.land === undefined ? {} : readLanding(top.land, reading)),
    ...readShared(top.shared ?? [], reading),
    ...(top.checks === undefined ? {} : { checks: readChecks(top.checks, reading) }),
    ...(top.chain === undefined ? {} : { chain: readChain(top.chain, reading) }),
    agents: readAgents(top.agents ?? {}, reading, dialects, options),
    routing: readRouting(top.routing ?? [], reading, dialects, options),
    limits: readLimits(top.limits ?? {}, reading),
    ...readNames(top.names ?? [], reading, dialects, options),
    ...readSpeakers(top.speakers ?? [], reading),
  };
}

function readChecks(value: Json, reading: Reading): TeamChecks {
  const { commands, setup, share, sandbox } = reading.object(value, "$.checks", teamKeys.checks, ["commands"]);
  const listed = commands === undefined ? [] : reading.list(commands, "$.checks.commands");
  const word = sandbox === undefined ? null : reading.word(sandbox, "$.checks.sandbox", ["none"] as const);
  return {
    commands: listed.map((item, index) => readCheck(item, jsonPath(["checks", "commands", index]), reading)),
    ...(setup === undefined ? {} : { setup: readCheck(setup, "$.checks.setup", reading) }),
    ...(share === undefined
      ? {}
      : { share: reading.list(share, "$.checks.share").map((item, index) => readFolder(item, index, reading)) }),
    ...(word === null ? {} : { sandbox: word }),
  };
}

/** A command, or a map of one with what it needs. */
function readCheck(value: Json, path: string, reading: Reading): CheckCommand {
  if (!isJsonObject(value)) return { run: readCommand(value, path, reading) };
  const { run, network, seconds } = reading.object(value, path, teamKeys.check, ["run"]);
  if (network !== undefined && typeof network !== "boolean")
    reading.problem(`${path}.network`, "network is neither true nor false.", "true | false", network);
  return {
    run: run === undefined ? "" : readCommand(run, `${path}.run`, reading),
    ...(network === true ? { network } : {}),
    ...(seconds === undefined ? {} : { seconds: reading.whole(seconds, `${path}.seconds`, 1, checkSecondsMax) }),
  };
}

function readCommand(value: Json, path: string, reading: Reading): string {
  const run = reading.text(value, path) ?? "";
  if (run.trim() === "" && typeof value === "string") reading.problem(path, "The command is empty.", "shell");
  return run;
}

/** A folder that is linked by its own name; never one by which the tree would reach outside. */
function readFolder(value: Json, index: number, reading: Reading): string {
  const path = jsonPath(["checks", "share", index]);
  const folder = reading.text(value, path) ?? "";
  const glob = readGlob(folder);
  if (typeof value === "string" && (!glob.ok || /[*?[\]{}]/.test(folder)))
    reading.problem(path, "This is no folder of the repository.", "a path from the repository's root", folder);
  return folder;
}

function readLanding(value: Json, reading: Reading): Pick<TeamDefinition, "land"> {
  const { when } = reading.object(value, "$.land", teamKeys.land, ["when"]);
  const word = when === undefined ? null : reading.word(when, "$.land.when", landingTimes);
  return word === null ? {} : { land: { when: word } };
}

function readMain(value: Json, reading: Reading): Pick<TeamDefinition, "main"> {
  const main = reading.text(value, "$.main");
  if (main === null || branchPattern.test(main)) return main === null ? {} : { main };
  reading.problem("$.main", "This cannot be a branch's name.", "a branch such as develop", main);
  return {};
}

/**
 * Levels in the order of the chain of command. The chain must end at a person: the last level must be able to decide.
 */
function readChain(value: Json, reading: Reading): readonly Level[] {
  const chain = reading.words(value, "$.chain", levels);
  const place = chain.findIndex(
    (level, at) => at > 0 && levels.indexOf(level) < levels.indexOf(chain[at - 1] ?? "dev"),
  );
  if (place > 0) {
    const inOrder = levels.filter((level) => chain.includes(level)).join(", ");
    reading.problem(
      jsonPath(["chain", place]),
      "The chain does not go up here.",
      levels.join(", "),
      chain[place],
      `Write [${inOrder}].`,
    );
  } else if (chain.length > 0 && chain.at(-1) !== "user") {
    reading.problem(
      "$.chain",
      "The chain ends before the user.",
      "user as the last level",
      chain.at(-1),
      "Add user at its end.",
    );
  }
  return chain;
}

/** A known dialect that the team has listed. The list's own errors are reported at the list. */
function readDialect(
  value: Json,
  path: string,
  reading: Reading,
  listed: readonly DialectId[],
  options: TeamFileOptions,
): DialectId | null {
  const dialect = reading.word(value, path, options.dialects);
  if (dialect === null || listed.length === 0 || listed.includes(dialect)) return dialect;
  reading.problem(
    path,
    "The team does not list this dialect.",
    listed.join(" | "),
    dialect,
    `Add ${dialect} to dialects.`,
  );
  return null;
}

function readAgents(
  value: Json,
  reading: Reading,
  listed: readonly DialectId[],
  options: TeamFileOptions,
): readonly AgentDefinition[] {
  const agents = Object.entries(reading.object(value, "$.agents"));
  const names = agents.map(([agent]) => agent);
  return agents.map(([agent, facts], index) => {
    const path = jsonPath(["agents", agent]);
    const twin = nameInOtherCase(agent, names.slice(0, index));
    if (isReservedName(agent))
      reading.problem(path, reservedNameMessage(agent), "another name", undefined, nameHint, "key");
    else if (twin !== null)
      reading.problem(path, otherCaseMessage(agent, twin), "another name", undefined, nameHint, "key");
    else if (agentName(agent) === null) {
      reading.problem(
        path,
        "This cannot be an agent's name.",
        "a letter or digit, then at most 63 of A-Z a-z 0-9 . _ -",
        agent,
        undefined,
        "key",
      );
    }
    const { role, department, dialect, program } = reading.object(facts, path, teamKeys.agent, ["role"]);
    const chosen = {
      role: role === undefined ? null : reading.word(role, `${path}.role`, roles),
      department: department === undefined ? null : reading.word(department, `${path}.department`, departments),
      dialect: dialect === undefined ? null : readDialect(dialect, `${path}.dialect`, reading, listed, options),
      program: program === undefined ? null : reading.word(program, `${path}.program`, hookPrograms),
    };
    return agentOf(agent, chosen);
  });
}

/** Where the role is null an error was found, and the definition is not given out. */
function agentOf(
  agent: string,
  chosen: {
    readonly role: Role | null;
    readonly department: Department | null;
    readonly dialect: DialectId | null;
    readonly program: HookProgram | null;
  },
): AgentDefinition {
  return {
    agent,
    role: chosen.role ?? "dev",
    ...(chosen.department === null ? {} : { department: chosen.department }),
    ...(chosen.dialect === null ? {} : { dialect: chosen.dialect }),
    ...(chosen.program === null ? {} : { program: chosen.program }),
  };
}

function readRouting(
  value: Json,
  reading: Reading,
  listed: readonly DialectId[],
  options: TeamFileOptions,
): readonly RoutingWidening[] {
  return reading.list(value, "$.routing").flatMap((item, index) => {
    const path = jsonPath(["routing", index]);
    const entry = reading.object(item, path, teamKeys.routing, ["dialect", "type", "receivers"]);
    const dialect =
      entry.dialect === undefined ? null : readDialect(entry.dialect, `${path}.dialect`, reading, listed, options);
    const types = dialect === null ? undefined : options.types?.(dialect);
    const type =
      entry.type === undefined
        ? null
        : types === undefined
          ? reading.text(entry.type, `${path}.type`)
          : reading.word(entry.type, `${path}.type`, types);
    const receivers = entry.receivers === undefined ? [] : reading.words(entry.receivers, `${path}.receivers`, roles);
    return dialect === null || type === null ? [] : [{ dialect, type, receivers }];
  });
}

/** Absent where there are none, so that a file without the key says what it always said. */
function readNames(
  value: Json,
  reading: Reading,
  listed: readonly DialectId[],
  options: TeamFileOptions,
): Pick<TeamDefinition, "names"> {
  const patterns = new Set<string>();
  const names = reading.list(value, "$.names").flatMap((item, index): readonly NameRule[] => {
    const path = jsonPath(["names", index]);
    const entry = reading.object(item, path, teamKeys.names, ["pattern", "role", "max"]);
    const pattern = entry.pattern === undefined ? null : reading.text(entry.pattern, `${path}.pattern`);
    if (pattern !== null && (pattern.length > 64 || !namePattern.test(pattern)))
      reading.problem(
        `${path}.pattern`,
        "This is no pattern of agents' names.",
        "a name with one * in it that is not at the start, such as dev-*",
        pattern,
      );
    if (pattern !== null && patterns.has(pattern))
      reading.problem(`${path}.pattern`, "Another rule has this pattern.", "each once", pattern, "Remove one.");
    if (pattern !== null) patterns.add(pattern);
    const role = entry.role === undefined ? null : readRuleRole(entry.role, `${path}.role`, reading);
    const place =
      entry.department === undefined ? null : reading.word(entry.department, `${path}.department`, departments);
    const dialect =
      entry.dialect === undefined ? null : readDialect(entry.dialect, `${path}.dialect`, reading, listed, options);
    const max = entry.max === undefined ? 1 : reading.whole(entry.max, `${path}.max`, 1, ruleAgentsMax);
    if (pattern === null || role === null) return [];
    const where = { ...(place === null ? {} : { department: place }), ...(dialect === null ? {} : { dialect }) };
    return [{ pattern, role, ...where, max }];
  });
  return names.length === 0 ? {} : { names };
}

/** A role that decides for others is given to a named agent, never to any agent that joins. */
function readRuleRole(value: Json, path: string, reading: Reading): Role | null {
  const role = reading.word(value, path, roles);
  if (role === null || ruleRoles.includes(role)) return role;
  reading.problem(
    path,
    `No rule for names gives the role ${role}.`,
    ruleRoles.join(" | "),
    role,
    "Name that agent under agents.",
  );
  return null;
}

function readLimits(value: Json, reading: Reading): TeamLimits {
  const given = reading.object(value, "$.limits", teamKeys.limits);
  return Object.fromEntries(
    teamLimits.flatMap(({ key, field, min, max }) => {
      const limit = given[key];
      return limit === undefined ? [] : [[field, reading.whole(limit, `$.limits.${key}`, min, max)]];
    }),
  );
}

/** Takes values for what they should be and notes each that is not. What it then returns is never given out. */
export class Reading {
  readonly found: { readonly problem: Problem; readonly line: number; readonly column: number }[] = [];
  private readonly yaml: Yaml;
  private readonly file: string;

  constructor(yaml: Yaml, file: string) {
    this.yaml = yaml;
    this.file = file;
  }

  inTextOrder(): readonly Problem[] {
    return this.found.toSorted((a, b) => a.line - b.line || a.column - b.column).map(({ problem }) => problem);
  }

  problem(
    path: string,
    message: string,
    expected: string,
    received?: Json,
    hint?: string,
    part: "key" | "value" = "value",
  ): void {
    const { line, column } = this.yaml.locate(path, part);
    const shown =
      received === undefined
        ? undefined
        : shorten(typeof received === "string" ? received : JSON.stringify(received), 80);
    const place = `${this.file}:${line}:${column}`;
    this.found.push({
      problem: makeProblem("team-file", place, message, { expected, received: shown, hint }),
      line,
      column,
    });
  }

  /** An object; with `known`, of these keys only, and with the `required` ones. */
  object(value: Json, path: string, known?: readonly string[], required: readonly string[] = []): JsonObject {
    if (!isJsonObject(value)) {
      this.problem(
        path,
        `${subject(path)} is not a map.`,
        known === undefined ? "a map of names" : `a map with ${known.join(", ")}`,
        value,
      );
      return {};
    }
    if (known === undefined) return value;
    for (const key of Object.keys(value).filter((one) => !known.includes(one))) {
      const meant = nearest(key, known);
      const hint = meant === null ? undefined : `did you mean "${meant}"?`;
      this.problem(
        path + pathStep(key),
        `${subject(path)} has no "${shorten(key, 40)}".`,
        known.join(" | "),
        key,
        hint,
        "key",
      );
    }
    for (const key of required.filter((one) => !Object.hasOwn(value, one))) {
      this.problem(path, `${subject(path)} lacks "${key}".`, required.join(", "), undefined, `Add ${key}.`, "key");
    }
    return Object.fromEntries(Object.entries(value).filter(([key]) => known.includes(key)));
  }

  list(value: Json, path: string): readonly Json[] {
    if (isJsonList(value)) return value;
    this.problem(path, `${subject(path)} is not a list.`, "a list", value);
    return [];
  }

  text(value: Json, path: string): string | null {
    if (typeof value === "string") return value;
    const hint = typeof value === "number" || typeof value === "boolean" ? "Put it into quotes." : undefined;
    this.problem(path, `${subject(path)} is not text.`, "text", value, hint);
    return null;
  }

  word<Word extends string>(value: Json, path: string, known: readonly Word[]): Word | null {
    const found = known.find((one) => one === value);
    if (found !== undefined) return found;
    const meant = typeof value === "string" ? nearest(value, known) : null;
    this.problem(
      path,
      `${subject(path)} is not known.`,
      known.join(" | "),
      value,
      meant === null ? undefined : `did you mean "${meant}"?`,
    );
    return null;
  }

  /** A list of known words, not empty, each once. */
  words<Word extends string>(value: Json, path: string, known: readonly Word[]): readonly Word[] {
    const items = this.list(value, path);
    if (isJsonList(value) && items.length === 0)
      this.problem(path, `${subject(path)} is empty.`, `at least one of ${known.join(", ")}`);
    const words: Word[] = [];
    items.forEach((item, index) => {
      const word = this.word(item, path + pathStep(index), known);
      if (word === null) return;
      if (words.includes(word))
        this.problem(path + pathStep(index), `"${word}" is listed twice.`, "each once", undefined, "Remove one.");
      words.push(word);
    });
    return words;
  }

  whole(value: Json, path: string, min: number, max: number): number {
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    this.problem(path, `${subject(path)} is out of bounds.`, `a whole number from ${min} to ${max}`, value);
    return max;
  }
}

/** A path in words: what it calls the thing there. */
function subject(path: string): string {
  return path === "$" ? "The file" : path.slice(2);
}

/** Globs of files that several agents may edit. What contracts and claims refuse as a path is refused here too. */
export function readShared(value: Json, reading: Reading): Pick<TeamDefinition, "shared"> {
  const shared: string[] = [];
  reading.list(value, "$.shared").forEach((item, index) => {
    const path = jsonPath(["shared", index]);
    const glob = reading.text(item, path);
    if (glob === null) return;
    const read = readGlob(glob);
    if (!read.ok) reading.problem(path, "This is no glob of files.", "a path or glob from the repository's root", glob);
    if (shared.includes(glob)) reading.problem(path, `"${glob}" is listed twice.`, "each once", glob, "Remove one.");
    shared.push(glob);
  });
  return shared.length === 0 ? {} : { shared };
}

export function readSpeakers(value: Json, reading: Reading): Pick<TeamDefinition, "speakers"> {
  const speakers: string[] = [];
  reading.list(value, "$.speakers").forEach((item, index) => {
    const path = jsonPath(["speakers", index]);
    const agent = reading.text(item, path);
    if (agent === null) return;
    if (agentName(agent) === null || isReservedName(agent))
      reading.problem(path, "This cannot be an agent's name.", "the name of an agent of the team", agent);
    if (speakers.includes(agent))
      reading.problem(path, `"${agent}" is listed twice.`, "each once", agent, "Remove one.");
    speakers.push(agent);
  });
  return speakers.length === 0 ? {} : { speakers };
}
