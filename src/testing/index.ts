/**
 * The door `./testing`: suites that every engine must pass and the language of examples, for people who build journals
 * and deciders; fixtures and a whole team in memory, for people who test what they build on Baton.
 */
export { manualClock, typedMessage } from "./fixtures.ts";
export { checkLaws, foldEvents, type Given, given, type When } from "./given.ts";
export { type JournalBench, type JournalBenchPlace, journalSuite } from "./journal-suite.ts";
export {
  type SimulationOptions,
  type SimulationReport,
  type SimulationViolation,
  simulate,
} from "./simulator.ts";
export { type TestHandle, type TestTeam, type TestTeamOptions, testTeam } from "./test-team.ts";
