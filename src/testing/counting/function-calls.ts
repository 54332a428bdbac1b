import { Session } from "node:inspector/promises";

/**
 * How often functions of our files run during `act`, as V8's coverage counts them. It is a measure of work that does
 * not depend on the machine: twice the mesh must not be four times the count. Loops inside V8 itself, such as the
 * copying of an array, are not seen.
 */
export async function functionCalls(isCounted: (url: string) => boolean, act: () => unknown): Promise<number> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await session.post("Profiler.takePreciseCoverage");
    await act();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    await session.post("Profiler.stopPreciseCoverage");
    const functions = result.filter(({ url }) => isCounted(url)).flatMap((script) => script.functions);
    return functions.reduce((sum, { ranges: [whole] }) => sum + (whole?.count ?? 0), 0);
  } finally {
    session.disconnect();
  }
}
