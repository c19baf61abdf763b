/** How people call the command where the hub runs, as the hub wrote it into the page: `baton` or `npx baton`. */
export const program: string =
  document.querySelector<HTMLMetaElement>('meta[name="baton-program"]')?.content ?? "baton";
