import type { Metrics } from "../../admin/metrics/metrics.ts";
import type { PilotState } from "../../admin/state.ts";
import { proxyStateOf } from "../../desk/api/proxy-facts.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Connection } from "../../xds/connection.ts";
import { countBy } from "./count-by.ts";

type Connected = Pick<Connection<Proxy>, "owedPushes" | "subscriptions">;

/** Installs the gauges of proxies that are in sync, and of those that are not. */
export function installProxyGauges(metrics: Metrics, { connections }: Pick<PilotState, "connections">, clock: Clock) {
  metrics.observe({
    type: "gauge",
    name: "binnacle_proxies",
    help: "Connected proxies, by state: synced, behind (a response is not acknowledged, or not sent) or rejecting.",
    labels: ["state"],
    values: () =>
      countBy(connections(), proxyStateOf, ["synced", "behind", "rejecting"]).map(([state, n]) => [{ state }, n]),
  });
  const waits = new Waits(clock);
  metrics.gauge(
    "binnacle_proxy_behind_seconds",
    "Longest time that a connected proxy has not answered the same push. Measured between scrapes; 0 if no proxy is behind.",
    () => waits.longestMs(connections()) / 1_000,
  );
}

/**
 * How long proxies wait. It compares the oldest unanswered push of each proxy with that of the scrape before, so that
 * pushes cost nothing. A proxy that answers in time has a newer oldest push at each scrape.
 */
export class Waits {
  readonly #clock: Clock;
  readonly #seen = new WeakMap<Connected, { readonly push: number; readonly at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  longestMs(connections: Iterable<Connected>): number {
    let longest = 0;
    for (const connection of connections) longest = Math.max(longest, this.#msOf(connection));
    return longest;
  }

  #msOf(connection: Connected): number {
    const [oldest] = connection.owedPushes;
    if (oldest === undefined) return 0;
    const seen = this.#seen.get(connection);
    const now = this.#clock.now();
    if (seen?.push === oldest.first) return now - seen.at;
    this.#seen.set(connection, { push: oldest.first, at: now });
    return 0;
  }
}
