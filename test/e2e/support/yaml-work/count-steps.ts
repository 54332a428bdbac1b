/**
 * A process that reads documents and counts the steps which that takes. For each pattern, as JSON in base64 on a line of
 * its input, it prints the steps for documents of the lengths in its arguments. Steps are executions of blocks of code, as
 * V8 counts them for test coverage: they are the same on a busy machine. Work inside built-in functions has no steps;
 * only the deadline of the parent ends it.
 */
import { Session } from "node:inspector";
import { createInterface } from "node:readline";
import { type Pattern, textOf } from "./patterns.ts";

const lengths = process.argv.slice(2).map(Number);
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

// V8 counts blocks only of functions that it compiles after this, so the code is loaded later.
profiler("enable");
profiler("startPreciseCoverage", { callCount: true, detailed: true });
const { kinds } = await import("../../../../src/config/kinds.ts");
const { parseConfigs } = await import("../../../../src/config/parse/parse.ts");

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

for await (const line of createInterface({ input: process.stdin })) {
  const pattern = JSON.parse(Buffer.from(line, "base64").toString()) as Pattern;
  const steps = lengths.map((length) => stepsFor(textOf(pattern, length)));
  process.stdout.write(`${JSON.stringify(steps)}\n`);
}
