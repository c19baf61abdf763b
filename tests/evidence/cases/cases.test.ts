/** A case for each word that is said of work; every night plays all of them. */
import { honest } from "./honest.ts";
import { lies } from "./lies.ts";
import { oneForEach, storiesIn, testStories } from "./story.ts";

testStories(oneForEach([...storiesIn(lies), ...storiesIn(honest)]));
