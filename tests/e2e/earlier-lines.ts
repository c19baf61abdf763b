/** Lines of hooks as an earlier Baton wrote them, made from those of today, in the text of Gemini CLI's settings. */

/** Without the process that asks. */
export function hubLinesWithoutProcess(settings: string): string {
  return settings
    .replaceAll("read -r p 2>/dev/null </proc/$PPID/stat; ", "")
    .replaceAll(` -H \\"X-Baton-Process: $PPID \${p##*\\\\) }\\"`, "");
}

/** By bash, which gave the input on to curl and to the command. */
export function hubLinesByBash(settings: string): string {
  return settings
    .replaceAll("BATON_TOKEN; read -r p", "BATON_TOKEN; i=$(cat); b() { :; }; c=; read -r p")
    .replaceAll("[ $c = 127 ] && { ", '[ $c = 127 ] && { printf %s \\"$i\\" | ');
}

/** With the token where Gemini CLI fills it in. */
export function hubLinesWithToken(settings: string): string {
  return hubLinesWithoutProcess(settings)
    .replaceAll('eval \\"baton_token=\\\\$\\"BATON_TOKEN; ', "")
    .replaceAll("$baton_token", "$BATON_TOKEN");
}
