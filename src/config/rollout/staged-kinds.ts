/**
 * The kinds whose changes may arrive in waves. All others are served at once: endpoints and services, keys, and
 * everything that decides who may connect. Whether a policy narrows access depends on all policies of a workload, so no
 * change of a policy waits.
 */
export const stagedKinds: ReadonlySet<string> = new Set([
  "VirtualService",
  "DestinationRule",
  "EnvoyFilter",
  "WasmPlugin",
  "TrafficExtension",
  "Telemetry",
]);
