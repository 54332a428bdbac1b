import { Session } from "node:inspector/promises";

let connected: Promise<Session> | undefined;

async function connect(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  return session;
}

/**
 * How often functions of our files run during `act`, as V8's coverage counts them. It is a measure of work that does
 * not depend on the machine: twice the mesh must not be four times the count. Loops inside V8 itself, such as the
 * copying of an array, are not seen.
 *
 * `isNamed` limits the count to some of these functions.
 *
 * Each call switches counting on, because a session that ends, such as that of our own profiler, switches it off for
 * the whole process. Counters are reset and read in the turn of the event loop in which `act` runs. So timers of
 * other tests do not count.
 */
export async function functionCalls(
  isCounted: (url: string) => boolean,
  act: () => void,
  isNamed: (name: string) => boolean = () => true,
): Promise<number> {
  connected ??= connect();
  const session = await connected;
  const started = session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  const reset = session.post("Profiler.takePreciseCoverage");
  act();
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await Promise.all([started, reset]);
  const functions = result.filter(({ url }) => isCounted(url)).flatMap((script) => script.functions);
  const named = functions.filter(({ functionName }) => isNamed(functionName));
  return named.reduce((sum, { ranges: [whole] }) => sum + (whole?.count ?? 0), 0);
}
