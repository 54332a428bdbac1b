/**
 * The parts of a process that no proxy waits for. The log and `binnacle_part_failures_total` use these names. The test
 * `test/e2e/failing-parts.test.ts` injects a failure into each part.
 */
export const supervisedParts = [
  "analysis",
  "certificate authority",
  "clash log",
  "conflicts",
  "ctrlz",
  "desk",
  "galley meter",
  "history",
  "issue log",
  "key sets",
  "leader election",
  "liveness-file",
  "log",
  "mcp log",
  "pages",
  "problem log",
  "process health",
  "quarantine store",
  "readiness-file",
  "registrations",
  "registry events",
  "rollout store",
  "status",
  "telemetry",
  "webhook",
  "webhook registration",
  "xds log",
] as const;

/** Each metric that is computed at a scrape is a part of its own. */
export type SupervisedPart = (typeof supervisedParts)[number] | `metric ${string}`;
