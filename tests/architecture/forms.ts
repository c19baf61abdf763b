/** Forms that fail: empty catch, `any`, double casts, leftover notes, star exports, names that name nothing. */
import { type Guard, isGenerated, isNode, isTest, nodesOf, type Source, type Violation } from "./sources.ts";

const own = (sources: readonly Source[]): readonly Source[] => sources.filter((source) => !isGenerated(source.path));

/** Every file parses: what does not parse is hidden from the other guards. */
export const syntaxGuard: Guard = (sources) =>
  sources
    .filter((source) => source.syntaxProblem !== null)
    .map((source) => ({ path: source.path, line: 1, message: `${source.syntaxProblem}. Repair the syntax.` }));

/** A comment inside that is long enough to argue something. */
function isArgued(source: Source, start: number, end: number): boolean {
  return source.comments.some(
    (comment) => comment.start >= start && comment.end <= end && comment.value.trim().length >= 20,
  );
}

/** A caught error is used, or a comment in the block argues why it may be ignored. */
export const emptyCatchGuard: Guard = (sources) =>
  own(sources).flatMap((source) =>
    nodesOf(source.program)
      .filter((node) => {
        if (node.type !== "CatchClause" || !isNode(node.body)) return false;
        const isEmpty = (node.body.body as readonly unknown[]).length === 0;
        return isEmpty && !isArgued(source, node.body.start, node.body.end);
      })
      .map((node) => ({
        path: source.path,
        line: source.lineOf(node.start),
        message: "Empty catch. Turn the fault into a Problem, or say in a comment inside why ignoring it is right.",
      })),
  );

/** No `any`: say the type, or `unknown` and look. */
export const anyGuard: Guard = (sources) =>
  own(sources).flatMap((source) =>
    nodesOf(source.program)
      .filter((node) => node.type === "TSAnyKeyword")
      .map((node) => ({
        path: source.path,
        line: source.lineOf(node.start),
        message:
          "`any` switches checking off for everything it touches. Use `unknown` and narrow it, or the real type.",
      })),
  );

/** A cast through `unknown` or `never` overrules the compiler: production says why in a comment just above. */
export const doubleCastGuard: Guard = (sources) =>
  own(sources)
    .filter((source) => !isTest(source.path))
    .flatMap((source) =>
      nodesOf(source.program)
        .filter(
          (node) =>
            node.type === "TSAsExpression" && isNode(node.expression) && node.expression.type === "TSAsExpression",
        )
        .filter((node) => {
          const line = source.lineOf(node.start);
          return !source.comments.some(
            (comment) =>
              line - source.lineOf(comment.end) <= 2 && comment.end <= node.end && line >= source.lineOf(comment.end),
          );
        })
        .map((node) => ({
          path: source.path,
          line: source.lineOf(node.start),
          message: "A double cast overrules the compiler. Narrow the value, or say just above why the cast is true.",
        })),
    );

/** No leftover notes to ourselves. */
export const leftoverGuard: Guard = (sources) =>
  own(sources).flatMap((source) =>
    source.comments
      .filter((comment) => /\b(TODO|FIXME|XXX|HACK)\b/.test(comment.value))
      // The guards themselves must name what they look for.
      .filter(() => !source.path.startsWith("tests/architecture/"))
      .map((comment) => ({
        path: source.path,
        line: source.lineOf(comment.start),
        message: "Leftover note. If it matters it is an issue; if it does not, delete it.",
      })),
  );

/** No star exports, no default exports: a door lists its names. */
export const exportsGuard: Guard = (sources) =>
  own(sources).flatMap((source) => {
    const bad = source.exports.find((name) => name === "*" || name === "default");
    if (bad === undefined) return [];
    const message = `\`export ${bad}\` hides what is exported. List the names, each once.`;
    return [{ path: source.path, line: 1, message }];
  });

const emptyNames =
  /^(utils?|helpers?|common|manager|service|types|misc|shared|lib|constants|[a-z-]+-(utils?|helpers?|manager|service|types))$/;
const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.svelte)?((\.nightly)?\.test)?$/;
const doors =
  /^(src\/(index|messages\/dialects\/([a-z0-9.-]+\/)?index|journal\/sqlite\/index|testing\/index|doors\/[a-z]+\/index))\.ts$/;

/** A file's name is a noun in kebab-case that says what is inside. */
export const namesGuard: Guard = (sources) => own(sources).flatMap(nameProblem);

function nameProblem(source: Source): readonly Violation[] {
  const name = (source.path.split("/").at(-1) ?? "").replace(/\.(ts|svelte)$/, "");
  const at = { path: source.path, line: 1 };
  if (emptyNames.test(name.replace(/\.test$/, ""))) {
    return [{ ...at, message: `"${name}" names nothing. Call the file by the noun that is found inside.` }];
  }
  if (!kebab.test(name))
    return [{ ...at, message: `"${name}" is not kebab-case. Write it in small letters with hyphens.` }];
  if (name === "index" && !doors.test(source.path)) {
    return [{ ...at, message: "index.ts stands only at a door or a dialect. Name the file by what is inside." }];
  }
  return [];
}

/** Every file of production opens with a comment that says what lives there. */
export const headerGuard: Guard = (sources) =>
  own(sources)
    .filter((source) => !isTest(source.path) && !/^(#![^\n]*\n)?\s*\/[*/]/.test(source.text))
    .map((source) => ({
      path: source.path,
      line: 1,
      message: "Opens without a comment. Say in two to five lines what lives here and what may be relied on.",
    }));

/**
 * zod is for authoring: definitions and what turns them into schemas; and for the doors that must publish the shapes
 * they take.
 */
export const zodGuard: Guard = (sources) =>
  sources
    .filter((source) => source.path.startsWith("src/") && !isTest(source.path) && !zodHome.test(source.path))
    .flatMap((source) =>
      source.imports
        .filter(({ target }) => target === "zod" || target.startsWith("zod/"))
        .map(({ line }) => ({
          path: source.path,
          line,
          message:
            "imports zod, which only doors/http, doors/mcp and an open team of the library load at run time. Read the generated facts and validators instead.",
        })),
    );

const zodHome =
  /^src\/(doors\/(http|mcp)\/([a-z-]+\/)?[a-z-]+\.ts|base\/schema\/[a-z-]+\.ts|doors\/library\/arguments\.ts|perform\/operations\/[a-z-]+\.ts|[a-z]+\/operations(\/[a-z-]+)?\.ts|messages\/dialects\/[a-z0-9.-]+\/messages(\/[a-z-]+)?\.ts)$/;

/** Most characters of a comment's line: the formatter wraps code, and leaves comments as they are. */
const commentColumnsMax = 125;

/** No comment that runs out of the window. What tells a tool what to pass over must be on one line. */
export const commentWidthGuard: Guard = (sources) =>
  sources
    .filter((source) => !isGenerated(source.path))
    .flatMap((source) => {
      const lines = source.text.split("\n");
      const numbers = source.comments
        .filter(({ value }) => !/^\s*(?:biome|oxlint)-/.test(value))
        .flatMap(({ start, end }) => {
          const [first, last] = [source.lineOf(start), source.lineOf(end)];
          return Array.from({ length: last - first + 1 }, (_, index) => first + index);
        });
      return [...new Set(numbers)]
        .filter((line) => (lines[line - 1]?.length ?? 0) > commentColumnsMax)
        .map((line) => ({
          path: source.path,
          line,
          message: `This comment is wider than ${commentColumnsMax} characters. Wrap it, or say it more briefly.`,
        }));
    });
