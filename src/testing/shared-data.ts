import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe } from "vitest";

/** Data for oracles that lies beside our checkout. It is not part of the repository, and users do not have it. */
const sharedData = resolve(import.meta.dirname, "../../../shared/data");

/** Istio's own examples and test data. */
export const istioData = join(sharedData, "istio");

/** The recorded responses of a real istiod. */
export const istiodGoldens = join(sharedData, "goldens/istiod-1.29.6");

/** The recorded responses of a real istiod to policies. */
export const istiodPolicyGoldens = join(sharedData, "goldens/istiod-1.29.6-policy");

/** The recorded scenarios of traffic, and of authorization. */
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
  "15-authorization",
];

/** The recorded scenarios of policies, as paths from the others. */
export const policyScenarios = ["../istiod-1.29.6-policy/p4-authorization-more"];

/**
 * A `describe` for tests that read shared data. Without the data the tests are skipped, and the report gives the
 * reason.
 */
export function describeWithData(path: string, title: string, body: () => void): void {
  const skipReason = `there is no ${path}`;
  describe(`${title} (with shared data)`, existsSync(path) ? {} : { skip: true, meta: { skipReason } }, () => {
    body();
  });
}
