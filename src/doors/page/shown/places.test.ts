import assert from "node:assert/strict";
import { test } from "node:test";
import { addressOf, type Place, readPlace } from "./places.ts";

const at = (address: string) => {
  const { pathname, search } = new URL(address, "http://hub.example");
  return readPlace(pathname, search);
};
const place = (given: Partial<Place>): Place => ({ team: "shop", view: "overview", item: null, query: {}, ...given });

test("every place is read back from its address as a browser resolves it, whatever is in it", () => {
  for (const each of [
    place({}),
    place({ view: "timeline", item: "4778", query: { q: "refund & more", agent: "dev-1", view: "refusals" } }),
    place({ view: "inbox", item: "approval:dev-1/ask 1%?#" }),
    ...["..", ".", "~..", "~~.", "a/b", "javascript:x", "<b>", "%2e%2e", "\u202e"].map((item) =>
      place({ view: "phases", item }),
    ),
  ]) {
    const address = addressOf(each);
    assert.ok(address.startsWith("/t/shop/"), address);
    assert.deepEqual(at(address), each, address);
  }
});

test("an overview has the team's own address, and an empty narrowing none", () => {
  assert.equal(addressOf(place({ query: { q: "" } })), "/t/shop/");
  assert.deepEqual(at("/t/shop"), place({}));
});

test("what names no place is none", () => {
  for (const address of [
    "/",
    "/t/",
    "/t",
    "/t/shop/nowhere",
    "/t/shop/timeline/1/2",
    "/t/%zz/",
    "/x/shop/",
    "/t/shop/constructor",
  ])
    assert.equal(at(address), null, address);
});
