/** The links of Markdown pages. */

/** The targets of links and images in a page, without those in code. */
export function linksOf(page: string): readonly string[] {
  const words = page.replace(/^```.*?^```/gms, "").replace(/`[^`\n]*`/g, "");
  return [...words.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? "");
}

/** The files that a page links by a path from its own folder, without the place in them. */
export function linkedFiles(page: string): readonly string[] {
  return linksOf(page)
    .filter((target) => !/^([a-z]+:|#)/.test(target))
    .map((target) => target.split("#")[0] ?? "");
}
