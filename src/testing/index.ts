/**
 * The door `./testing`: the language of examples for people who write deciders; fixtures and a whole team in memory, for
 * people who test what they build on Baton.
 */
export { manualClock, typedMessage } from "./fixtures.ts";
export { checkLaws, foldEvents, type Given, given, type When } from "./given.ts";
export { type TestHandle, type TestTeam, type TestTeamOptions, testTeam } from "./test-team.ts";
