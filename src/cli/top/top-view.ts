import type { Overview, SourceState } from "../../desk/api/model/overview.ts";
import type { ProxyState } from "../../desk/api/model/proxies.ts";
import type { MetricValues } from "./metric-values.ts";
import { bucketsBetween, quantileOf } from "./quantile.ts";
import type { TopSample } from "./top-sample.ts";

/** The content of `top`, as `-o json` prints it. A missing number was not measured. */
export interface TopView {
  readonly at: string;
  readonly version: string;
  readonly startedAt: string;
  readonly health: Overview["health"];
  readonly advice: readonly string[];
  /** Seconds over which rates are computed. */
  readonly seconds: number;
  readonly proxies: Overview["proxies"];
  readonly pushes: {
    /** Responses per second, by type. */
    readonly perSecond: Readonly<Record<string, number>>;
    readonly bytesPerSecond?: number;
    readonly rejectsPerSecond?: number;
    readonly lastMinute: number;
  };
  /** From a change until its last response is sent, in milliseconds, in the last minute of a live view. */
  readonly convergence: { readonly p50?: number; readonly p99?: number };
  /** The wait of proxies for their turn, in milliseconds. */
  readonly queue: { readonly p99?: number; readonly longest?: number };
  readonly process: {
    readonly load: string;
    readonly eventLoopDelayMs?: number;
    readonly memoryBytes?: number;
    readonly heapBytes?: number;
    readonly cpu?: number;
  };
  readonly sources: readonly SourceState[];
  readonly issues: Pick<Overview["issues"], "errors" | "warnings" | "infos">;
  /** The listed proxies, and the number of all that match the filter. */
  readonly list: { readonly total: number; readonly items: readonly ListedProxy[] };
}

export interface ListedProxy {
  readonly node: string;
  readonly name: string;
  readonly namespace: string;
  readonly type: string;
  readonly mode: string;
  readonly version: string;
  readonly state: ProxyState;
  /** Types that are not in sync: `RDS ERROR`. */
  readonly behind: readonly string[];
  readonly connectedAt: string;
}

/** The events between two samples of the same server. Quantiles need more observations: those since `earliest`. */
export function topView(before: TopSample, after: TopSample, earliest: TopSample = before): TopView {
  const { overview, server, load, metrics } = after;
  const { errors, warnings, infos } = overview.issues;
  const seconds = (after.at - before.at) / 1_000;
  const changes = metrics && before.metrics && seconds > 0 ? new Changes(before.metrics, metrics, seconds) : undefined;
  const longer = metrics && earliest.metrics && new Changes(earliest.metrics, metrics, seconds);
  const measured = (resource: string) => load.resources.find((each) => each.resource === resource)?.value;
  return {
    at: overview.at,
    version: server.version,
    startedAt: server.startedAt,
    health: overview.health,
    advice: overview.advice.map(({ text, action }) => `${text} ${action}`),
    seconds: rounded(seconds),
    proxies: overview.proxies,
    pushes: {
      perSecond: changes?.pushes() ?? {},
      ...present("bytesPerSecond", changes?.rate("pilot_xds_config_size_bytes_sum")),
      ...present("rejectsPerSecond", changes?.rate("pilot_total_xds_rejects") ?? (changes && 0)),
      lastMinute: overview.pushes.lastMinute,
    },
    convergence: longer?.quantiles("pilot_proxy_convergence_time") ?? {},
    queue: {
      ...present("p99", longer?.quantiles("pilot_proxy_queue_time").p99),
      ...present("longest", measured("push queue")),
    },
    process: {
      load: load.level,
      ...present("eventLoopDelayMs", measured("event loop")),
      ...present("memoryBytes", metrics?.sum("process_resident_memory_bytes")),
      ...present("heapBytes", metrics?.sum("nodejs_heap_size_used_bytes")),
      ...present("cpu", changes?.rate("process_cpu_seconds_total")),
    },
    sources: overview.sources ?? [],
    issues: { errors, warnings, infos },
    list: { total: after.matching, items: after.proxies.map(listed) },
  };
}

function listed(proxy: TopSample["proxies"][number]): ListedProxy {
  const { node, name, namespace, type, mode, version, state, connectedAt, types } = proxy;
  const behind = types.filter(({ status }) => status !== "SYNCED").map((each) => `${each.type} ${each.status}`);
  return { node, name, namespace, type, mode, version, state, behind, connectedAt };
}

/** Differences of counters. A counter that is smaller than before has begun again. */
class Changes {
  readonly #before: MetricValues;
  readonly #after: MetricValues;
  readonly #seconds: number;

  constructor(before: MetricValues, after: MetricValues, seconds: number) {
    this.#before = before;
    this.#after = after;
    this.#seconds = seconds;
  }

  rate(name: string): number | undefined {
    const after = this.#after.sum(name);
    return after === undefined ? undefined : this.#perSecond(this.#before.sum(name) ?? 0, after);
  }

  /** Types such as `cds_senderr` count failures. */
  pushes(): Readonly<Record<string, number>> {
    const before = this.#before.by("pilot_xds_pushes", "type");
    const counted = [...this.#after.by("pilot_xds_pushes", "type")].filter(([type]) => !type.includes("_"));
    return Object.fromEntries(
      counted.map(([type, count]) => [type.toUpperCase(), this.#perSecond(before.get(type) ?? 0, count)]),
    );
  }

  /** In milliseconds. */
  quantiles(name: string): { readonly p50?: number; readonly p99?: number } {
    const [before, after] = [this.#before, this.#after].map((values) => values.by(`${name}_bucket`, "le"));
    const buckets = bucketsBetween(before ?? new Map(), after ?? new Map());
    const ms = (share: number) => {
      const seconds = quantileOf(buckets, share);
      return seconds === undefined ? undefined : rounded(seconds * 1_000);
    };
    return { ...present("p50", ms(0.5)), ...present("p99", ms(0.99)) };
  }

  #perSecond(before: number, after: number): number {
    return rounded((after < before ? after : after - before) / this.#seconds);
  }
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

function present<Name extends string>(name: Name, value: number | undefined): { readonly [N in Name]?: number } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [N in Name]?: number };
}
