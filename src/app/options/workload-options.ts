import { durationMs, onOff } from "./option-values.ts";
import type { OptionRows } from "./options.ts";

/** Machines that join by themselves. */
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
    doc: "whether machines that name their WorkloadGroup get a WorkloadEntry while they are connected",
    example: "off",
    of: "pilot",
  },
  workloadHealth: {
    name: "workload-health",
    env: ["BINNACLE_WORKLOAD_HEALTH", "PILOT_ENABLE_WORKLOAD_ENTRY_HEALTHCHECKS"],
    type: onOff,
    default: true,
    defaultText: "on",
    doc: "whether such machines are called only while their agents say that they are well",
    example: "off",
    of: "pilot",
  },
  workloadGraceMs: {
    name: "workload-grace",
    env: ["BINNACLE_WORKLOAD_GRACE", "PILOT_WORKLOAD_ENTRY_GRACE_PERIOD"],
    type: durationMs,
    default: 10_000,
    defaultText: "10s",
    doc: "how long they may be away before their WorkloadEntry goes",
    example: "1m",
    of: "pilot",
  },
};
