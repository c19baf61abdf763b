/** Events are read the same however the stream is cut, and none is held beyond the bound. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newEventReader } from "./event-reader.ts";

/** The events of a stream that comes in pieces of `size` bytes; null: it was refused. */
function read(text: string, size: number, bytesMax = 1_000): readonly string[] | null {
  const reader = newEventReader(bytesMax);
  const bytes = Buffer.from(text);
  const all: string[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const events = reader.feed(bytes.subarray(at, at + size));
    if (events === null) return null;
    all.push(...events.map((each) => Buffer.from(each).toString()));
  }
  return all;
}

const streams: Readonly<Record<string, readonly [text: string, events: readonly string[]]>> = {
  plain: ['data: {"a":1}\n\ndata:two\n\n', ['{"a":1}', "two"]],
  "every end of line": ["data: a\r\n\r\ndata: b\r\rdata: c\n\n", ["a", "b", "c"]],
  "some lines": ["data: a\ndata:  b\ndata\n\n", ["a\n b\n"]],
  "comments and other fields": [": beat\n\nevent: x\nid: 7\nretry: 1\ndata: a\ndatum: no\n\n:\n\n", ["a"]],
  "more than ASCII": ["data: Zähler 🜁\n\n", ["Zähler 🜁"]],
  "an event that never ends": ["data: a\n\ndata: b\n", ["a"]],
  nothing: ["\n\n\r\n", []],
};

test("events are the same in whatever pieces they come", () => {
  for (const [name, [text, events]] of Object.entries(streams))
    for (let size = 1; size <= text.length + 4; size += 1)
      assert.deepEqual(read(text, size), events, `${name}, ${size}`);
});

test("an event of more than the bound is refused, in one line or many, and many small ones are not", () => {
  for (const size of [1, 7, 5_000]) {
    assert.equal(read(`data: ${"x".repeat(1_001)}\n\n`, size), null);
    assert.equal(read("data: x\n".repeat(600), size), null);
    assert.equal(read(`: ${"x".repeat(1_001)}`, size), null, "a comment that does not end");
    assert.equal(read("data: x\n\n: beat\n\n".repeat(2_000), size)?.length, 2_000);
  }
});
