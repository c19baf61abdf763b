/** The door `./testing`: the suites that every engine must pass, for people who build journals. */
export { type JournalBench, type JournalBenchPlace, journalSuite } from "./journal-suite.ts";
