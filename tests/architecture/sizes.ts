/** Sizes: a file holds one thought, a function fits on a screen, a folder is read in one look. */
import { posix } from "node:path";
import { type Guard, isGenerated, isNode, isTest, nodesOf, type Source } from "./sources.ts";

/** The most lines of a product file, written by hand. */
export const productLinesMax = 300;
/** The same of tests, benches, scripts and the demo: a table of cases is read line by line, not as one thought. */
export const fileLinesMax = 450;
/** Lines at which a function of production or of scripts fails. */
export const functionLinesMax = 70;
/** The most files of a folder, without tests and generated ones. */
export const folderFilesMax = 30;

/** Most characters of a comment's line: the formatter wraps code, and leaves comments as they are. */
export const commentColumnsMax = 125;

const linesOf = (source: Source): number => source.text.split("\n").length - (source.text.endsWith("\n") ? 1 : 0);

/** No file of more lines than its kind may have. Generated files are never read as a whole, so they may have any number. */
export const fileLengthGuard: Guard = (sources) =>
  sources.flatMap((source) => {
    const most = isProduct(source.path) ? productLinesMax : fileLinesMax;
    if (isGenerated(source.path) || linesOf(source) <= most) return [];
    const message = `has ${linesOf(source)} lines, ${most} is the most. Find the second thought in it and give that its own file.`;
    return [{ path: source.path, line: most, message }];
  });

function isProduct(path: string): boolean {
  return path.startsWith("src/") && !isTest(path);
}

/** No folder of production with more than `folderFilesMax` files, without tests and generated ones. */
export const folderSizeGuard: Guard = (sources) => {
  const counted = sources.filter(({ path }) => !isTest(path) && !isGenerated(path));
  return [...Map.groupBy(counted, ({ path }) => posix.dirname(path))]
    .filter(([, held]) => held.length > folderFilesMax)
    .map(([folder, held]) => ({
      path: folder,
      line: 1,
      message: `holds ${held.length} files, ${folderFilesMax} is the most. Find a subject in it and give that a room, under the name that it has on other floors.`,
    }));
};

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

const functionTypes = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);

/** No function of more than `functionLinesMax` lines in production and scripts. */
export const functionLengthGuard: Guard = (sources) =>
  sources
    .filter((source) => !isGenerated(source.path) && (!isTest(source.path) || source.path.startsWith("scripts/")))
    .flatMap((source) =>
      nodesOf(source.program)
        .filter((node) => functionTypes.has(node.type))
        .map((node) => ({ node, lines: source.lineOf(node.end) - source.lineOf(node.start) + 1 }))
        .filter(({ lines }) => lines > functionLinesMax)
        .map(({ node, lines }) => ({
          path: source.path,
          line: source.lineOf(node.start),
          message: `${nameOf(node.id)} has ${lines} lines, ${functionLinesMax} is the most. Keep the decisions here and move the leaf work into functions of its own.`,
        })),
    );

function nameOf(id: unknown): string {
  return isNode(id) ? `The function ${String(id.name)}` : "A function";
}
