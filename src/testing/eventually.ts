import { setTimeout as pause } from "node:timers/promises";

/** How long a quiet machine may take at most. */
export interface Bound {
  readonly seconds: number;
}

/** A busy machine gets so many times as long. Only a test that fails waits for all of it. */
const busyFactor = 4;

/**
 * Asks until the answer is neither `undefined` nor `false`: for processes that cannot tell us when they are done. A
 * probe that throws is asked again; when time is up, its last error is the cause.
 */
export async function eventually<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  { seconds }: Bound,
): Promise<T> {
  const deadline = performance.now() + busyFactor * seconds * 1000;
  let cause: unknown;
  do {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== false) return answer;
    } catch (thrown) {
      cause = thrown;
    }
    await pause(20);
  } while (performance.now() < deadline);
  throw new Error(`not within ${busyFactor * seconds} s: ${what}`, { cause });
}
