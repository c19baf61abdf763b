/**
 * What a component of the page may not do, so that text of agents stays text and the page works under its content
 * security policy. Looked for in the markup, which the other guards do not see.
 */
import type { Guard, Violation } from "./sources.ts";

interface Ban {
  readonly pattern: RegExp;
  readonly instead: string;
}

const bans: readonly Ban[] = [
  {
    pattern: /\{@html\b|\b(innerHTML|outerHTML|insertAdjacentHTML|srcdoc)\b|document\.write/,
    instead: "Text becomes text nodes only: use parts/agent-text.svelte.",
  },
  {
    pattern: /\sstyle\s*=/,
    instead:
      "The policy blocks style attributes: write a class, or the style: directive, which sets the property itself.",
  },
  {
    // `addressOf` answers a path that begins with `/t/`, whatever its parts are.
    pattern: /\s(href|src|action|formaction|xlink:href)\s*=\s*(\{(?!addressOf\(\w+\)\})|"[^"]*\{)/,
    instead: "An address that data decides may be a script. Write addresses out, or use parts/place-link.svelte.",
  },
  {
    pattern: /\son[a-z]+\s*=\s*["'](?!\{)/,
    instead: "The policy blocks handlers written as text: pass a function.",
  },
  { pattern: /<svelte:element\b/, instead: "An element whose name data decides may be a script. Write the element." },
];

/** Components draw nothing but elements that are written out and text. */
export const componentsGuard: Guard = (sources) =>
  sources
    .filter((source) => /^src\/(doors|[a-z]+)\/page\//.test(source.path))
    .flatMap((source) =>
      bans.flatMap(({ pattern, instead }): readonly Violation[] => {
        const at = source.written.search(pattern);
        if (at < 0) return [];
        const found = source.written
          .slice(at, at + 30)
          .trim()
          .replaceAll(/\s+/g, " ");
        return [{ path: source.path, line: source.lineOf(at), message: `\`${found}\`. ${instead}` }];
      }),
    );
