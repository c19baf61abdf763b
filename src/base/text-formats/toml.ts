/** Values as TOML writes them. Source: TOML 1.0.0. */
import { isJsonList, isJsonObject, type Json } from "../json.ts";

/** A value of JSON as TOML writes it on one line; TOML has no null. */
export function tomlValue(value: Json): string {
  if (isJsonList(value)) return `[${value.map(tomlValue).join(", ")}]`;
  if (!isJsonObject(value)) return typeof value === "string" ? tomlString(value) : String(value);
  const pairs = Object.entries(value).map(([key, each]) => `${tomlString(key)} = ${tomlValue(each)}`);
  return `{${pairs.join(", ")}}`;
}

/** JSON's escapes are TOML's, but for the one control character that JSON leaves as it is. */
function tomlString(value: string): string {
  return JSON.stringify(value).replaceAll("\u007f", "\\u007F");
}
