/**
 * Reads server-sent events out of the chunks of an answer. What it holds of an event that has not ended is bounded, however
 * slowly and in however small pieces it comes.
 * Source: the HTML standard (Server-sent events). Of an event only its data matters here.
 */

/** Takes chunks in their order. */
export interface EventReader {
  /** The data of the events that end in this chunk; null: an event has more than the bound, and nothing more is read. */
  feed(chunk: Uint8Array): readonly Uint8Array[] | null;
}

const lineFeed = 10;
const carriageReturn = 13;
const colon = 58;
const space = 32;
const dataField = Buffer.from("data");
const newLine = Buffer.from("\n");

/**
 * A reader of one stream.
 *
 * @example newEventReader(1024).feed(Buffer.from('data: {"a":1}\n\n')) // [the bytes of {"a":1}]
 */
export function newEventReader(bytesMax: number): EventReader {
  let line: Uint8Array[] = [];
  let data: Uint8Array[] = [];
  let held = 0;
  let isAfterReturn = false;

  const endLine = (): Uint8Array | null => {
    const text = Buffer.concat(line);
    line = [];
    held -= text.length;
    if (text.length === 0) {
      const event = data.length === 0 ? null : Buffer.concat(data.slice(0, -1));
      data = [];
      held = 0;
      return event;
    }
    const value = dataOf(text);
    if (value !== null) {
      data.push(value, newLine);
      held += value.length + 1;
    }
    return null;
  };

  return {
    feed(chunk) {
      const events: Uint8Array[] = [];
      let from = 0;
      const take = (to: number) => {
        if (to > from) line.push(chunk.subarray(from, to));
        held += to - from;
      };
      for (let at = 0; at < chunk.length; at += 1) {
        const byte = chunk[at];
        if (byte !== lineFeed && byte !== carriageReturn) {
          isAfterReturn = false;
          continue;
        }
        // A line feed after a carriage return ends the same line.
        if (byte === carriageReturn || !isAfterReturn) {
          take(at);
          if (held > bytesMax) return null;
          const event = endLine();
          if (event !== null) events.push(event);
        }
        isAfterReturn = byte === carriageReturn;
        from = at + 1;
      }
      take(chunk.length);
      return held > bytesMax ? null : events;
    },
  };
}

/** The value of a line of data; null: it is a comment or another field. */
function dataOf(line: Uint8Array): Uint8Array | null {
  const end = line.indexOf(colon);
  const name = end < 0 ? line : line.subarray(0, end);
  if (Buffer.compare(name, dataField) !== 0) return null;
  const value = end < 0 ? line.subarray(line.length) : line.subarray(end + 1);
  return value[0] === space ? value.subarray(1) : value;
}
