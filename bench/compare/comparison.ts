import { benchTable } from "../bench-table.ts";
import { type MemoryFigures, median, medianFigures, type RoundFigures, type StageFigures } from "./stages.ts";

/** The figures of one comparison: medians of all rounds, by server. `--record` keeps one file per run. */
export interface Comparison {
  readonly date: string;
  readonly commit: string;
  readonly node: string;
  readonly cores: number;
  /** The load average before the run. Above 1, other programs disturbed it. */
  readonly loadBefore: number;
  readonly workload: string;
  readonly rounds: number;
  readonly proxies: number;
  readonly mode: "sotw" | "delta";
  readonly servers: Readonly<Record<string, RoundFigures>>;
}

/** The medians of several rounds of one server. */
export function medianRound(rounds: readonly RoundFigures[]): RoundFigures {
  const names = Object.keys(rounds[0]?.stages ?? {});
  const stages = names.map((name) => [name, medianFigures(rounds.flatMap((round) => round.stages[name] ?? []))]);
  const memory = (of: (figures: MemoryFigures) => number) =>
    Math.round(median(rounds.map((round) => of(round.memory))));
  return {
    stages: Object.fromEntries(stages) as Record<string, StageFigures>,
    memory: {
      alone: memory(({ alone }) => alone),
      withProxies: memory(({ withProxies }) => withProxies),
      afterEdits: memory(({ afterEdits }) => afterEdits),
      peak: memory(({ peak }) => peak),
    },
  };
}

/** The rows of a comparison: a stage, then the cells of each server. */
function comparisonRows({ servers }: Comparison): readonly (readonly string[])[] {
  const [own, ...peers] = Object.values(servers);
  if (own === undefined) return [];
  const stages = Object.entries(own.stages).map(([stage, figures]) => {
    const others = peers.map((peer) => peer.stages[stage]);
    return [stage, cellOf(figures), ...others.flatMap((other) => [other ? cellOf(other) : "", ratio(figures, other)])];
  });
  const memories = (["alone", "withProxies", "afterEdits", "peak"] as const).map((when) => {
    const others = peers.flatMap(({ memory }) => [
      `${memory[when]} MB`,
      `${(memory[when] / own.memory[when]).toFixed(1)} ×`,
    ]);
    return [memoryNames[when], `${own.memory[when]} MB`, ...others];
  });
  return [...stages, ...memories];
}

function comparisonHeading({ servers }: Comparison): readonly string[] {
  const [own = "", ...peers] = Object.keys(servers);
  return ["", own, ...peers.flatMap((peer) => [peer, "ratio of time, CPU"])];
}

export function comparisonTable(comparison: Comparison): string {
  return benchTable(comparisonHeading(comparison), comparisonRows(comparison));
}

const memoryNames: Readonly<Record<keyof MemoryFigures, string>> = {
  alone: "memory, no proxies",
  withProxies: "memory, all proxies",
  afterEdits: "memory, after the edits",
  peak: "memory, peak",
};

function cellOf({ seconds, cpuSeconds, kilobytesPerProxy, clientShare }: StageFigures): string {
  const sent = kilobytesPerProxy > 0 ? `, ${kilobytesPerProxy.toFixed(kilobytesPerProxy < 10 ? 2 : 0)} kB` : "";
  const busy = clientShare > 0.6 ? ` (client ${Math.round(clientShare * 100)} %)` : "";
  return `${seconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} CPU s${sent}${busy}`;
}

function ratio(own: StageFigures, other: StageFigures | undefined): string {
  if (other === undefined) return "";
  return `${times(own.seconds, other.seconds)}, ${times(own.cpuSeconds, other.cpuSeconds)}`;
}

/** The CPU time of a process has steps of 10 ms. */
function times(own: number, other: number): string {
  return `${(other / Math.max(own, 0.01)).toFixed(1)} ×`;
}
