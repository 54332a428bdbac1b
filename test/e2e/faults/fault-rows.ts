import type { Fault } from "./fault.ts";
import { connectionFaults } from "./connection/connection-faults.ts";
import { hostFaults } from "./host/host-faults.ts";
import { processFaults } from "./process/process-faults.ts";
import { replicaFaults } from "./replicas/replica-faults.ts";
import { sourceFaults } from "./sources/source-faults.ts";

/** Every fault of the suite, in the order of the table. */
export const faultRows: readonly Fault[] = [
  ...processFaults,
  ...connectionFaults,
  ...hostFaults,
  ...sourceFaults,
  ...replicaFaults,
];
