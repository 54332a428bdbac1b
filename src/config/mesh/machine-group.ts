import type { JsonObject } from "@bufbuild/protobuf";
import type { Config, Labels } from "../config.ts";
import { workloadGroup } from "../kinds/workload-group.ts";
import { toRaw } from "../proto-json/to-raw.ts";

/** A WorkloadGroup, the template of machines, in the form that people write. */
export interface MachineGroup {
  readonly namespace: string;
  readonly name: string;
  readonly annotations: Labels;
  readonly spec: {
    readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
    readonly template?: {
      readonly ports?: Readonly<Record<string, number>>;
      readonly labels?: Labels;
      readonly network?: string;
      readonly serviceAccount?: string;
    };
    readonly probe?: JsonObject;
  };
}

export function machineGroup({ namespace, name, annotations, spec }: Config): MachineGroup {
  // The kind table guarantees that a WorkloadGroup has this spec.
  const raw = toRaw(workloadGroup.schema, spec as never) as MachineGroup["spec"];
  return { namespace, name, annotations, spec: raw };
}
