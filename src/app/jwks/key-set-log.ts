import type { Metrics } from "../../admin/metrics/metrics.ts";
import type { Logger } from "../../lib/logger.ts";
import { countBy } from "../gauges/count-by.ts";
import type { KeySetState } from "./key-set-keeper.ts";
import { stateOf } from "./key-set-report.ts";
import { shownPlace } from "./shown-uri.ts";

/** Counts fetches, and logs new key sets and new failures. A failure that repeats itself is logged once. */
export class KeySetLog {
  readonly #logger: Logger;
  readonly #fetched;
  readonly #failed;

  constructor(logger: Logger, metrics: Metrics, states: () => readonly KeySetState[]) {
    this.#logger = logger;
    this.#fetched = metrics.counter(
      "pilot_jwks_resolver_network_fetch_success_total",
      "Fetches of key sets for RequestAuthentications that succeeded.",
    );
    this.#failed = metrics.counter(
      "pilot_jwks_resolver_network_fetch_fail_total",
      "Fetches of key sets for RequestAuthentications that failed.",
    );
    metrics.observe({
      type: "gauge",
      name: "binnacle_jwks_key_sets",
      help: "Key sets that RequestAuthentications need, by state: fetched, stale (the last fetch failed, and the last good set is in use), failing (proxies reject all tokens) and waiting.",
      labels: ["state"],
      values: () => countBy(states(), stateOf).map(([state, count]) => [{ state }, count]),
    });
  }

  arrived({ request, keySet }: KeySetState, before: KeySetState): void {
    this.#fetched.inc();
    if (keySet === undefined || (keySet.text === before.keySet?.text && before.error === undefined)) return;
    const kids = keySet.keys.map(({ kid = "" }) => kid);
    this.#logger.info({ place: shownPlace(request.place), keys: kids, leftOut: keySet.leftOut }, "key set fetched");
  }

  failed({ request, keySet, error }: KeySetState, before: KeySetState): void {
    this.#failed.inc();
    if (error === undefined || error.message === before.error?.message) return;
    const fields = { place: shownPlace(request.place), reason: error.message };
    if (keySet === undefined) this.#logger.error(fields, "key set not fetched, its tokens are rejected");
    else this.#logger.warn(fields, "key set not fetched, the last good one stays in use");
  }
}
