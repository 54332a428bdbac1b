import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe } from "vitest";

/** Data for oracles that lies beside a checkout of ours: not part of the repository, and not at a user's. */
const sharedData = resolve(import.meta.dirname, "../../../shared/data");

/** Istio's own examples and test data. */
export const istioData = join(sharedData, "istio");

/** What a real istiod sent, recorded. */
export const istiodGoldens = join(sharedData, "goldens/istiod-1.29.6");

/** The recorded scenarios that need nothing that is still missing (policies). */
export const goldenScenarios = [
  "01-empty",
  "02-http-static",
  "03-tcp-vip",
  "04-dns",
  "05-subsets",
  "06-weighted",
  "07-uri-match",
  "08-header-match",
  "09-resilience",
  "10-gateway-http",
  "11-gateway-tls",
  "12-traffic-policy",
  "13-sidecar-egress",
  "14-export-to",
];

/** A `describe` for tests that read such data; where there is none they are skipped, and the report says why. */
export function describeWithData(path: string, title: string, body: () => void): void {
  const skipReason = `there is no ${path}`;
  describe(`${title} (with shared data)`, existsSync(path) ? {} : { skip: true, meta: { skipReason } }, () => {
    body();
  });
}
