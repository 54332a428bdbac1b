import { benchTable } from "../bench-table.ts";
import type { Comparison } from "./comparison.ts";
import { runId, type TableRow, tableRows } from "./goals.ts";
import type { RoundFigures } from "./stages.ts";

/** One figure in a unit, such as CPU seconds, with the goal of its row. */
interface Part {
  readonly unit: string;
  readonly value: number;
  readonly most: number | undefined;
}

/** The whole table: goals, what this server reached, and the peers. A missed goal is bold. */
export function goalTable(comparisons: ReadonlyMap<string, Comparison>): string {
  return benchTable(goalHeading(comparisons), goalCells(comparisons));
}

/** Peers of any run, in the order in which they appear. This server comes first in every run. */
function peersOf(comparisons: ReadonlyMap<string, Comparison>): readonly string[] {
  return [...new Set(comparisons.values().flatMap(({ servers }) => Object.keys(servers).slice(1)))];
}

export function goalHeading(comparisons: ReadonlyMap<string, Comparison>): readonly string[] {
  return ["figure", "goal", "reached", ...peersOf(comparisons)];
}

/** Rows of runs that were not made are left out. */
export function goalCells(comparisons: ReadonlyMap<string, Comparison>): readonly (readonly string[])[] {
  const peers = peersOf(comparisons);
  return tableRows.flatMap((row) => {
    const comparison = comparisons.get(runId(row.run));
    if (comparison === undefined) return [];
    const [own, first] = Object.values(comparison.servers);
    if (own === undefined) return [];
    const parts = partsOf(row, own, first);
    const cells = peers.map((peer) => {
      const figures = comparison.servers[peer];
      return figures === undefined ? "" : partsOf(row, figures, undefined).map(textOf).join(", ");
    });
    return [[row.name, goalText(row, parts), parts.map(reachedText).join(", "), ...cells]];
  });
}

function partsOf({ figure, goal }: TableRow, round: RoundFigures, peer: RoundFigures | undefined): readonly Part[] {
  if (typeof figure === "object") {
    const ofPeer = share(goal.ofPeer, peer?.memory[figure.memory]);
    return [{ unit: "MB", value: round.memory[figure.memory], most: goal.megabytes ?? ofPeer }];
  }
  const [stage, other] = [round.stages[figure], peer?.stages[figure]];
  if (stage === undefined) return [];
  const { seconds, cpuSeconds, kilobytesPerProxy: kilobytes } = stage;
  return [
    { unit: "s", value: seconds, most: goal.seconds ?? share(goal.ofPeer, other?.seconds) },
    { unit: "CPU s", value: cpuSeconds, most: goal.cpuSeconds ?? share(goal.ofPeer, other?.cpuSeconds) },
    ...(kilobytes > 0
      ? [{ unit: "kB", value: kilobytes, most: goal.kilobytes ?? share(goal.ofPeer, other?.kilobytesPerProxy) }]
      : []),
  ];
}

function share(ofPeer: number | undefined, value: number | undefined): number | undefined {
  return ofPeer === undefined || value === undefined ? undefined : ofPeer * value;
}

function goalText({ goal: { ofPeer } }: TableRow, parts: readonly Part[]): string {
  if (ofPeer !== undefined) return `≤ ${ofPeer} × the peer`;
  return parts.flatMap(({ unit, most }) => (most === undefined ? [] : [`≤ ${most} ${unit}`])).join(", ");
}

function reachedText(part: Part): string {
  return part.most !== undefined && part.value > part.most ? `**${textOf(part)}**` : textOf(part);
}

function textOf({ unit, value }: Part): string {
  return `${value.toFixed(unit === "MB" || (unit === "kB" && value >= 10) ? 0 : 2)} ${unit}`;
}
