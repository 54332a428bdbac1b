/** Lets the event loop turn until the condition holds; the test's own time limit is the end of patience. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turns(1);
}

/** Gives what should not happen the chance to happen. */
export async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits for what needs no time, only turns of the event loop; throws when it does not come. */
export function soon<T>(promise: Promise<T>): Promise<T> {
  const overdue = turns(1000).then((): never => {
    throw new Error("it still waits, and nothing will wake it");
  });
  return Promise.race([promise, overdue]);
}
