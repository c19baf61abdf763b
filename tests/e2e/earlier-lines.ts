/** Lines of hooks as an earlier Baton wrote them, made from those of today, in the text of Gemini CLI's settings. */

/** By bash and then by curl, without the process that asks. */
export function hubLinesWithoutProcess(settings: string): string {
  return settings
    .replaceAll("read -r p 2>/dev/null </proc/$PPID/stat; ", "")
    .replaceAll("X-Baton-Process: %s\\\\r\\\\n", "")
    .replaceAll(` \\"$PPID \${p##*\\\\) }\\"`, "")
    .replaceAll(` -H \\"X-Baton-Process: $PPID \${p##*\\\\) }\\"`, "");
}

/** By bash and then by curl, also where the hub was silent for as long as either waits. */
export function hubLinesWaitingTwice(settings: string): string {
  return hubLinesWithoutProcess(settings)
    .replaceAll("; c=; ", "; ")
    .replaceAll(" [ $? -gt 128 ] && c=28;", "")
    .replaceAll('[ -n \\"$c\\" ] || { ', "")
    .replaceAll("c=$?; }", "c=$?")
    .replaceAll(" and 28 that it took three seconds", "")
    .replaceAll("nothing listens, 22", "nothing listens and 22");
}

/** By curl where bash asks a hub today. */
export function hubLinesByCurl(settings: string): string {
  return hubLinesWaitingTwice(settings)
    .replaceAll(/i=\$\(cat\); b\(\) \{.*?kill \$! 2>\/dev\/null; \}; printf %s \\"\$i\\" \| /g, "")
    .replaceAll('{ printf %s \\"$i\\" | ', "{ ");
}

/** The same, with the token where Gemini CLI fills it in. */
export function hubLinesWithToken(settings: string): string {
  return hubLinesByCurl(settings)
    .replaceAll('eval \\"baton_token=\\\\$\\"BATON_TOKEN; ', "")
    .replaceAll("$baton_token", "$BATON_TOKEN");
}
