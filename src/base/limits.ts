/**
 * Every bound on what comes from outside, once. Doors, readers and documents take the numbers from here.
 * Source: docs/protocol/messages.md, sections 3 and 17.
 */

/** Largest message, in bytes of UTF-8. */
export const messageBytesMax = 256 * 1024;
/** Least value that a team may choose for it: below it no envelope of any dialect fits. */
export const messageBytesMin = 1024;
/** Largest request that carries several messages, in bytes. */
export const batchBytesMax = 1024 * 1024;
/** Deepest nesting of arrays and objects in a message; a bare scalar has depth 0. */
export const jsonDepthMax = 32;
/** Most values (objects, arrays, scalars) in a message. */
export const jsonNodesMax = 10_000;
/** Longest path, in bytes of UTF-8. */
export const pathBytesMax = 1024;
/** Longest glob, in characters. */
export const globCharactersMax = 256;
/** Most files and globs that one claim or task names. */
export const claimFilesMax = 1_000;
/** Size of a task's description, and entries of each list that it has. */
export const taskTextBytesMax = 16 * 1024;
export const taskListMax = 40;
/** Most changed paths that are recorded with a verdict or a finding; of more, none are. */
export const findingFilesMax = 2_000;
/** Most commits that one report names. */
export const reportCommitsMax = 100;
/** Most characters of a claim's globs, each counted from its first part with a wildcard on. */
export const claimWildcardsMax = 2_048;
/** How long a claim lasts without a heartbeat of its holder, in seconds, and the longest that a team may choose. */
export const leaseSecondsDefault = 300;
export const leaseSecondsMax = 86_400;
/** How long a level may be silent about an escalation, in seconds, and the longest that a team may choose. */
export const escalationSecondsDefault = 300;
export const escalationSecondsMax = 86_400;
/**
 * How late an expected heartbeat may be before its agent has disappeared, in seconds, and the longest that a team may
 * choose.
 */
export const disappearSecondsDefault = 60;
export const disappearSecondsMax = 86_400;
/** How often an expected program sends a heartbeat, in seconds; more often in a team with shorter limits. */
export const heartbeatSeconds = 30;
/** How long a check of a contract may run where the team file does not say it, and at most. */
export const checkSecondsDefault = 300;
export const checkSecondsMax = 3_600;
/** So many disappearances of a department within so many seconds open its circuit breaker. */
export const breakerFailuresDefault = 2;
export const breakerFailuresMax = 100;
export const breakerWindowSecondsDefault = 300;
/** How long it stays open before one agent may try, and how long that one has to show life, in seconds. */
export const breakerOpenSecondsDefault = 120;
export const breakerProbeSecondsDefault = 60;
/** The longest of these times that a team may choose, in seconds. */
export const breakerSecondsMax = 86_400;
/**
 * Most of what an agent program tells a hook, in bytes; its deepest nesting, and most values: it holds what a tool took
 * and gave.
 */
export const hookBytesMax = 16 * 1024 * 1024;
export const hookDepthMax = 128;
export const hookNodesMax = 1_000_000;
/** Largest entry of a journal as a line of JSON: it holds its message as it came and as a fact, each escaped. */
export const entryBytesMax = 8 * 1024 * 1024;
/** Longest message id, in characters. */
export const messageIdCharactersMax = 128;
/** Most of an unreadable or refused text that a refusal keeps, in bytes. */
export const refusalExcerptBytesMax = 4 * 1024;
/** Largest YAML text, in bytes, and its deepest nesting. */
export const yamlBytesMax = 256 * 1024;
export const yamlDepthMax = 32;
/** Most rows that one page of the journal holds. */
export const pageRowsMax = 1_000;
/** Most problems that one reading lists; the last one then says how many were left out. */
export const problemsMax = 100;
/** Most message types of a team's own, and the largest file of one, in bytes. */
export const ownTypesMax = 32;
export const ownTypeBytesMax = 64 * 1024;
/** Most bytes of all of them together, as they are recorded with the team's revision. */
export const ownTypesBytesMax = 192 * 1024;
/**
 * Most parts of an own type's schema, its definitions written out; most alternatives of one anyOf or oneOf; most words
 * of an enum.
 */
export const ownSchemaPartsMax = 512;
export const ownSchemaAlternativesMax = 8;
export const ownSchemaWordsMax = 200;
/** Largest settings file of a program that is changed, in bytes, and its deepest nesting. */
export const settingsBytesMax = 2 * 1024 * 1024;
export const settingsDepthMax = 200;
