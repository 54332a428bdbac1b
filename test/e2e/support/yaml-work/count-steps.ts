/**
 * A process that reads documents and counts the steps which that takes: for each pattern, as JSON in base64 on a line of
 * its input, a line with the counts for a short and a long document. Steps are executions of blocks of code, as V8 counts them for test
 * coverage: exact, and the same on a busy machine. Work inside built-in functions has no steps, so the last document is
 * far longer than the counted ones: a quadratic built-in runs into the deadline of the parent.
 */
import { Session } from "node:inspector";
import { createInterface } from "node:readline";
import { kinds } from "../../../../src/config/kinds.ts";
import { parseConfigs } from "../../../../src/config/parse/parse.ts";
import { type Pattern, textOf } from "./patterns.ts";

const [short, long, longest] = process.argv.slice(2).map(Number);
const session = new Session();
session.connect();

function profiler(method: string, parameters?: object): unknown {
  let answer: unknown;
  session.post(`Profiler.${method}`, parameters, (error, result) => {
    if (error !== null) throw error;
    answer = result;
  });
  return answer;
}

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

function read(text: string): void {
  parseConfigs({ text, file: "a.yaml", source: "file:a", kinds, defaultNamespace: "default" });
}

function stepsFor(text: string): number {
  profiler("takePreciseCoverage");
  read(text);
  const { result } = profiler("takePreciseCoverage") as Coverage;
  const scripts = result.filter(({ url }) => /yaml|src\/config/u.test(url));
  const ranges = scripts.flatMap(({ functions }) => functions.flatMap((each) => each.ranges));
  return ranges.reduce((sum, { count }) => sum + count, 0);
}

profiler("enable");
for await (const line of createInterface({ input: process.stdin })) {
  const pattern = JSON.parse(Buffer.from(line, "base64").toString()) as Pattern;
  profiler("startPreciseCoverage", { callCount: true, detailed: true });
  const steps = [stepsFor(textOf(pattern, short ?? 0)), stepsFor(textOf(pattern, long ?? 0))];
  profiler("stopPreciseCoverage");
  read(textOf(pattern, longest ?? 0));
  process.stdout.write(`${JSON.stringify(steps)}\n`);
}
