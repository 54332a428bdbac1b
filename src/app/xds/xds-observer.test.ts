import { describe, expect, test } from "vitest";
import { Metrics } from "../../admin/metrics/metrics.ts";
import { PilotMetrics } from "../../admin/metrics/pilot-metrics.ts";
import type { XdsObserver } from "../../pilot/xds/observer.ts";
import { FailingParts } from "../../testing/recording/failing-parts.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { configId } from "../../config/config.ts";
import type { FinishedSearch } from "../../pilot/xds/quarantine/observer.ts";
import type { Refusal } from "../../pilot/xds/quarantine/refusals.ts";
import { createXdsObserver } from "./xds-observer.ts";

const response = {
  type: "CDS",
  typeUrl: "type.googleapis.com/Cluster",
  node: "a",
  resources: 2,
  removed: 0,
  bytes: 300,
  cause: ["config"],
  repeats: [],
  ms: 250,
} as const;

const id = configId("VirtualService", "shop", "reviews");
const proxies = { id: "1", name: "router 1.40.0 (3f2a91)" };
const refusal: Refusal = {
  id,
  version: "v2",
  reason: "no such regex",
  since: 0,
  node: "gw-0",
  confirmedBy: undefined,
  rejected: [],
  probes: 4,
  instead: { type: "nothing", objects: new Map([[id, undefined]]) },
};
const search: FinishedSearch = {
  node: "gw-0",
  proxies,
  suspects: 9,
  probes: 4,
  offenders: 1,
  inconclusive: false,
};

/** All series of ours that have a value other than zero, after these things were told. */
async function counted(tell: (observer: XdsObserver) => void): Promise<readonly string[]> {
  const metrics = new Metrics();
  const observer = createXdsObserver({
    metrics: new PilotMetrics(metrics),
    logger: new RecordingLogger(),
    originOf: () => undefined,
    supervisor: new FailingParts(),
  });
  tell(observer);
  const lines = (await metrics.registry.metrics()).split("\n");
  const ours = lines.filter((line) => /^(?:pilot|binnacle|auto)_/u.test(line) && !line.includes("_bucket"));
  return ours.filter((line) => !line.endsWith(" 0"));
}

describe("events of the discovery server are counted", () => {
  test.each<readonly [what: string, tell: (observer: XdsObserver) => void, series: readonly string[]]>([
    [
      "a response, by its type, its time and its size",
      (observer) => observer.responseSent(response),
      [
        'pilot_xds_pushes{type="cds"} 1',
        'pilot_xds_config_size_bytes_sum{type="type.googleapis.com/Cluster"} 300',
        'pilot_xds_config_size_bytes_count{type="type.googleapis.com/Cluster"} 1',
        'pilot_xds_push_time_sum{type="cds"} 0.25',
        'pilot_xds_push_time_count{type="cds"} 1',
      ],
    ],
    [
      "a push, by its causes, the wait for others and the time to make it",
      (observer) =>
        observer.pushStarted({
          number: 1,
          commits: [],
          debouncedMs: 1500,
          durationMs: 40,
          reasons: new Map(Object.entries({ service: 3 })),
        }),
      [
        'pilot_push_triggers{type="service"} 3',
        "pilot_debounce_time_sum 1.5",
        "pilot_debounce_time_count 1",
        "pilot_pushcontext_init_seconds_sum 0.04",
        "pilot_pushcontext_init_seconds_count 1",
      ],
    ],
    [
      "a wait in the queue",
      (observer) => observer.dequeued(700),
      ["pilot_proxy_queue_time_sum 0.7", "pilot_proxy_queue_time_count 1"],
    ],
    [
      "a convergence",
      (observer) => observer.converged("a", 2500),
      ["pilot_proxy_convergence_time_sum 2.5", "pilot_proxy_convergence_time_count 1"],
    ],
    [
      "the time that a stream took",
      (observer) => observer.written(30),
      ["pilot_xds_send_time_sum 0.03", "pilot_xds_send_time_count 1"],
    ],
    ["a delayed push", (observer) => observer.delayed("LDS", "a"), ['pilot_xds_delayed_pushes_total{type="lds"} 1']],
    [
      "a time-out that a change had waited for",
      (observer) => observer.ackOverdue("LDS", "a", true),
      ['pilot_xds_delayed_push_timeouts_total{type="lds"} 1'],
    ],
    ["a time-out that nothing had waited for", (observer) => observer.ackOverdue("LDS", "a", false), []],
    ["an expired nonce", (observer) => observer.staleNonce("RDS"), ['pilot_xds_expired_nonce{type="rds"} 1']],
    ["a rejection", (observer) => observer.rejected("RDS", "a", "no"), ['pilot_total_xds_rejects{type="rds"} 1']],
    [
      "an object that is quarantined, and one that is released",
      (observer) => {
        observer.objectQuarantined(refusal, proxies);
        observer.objectQuarantined(refusal, proxies);
        observer.objectReleased(refusal.id, proxies);
      },
      ["binnacle_quarantined_objects_total 2", "binnacle_quarantine_releases_total 1"],
    ],
    [
      "a search, by its result and its probes",
      (observer) => {
        observer.searchEnded(search);
        observer.searchEnded({ ...search, offenders: 0, inconclusive: true });
        observer.searchFailed(new Error("planted"));
      },
      [
        'binnacle_quarantine_searches_total{result="found"} 1',
        'binnacle_quarantine_searches_total{result="inconclusive"} 1',
        'binnacle_quarantine_searches_total{result="failed"} 1',
        "binnacle_quarantine_probes_total 8",
        "pilot_total_xds_internal_errors 1",
      ],
    ],
    ["a refused stream", (observer) => observer.refused("not ready"), ["binnacle_xds_refused_total 1"]],
    [
      "a failure of a stream",
      (observer) => observer.streamFailed("a", new Error("planted")),
      ["pilot_total_xds_internal_errors 1"],
    ],
    [
      "a failure of a push",
      (observer) => observer.pushFailed(new Error("planted")),
      ["pilot_xds_push_context_errors 1"],
    ],
    [
      "a repetition, by what demanded it",
      (observer) => observer.responseSent({ ...response, repeats: ["request"] as never }),
      expect.arrayContaining(['binnacle_xds_repeated_responses_total{type="cds",reason="request"} 1']) as string[],
    ],
  ])("%s", async (_what, tell, series) => {
    expect(await counted(tell)).toEqual(series);
  });
});

const originOf = () => ({ source: "file:mesh", reference: "mesh/a.yaml:3", locate: () => undefined });

/** The log after these things were told. */
function logOf(tell: (observer: XdsObserver) => void) {
  const logger = new RecordingLogger();
  const metrics = new PilotMetrics(new Metrics());
  tell(createXdsObserver({ metrics, logger, originOf, supervisor: new FailingParts() }));
  return logger.lines;
}

describe("events of the quarantine are logged", () => {
  test("a quarantined object as a warning, with its place, the words of the proxy, the class and the replacement", () => {
    expect(logOf((observer) => observer.objectQuarantined(refusal, proxies))).toEqual([
      {
        level: "warn",
        message: "object quarantined",
        fields: {
          object: `${id} (mesh/a.yaml:3)`,
          reason: "no such regex",
          proxies: proxies.name,
          node: "gw-0",
          instead: "nothing",
        },
      },
    ]);
  });

  test("a released object and the end of a search as information, a search without result as a warning", () => {
    const logged = logOf((observer) => {
      observer.objectReleased(id, proxies);
      observer.searchEnded(search);
      observer.searchEnded({ ...search, inconclusive: true });
    });
    expect(logged.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      "info: object released from quarantine",
      "info: search for refused objects ended",
      "warn: no object found that explains the rejection",
    ]);
  });
});
