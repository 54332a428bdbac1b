/** How much work a process sheds, from nothing to everything that can wait. */
export const loadLevels = ["normal", "elevated", "high", "critical"] as const;
export type LoadLevel = (typeof loadLevels)[number];

/** Memory in use, and the most there is. */
export interface Memory {
  readonly usedBytes: number;
  /** Infinity without a limit. */
  readonly limitBytes: number;
}

/** One measurement of a process. */
export interface Pressure {
  /** The mean delay of the event loop since the measurement before. */
  readonly loopDelayMs: number;
  /** Objects in use, and the limit of the heap. */
  readonly heap: Memory;
  /** Memory of the whole process, and the limit of its container. */
  readonly resident: Memory;
  /** How long the first proxy in the push queue has waited. */
  readonly queueMs: number;
}

/** One resource that can become scarce. */
interface Resource {
  readonly measure: (pressure: Pressure) => number;
  /** Measurements in a row that raise the level. One long turn of the event loop is no overload; full memory is. */
  readonly samples: number;
  /** The values from which on the level is elevated, high and critical. */
  readonly thresholds: readonly [elevated: number, high: number, critical: number];
  /** The measurement for people. */
  readonly text: (pressure: Pressure) => string;
  readonly advice: string;
}

/** A part that is generated at once may take some 100 ms; the mean over many turns stays far below. */
export const resources = {
  "event loop": {
    measure: ({ loopDelayMs }) => loopDelayMs,
    samples: 2,
    thresholds: [250, 1_000, 3_000],
    text: ({ loopDelayMs }) => `the event loop is delayed by ${Math.round(loopDelayMs)} ms`,
    advice: "add replicas, or limit the services that proxies see (Sidecar)",
  },
  heap: {
    measure: ({ heap }) => shareOf(heap),
    samples: 1,
    thresholds: [0.8, 0.9, 0.95],
    text: ({ heap }) => `the heap is ${percentOf(heap)} full`,
    advice: "raise the limit of the heap (NODE_OPTIONS=--max-old-space-size=MiB), or add replicas",
  },
  memory: {
    measure: ({ resident }) => shareOf(resident),
    samples: 1,
    thresholds: [0.85, 0.92, 0.97],
    text: ({ resident }) => `the memory of the container is ${percentOf(resident)} full`,
    advice: "raise the memory limit of the container, or add replicas",
  },
  "push queue": {
    measure: ({ queueMs }) => queueMs,
    samples: 2,
    thresholds: [5_000, 20_000, 60_000],
    text: ({ queueMs }) => `a proxy has waited for its push for ${Math.round(queueMs / 1000)} s`,
    advice: "add replicas, or limit the services that proxies see (Sidecar)",
  },
} as const satisfies Record<string, Resource>;

export type ResourceName = keyof typeof resources;
export const resourceNames = Object.keys(resources) as readonly ResourceName[];

/** The scarcest resource, and the level that it causes. */
export interface Scarcity {
  readonly level: LoadLevel;
  readonly resource: ResourceName;
}

/** `share` lowers all thresholds, such as 0.9. */
export function scarcestOf(pressure: Pressure, share = 1): Scarcity {
  const all = resourceNames.map((resource) => ({ resource, rank: rankOf(resource, pressure, share) }));
  const { resource, rank } = all.reduce((most, each) => (each.rank > most.rank ? each : most));
  return { resource, level: levelAt(rank) };
}

/** The level with this rank; 0 is normal. */
export function levelAt(rank: number): LoadLevel {
  return loadLevels[Math.max(0, rank)] ?? "critical";
}

function rankOf(resource: ResourceName, pressure: Pressure, share: number): number {
  const { measure, thresholds }: Resource = resources[resource];
  const value = measure(pressure);
  return thresholds.filter((threshold) => value >= threshold * share).length;
}

function shareOf({ usedBytes, limitBytes }: Memory): number {
  return limitBytes > 0 ? usedBytes / limitBytes : 0;
}

function percentOf(memory: Memory): string {
  return `${Math.round(100 * shareOf(memory))} % of ${Math.round(memory.limitBytes / 2 ** 20)} MiB`;
}
