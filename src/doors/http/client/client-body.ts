/** Reading an answer's body part by part, with the network's faults as values. */

/** The next part; `ended`: there is no more; `broken`: there should have been. */
export async function readPart(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<Uint8Array | "ended" | "broken"> {
  try {
    const part = await reader.read();
    return part.done ? "ended" : part.value;
  } catch {
    // A reader throws for one reason only, that the connection failed or was hung up, and the caller is told so.
    return "broken";
  }
}
