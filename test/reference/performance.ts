import { comparisonTable } from "../../bench/compare/comparison.ts";
import { goalCells, goalHeading } from "../../bench/compare/goal-table.ts";
import { runId } from "../../bench/compare/goals.ts";
import { recordedResults, shortened } from "../../bench/results.ts";
import { markdownTable } from "./table.ts";

/** docs/reference/performance.md */
export function performancePage(): string {
  const { starts, comparisons } = recordedResults();
  const start = starts.at(-1);
  const pairs = new Map(comparisons.map((each) => [`${each.workload}, ${each.proxies} proxies, ${each.mode}`, each]));
  const newest = new Map(comparisons.map((each) => [runId(each), each]));
  const goals = goalCells(newest);
  const parts = [
    `# Performance

The figures of the newest recorded run of each bench, with their conditions. Compare only figures of one run: other machines, and
other programs on the same machine, change them. CPU time depends less on the load than time does. The results are kept as
JSON per commit in \`bench/results\`. [Scale](../scale.md) says what follows from them.
`,
    goals.length > 0 &&
      `## Goals

\`npm run bench -- table\`: time until the last proxy, CPU time of the server, and bytes per
proxy. "go-control-plane" is a server made with that library, which serves the same resources from its snapshot cache. "replay"
sends recorded bytes over our transport and computes nothing. A missed goal is bold. The runs below have the conditions.

${markdownTable(goalHeading(newest), goals)}`,
    start &&
      `## Start

\`RECORD=1 npm run bench -- start\`, the built package as a process until it is ready: CPU and memory as the kernel sees
them. W1 has 1 000 services, 200 VirtualServices and 200 DestinationRules; W4 100 services with 1 000 endpoints each.
"Cached": code that an earlier start compiled. ${conditionsOf(start)}

${markdownTable(
  ["mesh", "compiled code", "ready", "CPU", "memory", "most memory"],
  start.rows.map(({ mesh, compiledCode, readyMs, cpuSeconds, rssMb, peakMb }) => [
    mesh,
    compiledCode,
    seconds(readyMs / 1_000),
    seconds(cpuSeconds),
    `${rssMb} MB`,
    `${peakMb} MB`,
  ]),
)}
![CPU time and memory of a start, by commit](../pictures/starts.svg)
`,
    ...Array.from(
      pairs,
      ([name, comparison]) => `## ${name}

\`npm run bench -- compare\`: time until the last proxy, CPU of the server, bytes per proxy. ${conditionsOf(comparison)}

${comparisonTable(comparison)}
`,
    ),
  ];
  return parts.filter((part) => part !== undefined && part !== false).join("\n");
}

interface Conditions {
  readonly date: string;
  readonly commit: string;
  readonly node: string;
  readonly cores: number;
  readonly loadBefore: number;
}

function conditionsOf({ date, commit, node, cores, loadBefore }: Conditions): string {
  const busy = loadBefore > 1 ? ", so times are longer than on a quiet machine" : "";
  return `Conditions: ${date}, commit ${shortened(commit)}, Node ${node}, ${cores} cores, load ${loadBefore} before the run${busy}.`;
}

function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}
