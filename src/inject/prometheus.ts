import type { EnvVar, Texts } from "./pod.ts";

const scrapeVariable = "ISTIO_PROMETHEUS_ANNOTATIONS";

/** Ports of the proxy and its agent. Their metrics are part of the merged ones. */
const reservedPorts = new Set([15_000, 15_001, 15_004, 15_006, 15_008, 15_020, 15_021, 15_053, 15_090]);

const fields = ["scrape", "path", "port"] as const;
type Field = (typeof fields)[number];

interface Merged {
  readonly annotations: Texts;
  /** The metrics endpoint of the application, which the agent scrapes. */
  readonly env: readonly EnvVar[];
}

/**
 * Lets Prometheus scrape the agent, which adds the application's metrics to the proxy's. Undefined where the
 * annotations stay as they are: scraping is off, was merged before, or has a target that the agent cannot scrape.
 */
export function mergePrometheus(annotations: Texts, statusPort: number): Merged | undefined {
  const given: Partial<Record<Field, string>> = {};
  for (const [name, value] of Object.entries(annotations)) {
    const field = fieldOf(name);
    if (field !== undefined) given[field] = value;
  }
  if (isFalse(given.scrape) || given.port === String(statusPort)) return undefined;
  if (given.port !== undefined && !isScrapable(given.port)) return undefined;
  const others = Object.entries(annotations).filter(([name]) => fieldOf(name) === undefined);
  const { scrape, path, port } = given;
  const isEmpty = Object.keys(given).length === 0;
  // The agent's own spelling and order.
  const value = JSON.stringify({ scrape: scrape ?? "", path: path ?? "", port: port ?? "" });
  return {
    annotations: {
      ...Object.fromEntries(others),
      "prometheus.io/port": String(statusPort),
      "prometheus.io/path": "/stats/prometheus",
      "prometheus.io/scrape": "true",
    },
    env: isEmpty ? [] : [{ name: scrapeVariable, value }],
  };
}

/** Configurations of Prometheus read `prometheus.io/port`, `prometheus_io_port` and the like. */
function fieldOf(annotation: string): Field | undefined {
  const name = annotation.replaceAll(/[^a-zA-Z0-9_]/gu, "_");
  return fields.find((field) => name === `prometheus_io_${field}`);
}

function isFalse(text: string | undefined): boolean {
  return ["0", "f", "F", "false", "FALSE", "False"].includes(text ?? "");
}

function isScrapable(port: string): boolean {
  const number = /^\d+$/u.test(port) ? Number(port) : 0;
  return number >= 1 && number <= 65_535 && !reservedPorts.has(number);
}
