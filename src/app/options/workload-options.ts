import type { OptionRows } from "./option.ts";
import { durationMs, onOff } from "./option-values.ts";

/** Options for machines that register themselves. */
export interface WorkloadOptions {
  readonly autoRegistration: boolean;
  readonly workloadHealth: boolean;
  readonly workloadGraceMs: number;
}

export const workloadOptions: OptionRows<WorkloadOptions> = {
  autoRegistration: {
    name: "auto-registration",
    env: ["BINNACLE_AUTO_REGISTRATION", "PILOT_ENABLE_WORKLOAD_ENTRY_AUTOREGISTRATION"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "Creates a WorkloadEntry for each connected machine that names its WorkloadGroup.",
    example: "off",
    of: "pilot",
  },
  workloadHealth: {
    name: "workload-health",
    env: ["BINNACLE_WORKLOAD_HEALTH", "PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "Sends traffic to registered machines only while their agents report them healthy.",
    example: "off",
    of: "pilot",
  },
  workloadGraceMs: {
    name: "workload-grace",
    env: ["BINNACLE_WORKLOAD_GRACE", "PILOT_WORKLOAD_ENTRY_GRACE_PERIOD"],
    type: durationMs,
    default: 10_000,
    defaultText: "10s",
    doc: "Keeps the WorkloadEntry of a disconnected machine for this time.",
    example: "1m",
    of: "pilot",
  },
};
