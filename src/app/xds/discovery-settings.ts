import type { Clock } from "../../lib/time/clock.ts";
import { createTurn } from "../../lib/time/turn.ts";
import type { DiscoveryOptions } from "../build-pilot.ts";
import type { Options } from "../options/options.ts";
import { prometheusGate } from "../rollout/prometheus-gate.ts";
import { limitsFrom } from "../options/pipeline-limits.ts";
import { type ProtocolSettings, protocolDefaults } from "../pipeline.ts";

type SettingNames =
  | "clock"
  | "turn"
  | "debounce"
  | "protocol"
  | "limits"
  | "identityCheck"
  | "plaintextSecrets"
  | "quarantine"
  | "askGate"
  | "excludedKinds";

/** The options that the discovery server needs. */
export const discoveryOptionNames = [
  "ackTimeoutMs",
  "allowPlaintextSecrets",
  "debounceAfterMs",
  "debounceEndpoints",
  "debounceMaxMs",
  "exclude",
  "flowControl",
  "maxNodeBytes",
  "maxStreamsPerPeer",
  "prometheus",
  "pushThrottle",
  "quarantine",
  "streamsPerSecond",
  "vhds",
  "xdsIdentityCheck",
] as const satisfies readonly (keyof Options)[];

/** The settings of the discovery server that follow from the options. `protocol` replaces those of the protocol. */
export function discoverySettings(
  options: Pick<Options, (typeof discoveryOptionNames)[number]>,
  clock: Clock,
  protocol?: ProtocolSettings,
): Pick<DiscoveryOptions, SettingNames> {
  const { ackTimeoutMs, flowControl, vhds } = options;
  const splitFrom = vhds ? protocolDefaults.splitFrom : Number.POSITIVE_INFINITY;
  return {
    clock,
    turn: createTurn(clock),
    debounce: { quietMs: options.debounceAfterMs, maxWaitMs: options.debounceMaxMs },
    protocol: protocol ?? { ...protocolDefaults, ackTimeoutMs, flowControl, splitFrom },
    limits: limitsFrom(options),
    identityCheck: options.xdsIdentityCheck,
    quarantine: options.quarantine,
    ...(options.prometheus !== "off" && { askGate: prometheusGate(options.prometheus) }),
    excludedKinds: new Set(options.exclude),
    plaintextSecrets: options.allowPlaintextSecrets,
  };
}
