/** Calls that have one home. Each rule names what is banned, where it is allowed, and what to use instead. */
import { type Guard, isGenerated, isNode, isTest, type Node, nodesOf, type Source, type Violation } from "./sources.ts";

interface Ban {
  /** Whether this node is the banned thing. */
  readonly finds: (node: Node) => boolean;
  /** Paths, or beginnings of paths that end with `/`, where it is allowed. */
  readonly allowed: readonly string[];
  readonly instead: string;
}

/** `a.b` or `a.b.c` as text, for names and member access without computation; else "". */
function dotted(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "Identifier") return String(node.name);
  if (node.type !== "MemberExpression") return "";
  const property = node.property as Node;
  const name = node.computed === true ? property.value : property.name;
  const object = dotted(node.object);
  return object === "" || typeof name !== "string" ? "" : `${object.replace(/^globalThis\./, "")}.${name}`;
}

const argumentsOf = (node: Node): readonly Node[] => (node.arguments ?? []) as readonly Node[];
const calls =
  (...names: readonly string[]) =>
  (node: Node) =>
    node.type === "CallExpression" && names.includes(dotted(node.callee));
const creates = (name: string) => (node: Node) => node.type === "NewExpression" && dotted(node.callee) === name;
const reads =
  (...names: readonly string[]) =>
  (node: Node) =>
    node.type === "MemberExpression" && names.includes(dotted(node));
const isNow = (node: Node): boolean => node.type === "CallExpression" && /[.]now$/.test(dotted(node.callee));
const isLiteral = (node: Node | undefined): boolean =>
  node !== undefined &&
  (node.type === "Literal" || (node.type === "TemplateLiteral" && (node.expressions as []).length === 0));

/** Where text is parsed that no agent wrote: the bounded parser itself, stored records after their hash, our own files. */
const ownText = [
  "src/base/json.ts",
  "src/base/json-examiner.ts",
  "src/base/state-codec.ts",
  "src/journal/chain.ts",
  "src/journal/anchor-file.ts",
  "src/journal/fold.ts",
  "src/journal/remote/fold-cache.ts",
  // Messages of the journal's streams, which hubs alone may write; every shape is checked after it.
  "src/journal/nats/",
  // The drop-in accepts what today's scripts accept, repeated keys included; it bounds the depth itself.
  "src/messages/dialects/drop-in.ts",
  "src/perform/workspace/package-root.ts",
  "src/perform/workspace/team-opening.ts",
  "src/testing/",
];

/** The doors with their parts in the subjects, and the programs that are made of them. */
const doorsAndPrograms = ["src/doors/", "src/main/", "src/programs/", "src/*/text", "src/*/page/", "examples/demo/"];

/** Every ban, by name. */
export const bans: Readonly<Record<string, Ban>> = {
  "wall clock": {
    finds: (node) => calls("Date.now", "Date")(node) || (creates("Date")(node) && argumentsOf(node).length === 0),
    allowed: ["src/base/clock.ts"],
    instead: "Take the time from the command, or read the Clock you were given (base/clock.ts).",
  },
  "monotonic clock": {
    finds: calls("performance.now", "process.hrtime", "process.hrtime.bigint", "process.uptime"),
    allowed: ["src/base/clock.ts", "src/journal/sqlite/machine-clock.ts"],
    instead: "Use the Clock's monotonic() (base/clock.ts).",
  },
  "a decision by the wall clock": {
    finds: (node) => node.type === "Property" && dotted(node.key) === "atMs" && isNode(node.value) && isNow(node.value),
    allowed: [],
    instead: "Deadlines count by the machine's own time: steadyNow(clock) (base/clock.ts, docs/decisions.md).",
  },
  timers: {
    finds: calls("setTimeout", "setInterval", "setImmediate"),
    allowed: ["src/base/clock.ts"],
    instead: "Use the Clock's wait() (base/clock.ts), so that tests and the simulator move the time.",
  },
  chance: {
    finds: calls(
      "Math.random",
      "crypto.randomUUID",
      "crypto.getRandomValues",
      "randomUUID",
      "randomBytes",
      "randomInt",
    ),
    // The page runs where there is no `node:crypto`.
    allowed: ["src/base/new-ids.ts", "src/base/random.ts", "src/doors/page/hub/request.ts"],
    instead: "Make ids with base/new-ids.ts; take other randomness from base/random.ts.",
  },
  environment: {
    finds: reads("process.env"),
    // The password of a server: PostgreSQL's driver reads its own.
    allowed: ["src/perform/workspace/config.ts", "src/journal/nats/connection-options.ts"],
    instead: "Read it in perform/workspace/config.ts and pass the value down.",
  },
  exit: {
    finds: calls("process.exit", "process.abort"),
    allowed: ["src/main/", "examples/demo/"],
    instead: "Return an exit code; doors/cli/kernel/run.ts sets it, after the output is written.",
  },
  "own patterns": {
    finds: (node) => (creates("RegExp")(node) || calls("RegExp")(node)) && !isLiteral(argumentsOf(node)[0]),
    allowed: [],
    instead:
      "Never compile text to a pattern, it may take exponential time: use the linear matcher of base/paths/paths.ts or includes().",
  },
  console: {
    finds: (node) => node.type === "MemberExpression" && dotted(node).startsWith("console."),
    allowed: doorsAndPrograms,
    instead: "Return what is to be said; a door says it.",
  },
  "JSON.parse": {
    finds: calls("JSON.parse"),
    allowed: ownText,
    instead:
      "Use base/json.ts: it bounds size and depth and sees duplicate keys. Text that Baton itself stored may be parsed where the list in tests/architecture/banned.ts says so.",
  },
  evaluation: {
    finds: (node) => calls("eval", "Function")(node) || creates("Function")(node),
    allowed: [],
    instead: "Generate code when the package is built (scripts/generate.ts), never at run time.",
  },
  "what Node 22 lacks": {
    finds: (node) => creates("AsyncDisposableStack")(node) || creates("DisposableStack")(node),
    allowed: [],
    instead: "Use base/closing.ts; of Node's own modules the types of Node 22 know what is there.",
  },
  "order by locale": {
    finds: (node) => node.type === "CallExpression" && /\.(localeCompare|toLocaleString)$/.test(dotted(node.callee)),
    allowed: doorsAndPrograms,
    instead: "Compare with < and >: the machine's language must not change an order or a record.",
  },
};

const mayStand = (path: string, allowed: readonly string[]): boolean =>
  allowed.some((place) => {
    const [first = "", rest] = place.split("*");
    if (rest !== undefined)
      return (
        path.startsWith(first) &&
        path
          .slice(first.length)
          .replace(/^[a-z]+/, "")
          .startsWith(rest)
      );
    return place.endsWith("/") ? path.startsWith(place) : path === place;
  });

/** No banned call outside its home. */
export const bannedCallsGuard: Guard = (sources) =>
  sources.filter((source) => !isTest(source.path) && !isGenerated(source.path)).flatMap(bannedIn);

function bannedIn(source: Source): readonly Violation[] {
  const relevant = Object.entries(bans).filter(([, ban]) => !mayStand(source.path, ban.allowed));
  return nodesOf(source.program).flatMap((node) =>
    relevant
      .filter(([, ban]) => ban.finds(node))
      .map(([name, ban]) => ({
        path: source.path,
        line: source.lineOf(node.start),
        message: `${name}: \`${source.text.slice(node.start, Math.min(node.end, node.start + 40))}\`. ${ban.instead}`,
      })),
  );
}

interface ModuleBan {
  readonly module: RegExp;
  readonly allowed: readonly string[];
  readonly instead: string;
}

/** Modules that have one home. The first rule keeps what is pure free of Node, so that a browser can hold it. */
export const moduleBans: readonly ModuleBan[] = [
  {
    module: /^node:sqlite$|^better-sqlite3$/,
    allowed: ["src/journal/sqlite/"],
    instead: "SQLite lives in journal/sqlite/ only; use the journal's contract (journal/journal.ts).",
  },
  {
    module: /^node:child_process$|^child_process$/,
    allowed: [
      "src/evidence/",
      "src/programs/sessions/waking.ts",
      "src/programs/install/codex-server.ts",
      "src/programs/install/plugins.ts",
      "src/main/commands/start-outside.ts",
      "src/doors/cli/place/team-tmux.ts",
      "examples/demo/",
    ],
    instead:
      "Other programs are run by evidence/ (git), by waking.ts, codex-server.ts and plugins.ts (the agent programs), by start-outside.ts (hub, browser, tmux), by team-tmux.ts and by the demo; ask them.",
  },
  {
    module: /^node:(fs|fs\/promises)$|^fs$/,
    allowed: [
      "src/base/plain-file.ts",
      "src/journal/sqlite/",
      // The file of credentials, which may be a link where a secret is mounted.
      "src/journal/nats/connection-options.ts",
      "src/evidence/",
      "src/*/text",
      "src/planning/folders/",
      "src/programs/",
      "src/doors/",
      "src/perform/workspace/",
      "src/main/",
      "examples/demo/",
    ],
    instead: "Files are read by doors, evidence/ and journal/sqlite/; take the text as an argument.",
  },
  {
    module: /^node:timers/,
    // The journal yields to the event loop between pages; it waits for no time.
    allowed: ["src/base/clock.ts", "src/journal/sqlite/read.ts", "src/journal/sqlite/verify/verify.ts"],
    instead: "Use the Clock's wait() (base/clock.ts).",
  },
];

const lowerFloors = /^src\/(base|messages|journal)\/|^src\/[a-z]+\/(state|decide|view|reading|git)(\/|\.ts$)/;
const nodeHomes = [
  "src/journal/sqlite/",
  "src/journal/nats/connection-options.ts",
  // The driver leaves sockets open, and gives nobody hold of them.
  "src/journal/nats/connecting-sockets.ts",
  // Snapshots are compressed.
  "src/journal/nats/side.ts",
  "src/evidence/",
  "src/base/canonical.ts",
  "src/base/clock.ts",
  "src/base/new-ids.ts",
  "src/base/plain-file.ts",
  "src/base/random.ts",
];

/** No module outside its home, and no `node:` module in the kernel and in pure parts but in the named files. */
export const modulesGuard: Guard = (sources) =>
  sources
    .filter((source) => !isTest(source.path) && !isGenerated(source.path))
    .flatMap((source) =>
      source.imports.flatMap(({ target, line }) => {
        const found = moduleBans.find((ban) => ban.module.test(target) && !mayStand(source.path, ban.allowed));
        if (found !== undefined) return [{ path: source.path, line, message: `imports ${target}. ${found.instead}` }];
        if (!target.startsWith("node:") || !lowerFloors.test(source.path) || mayStand(source.path, nodeHomes))
          return [];
        const message = `imports ${target}. The kernel and the pure parts of subjects know no Node: take what you need as a value, or use base/canonical.ts, base/new-ids.ts, base/clock.ts.`;
        return [{ path: source.path, line, message }];
      }),
    );
