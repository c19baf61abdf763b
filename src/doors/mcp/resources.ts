/**
 * Resources: the team's log, newest lines last, page by page, and the JSON Schemas of messages. Read only; an address
 * of another team is not found.
 */
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { jsonLine } from "../../base/json.ts";
import type { Problem } from "../../base/problem.ts";
import { visible } from "../../base/text.ts";
import { dialects } from "../../messages/dialects/registry.ts";
import { ownSchemaOf } from "../../perform/own-schemas.ts";
import type { Team } from "../../perform/team.ts";
import { teamDialect } from "../../perform/team-dialects.ts";
import type { LogLine } from "../../record/operations/entries.ts";
import type { TeamDefinition } from "../../team/state/definition.ts";
import type { McpOptions, TeamSource } from "./tool.ts";

const logLinesMax = 100;

/** Adds the resources to `server`. */
export function registerResources(server: McpServer, source: TeamSource, options: McpOptions): void {
  const { schemaOf } = options;
  server.registerResource(
    "log",
    new ResourceTemplate("baton://teams/{team}/log", {
      list: async () => {
        const team = await listed(source);
        if (team === null) return { resources: [] };
        return { resources: [{ uri: `baton://teams/${team.name}/log`, name: `log of ${team.name}`, ...logFacts }] };
      },
    }),
    logFacts,
    (uri, { team }) => readLog(source, uri, team, undefined),
  );
  server.registerResource(
    "earlier-log",
    new ResourceTemplate("baton://teams/{team}/log{?before}", { list: undefined }),
    { ...logFacts, title: "Earlier pages of the team's log" },
    (uri, { team, before }) => readLog(source, uri, team, before),
  );
  if (schemaOf === undefined) return;
  server.registerResource(
    "schema",
    new ResourceTemplate("baton://teams/{team}/schema/{family}/{revision}/{type}", {
      list: async () => {
        const team = await listed(source);
        if (team === null) return { resources: [] };
        return {
          resources: (await schemaNames(team)).map((name) => ({
            uri: `baton://teams/${team.name}/schema/${name}`,
            name,
            ...schemaFacts,
          })),
        };
      },
    }),
    schemaFacts,
    async (uri, { team: name, family, revision, type }) => {
      const team = await opened(source);
      const asked = `${String(family)}/${String(revision)}/${String(type)}`;
      // Looked up among known names, so that nothing of the address reaches the file system.
      const known = (await schemaNames(team)).find((each) => each === asked);
      const text =
        name === team.name && known !== undefined
          ? (ownSchemaOf(await definitionOf(team), known) ?? schemaOf(known))
          : null;
      if (text === null) throw new ResourceNotFoundError(uri.href);
      return { contents: [{ uri: uri.href, mimeType: "application/schema+json", text }] };
    },
  );
}

const logFacts = {
  title: "The team's log",
  description: `The latest ${logLinesMax} entries of the record, oldest first; ?before=SEQ reads further back.`,
  mimeType: "application/json",
};

const schemaFacts = {
  title: "JSON Schema of a message",
  description: "JSON Schema 2020-12 of one message type, envelope included.",
  mimeType: "application/schema+json",
};

/** Every `dialect/type`, those of the team's own among them. */
async function schemaNames(team: Team): Promise<readonly string[]> {
  const definition = await definitionOf(team);
  return dialects.flatMap((dialect) => {
    const { id, definitions } = teamDialect(definition, dialect);
    return [...definitions.keys()].map((type) => `${id}/${type}`);
  });
}

/** The team's definition in force; null also where the team cannot be read now. */
async function definitionOf(team: Team): Promise<TeamDefinition | null> {
  const status = await team.status();
  return status.ok ? status.value.definition : null;
}

type Variable = string | readonly string[] | undefined;

/** The latest entries below `before` as one JSON object; `before` in it reads on, null at the start of the record. */
async function readLog(source: TeamSource, uri: URL, name: Variable, before: Variable) {
  const team = await opened(source);
  if (name !== team.name) throw new ResourceNotFoundError(uri.href);
  if (before !== undefined && !/^\d{1,15}$/.test(String(before))) throw new ResourceNotFoundError(uri.href);
  const lines: LogLine[] = [];
  const below = before === undefined ? {} : { before: Number(before) };
  for await (const line of team.log({ newestFirst: true, limit: logLinesMax, ...below })) {
    if (!line.ok) throw unreadable([line.error]);
    lines.push(line.value);
  }
  lines.reverse();
  const first = lines[0]?.seq ?? 1;
  const text = jsonLine({ team: team.name, entries: lines, before: first > 1 ? first : null });
  return { contents: [{ uri: uri.href, mimeType: "application/json", text }] };
}

/** Null: nothing can be read now. A list with an error has Gemini CLI take the server for broken, with all its tools. */
async function listed(source: TeamSource): Promise<Team | null> {
  const team = await source();
  return team.ok ? team.value : null;
}

async function opened(source: TeamSource): Promise<Team> {
  const team = await source();
  if (!team.ok) throw unreadable(team.error);
  return team.value;
}

/** Resources have no way to answer with problems but the protocol's own error. */
function unreadable(problems: readonly Problem[]): ProtocolError {
  const said = problems.map(({ code, message, hint }) =>
    visible(`${code}: ${message}${hint === undefined ? "" : ` (${hint})`}`),
  );
  return new ProtocolError(ProtocolErrorCode.InternalError, said.join(" "), { problems });
}
