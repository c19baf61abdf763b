/** How many turns of the event loop other work has while something is done. */
export async function turnsDuring(act: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let turns = 0;
  const others = (async () => {
    while (!isOver) {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await act();
  isOver = true;
  await others;
  return turns;
}
