/** The levels of a team's chain of command. The seeds name them where an escalation says whence it comes and where it goes. */

/** Levels from the lowest to the highest, in the words of the wire. */
export const levels = ["dev", "senior", "lead", "architect", "owner", "user"] as const;
export type Level = (typeof levels)[number];
