/**
 * Any character of Unicode but surrogates, as likely as any other: what fast-check's unit "binary" gives, one for one, which
 * takes a second to list all million of them before the first is drawn.
 */
import fc from "fast-check";

const surrogateMin = 0xd800;
const surrogates = 0x800;
const codePointMax = 0x10ffff;

/** A unit for `fc.string`. The way back, by which fast-check shrinks given texts, throws for what is no such character. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: codePointMax - surrogates })
  .map((place) => String.fromCodePoint(place < surrogateMin ? place : place + surrogates), placeOf);

function placeOf(value: unknown): number {
  const [point, ...more] = typeof value === "string" ? Array.from(value, (one) => one.codePointAt(0) ?? 0) : [];
  if (point === undefined || more.length > 0) throw new Error("not one character");
  if (point < surrogateMin) return point;
  if (point < surrogateMin + surrogates) throw new Error("half a character");
  return point - surrogates;
}
