import { Session } from "node:inspector/promises";

let counting: Promise<Session> | undefined;

/** Counting stays on in this process: V8 discards its optimized code each time it is switched on. */
async function startCounting(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  return session;
}

/**
 * How often functions of our files run during `act`, as V8's coverage counts them. It is a measure of work that does
 * not depend on the machine: twice the mesh must not be four times the count. Loops inside V8 itself, such as the
 * copying of an array, are not seen.
 *
 * `act` is synchronous, and the counters are read in the same turn of the event loop. So a timer of another test
 * does not count.
 */
export async function functionCalls(isCounted: (url: string) => boolean, act: () => void): Promise<number> {
  counting ??= startCounting();
  const session = await counting;
  const reset = session.post("Profiler.takePreciseCoverage");
  act();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await reset;
  const functions = result.filter(({ url }) => isCounted(url)).flatMap((script) => script.functions);
  return functions.reduce((sum, { ranges: [whole] }) => sum + (whole?.count ?? 0), 0);
}
