/** Lines of hooks as an earlier Baton wrote them, made from those of today, in the text of Gemini CLI's settings. */

/** By curl where bash asks a hub today. */
export function hubLinesByCurl(settings: string): string {
  return settings
    .replaceAll(/i=\$\(cat\); b\(\) \{.*?kill \$! 2>\/dev\/null; \}; printf %s \\"\$i\\" \| /g, "")
    .replaceAll('{ printf %s \\"$i\\" | ', "{ ");
}

/** The same, with the token where Gemini CLI fills it in. */
export function hubLinesWithToken(settings: string): string {
  return hubLinesByCurl(settings)
    .replaceAll('eval \\"baton_token=\\\\$\\"BATON_TOKEN; ', "")
    .replaceAll("$baton_token", "$BATON_TOKEN");
}
