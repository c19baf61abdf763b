/** The worst that a glob of 256 characters and a path of 1,024 bytes can be to each other. */
export const worstGlobs: readonly string[] = [
  "*a".repeat(128),
  "**/".repeat(85),
  "**/a/".repeat(51),
  "*".repeat(256),
  "?*".repeat(128),
  "a*".repeat(128),
  "*é".repeat(128),
  `${"a*/**/".repeat(42)}b`,
  `${"**/a*/".repeat(42)}?`,
  "**/*a*a*a*a*a*a*a*b",
  "a".repeat(256),
  // Without case by whole words it is half as long again.
  "*ẞ".repeat(128),
  "?ẞ".repeat(128),
];

export const worstPaths: readonly string[] = [
  "a".repeat(1_024),
  `${"a".repeat(1_000)}/${"a".repeat(23)}`,
  `${"a/".repeat(511)}a`,
  "é".repeat(512),
  `${"é/".repeat(341)}a`,
  // Every spelling of these differs from the others.
  "ẞ".repeat(341),
  `${"ẞẞ. /".repeat(113)}ẞ`,
];
