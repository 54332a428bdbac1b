import type { Fault } from "../fault.ts";
import { clockFaults } from "./clock-faults.ts";
import { diskFaults } from "./disk-faults.ts";
import { limitFaults } from "./limit-faults.ts";
import { nameFaults } from "./name-faults.ts";

/** Faults of the machine below the server. */
export const hostFaults: readonly Fault[] = [...diskFaults, ...limitFaults, ...clockFaults, ...nameFaults];
