import { get } from "./http.ts";

/** The sum of a metric over all its series whose labels contain the text; 0 when there is none. */
export async function metric(port: number, name: string, labels = ""): Promise<number> {
  const { body } = await get(port, "/metrics");
  const series = body.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return series.filter((line) => line.includes(labels)).reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}
