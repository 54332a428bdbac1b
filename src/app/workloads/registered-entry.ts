import { toJson } from "@bufbuild/protobuf";
import type { Config, Labels } from "../../config/config.ts";
import { apiVersionOf } from "../../config/kind.ts";
import { workloadEntry } from "../../config/kinds/workload-entry.ts";
import { workloadGroup } from "../../config/kinds/workload-group.ts";
import { workloadHealthAnnotation } from "../../config/mesh/workload-health.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { assert } from "../../lib/assert.ts";
import { MeshError } from "../../lib/errors.ts";
import type { RegisteredWorkload } from "../../pilot/xds/workloads/workload-store.ts";

/** Annotation of an entry with the WorkloadGroup that its machine joined by itself. */
export const registrationGroupAnnotation = "istio.io/autoRegistrationGroup";

/** The part of a WorkloadGroup's spec that an entry is made from. */
export interface GroupTemplate {
  readonly metadata?: { readonly labels?: Labels; readonly annotations?: Labels };
  readonly template?: { readonly labels?: Labels; readonly serviceAccount?: string; readonly network?: string };
  readonly probe?: object;
}

/** A WorkloadGroup as it would be written. */
export function templateOf({ spec }: Config): GroupTemplate {
  // The kind table guarantees that a WorkloadGroup has this spec.
  return toJson(workloadGroup.schema, spec as never) as GroupTemplate;
}

/** The WorkloadEntry of a machine as text. Its own metadata takes precedence over the template of its group. */
export function entryText(workload: RegisteredWorkload, group: GroupTemplate): string {
  const { namespace, name, address, network, locality, health } = workload;
  const labels = { ...group.metadata?.labels, ...group.template?.labels, ...workload.labels };
  return JSON.stringify({
    apiVersion: apiVersionOf(workloadEntry),
    kind: workloadEntry.kind,
    metadata: {
      namespace,
      name,
      labels,
      annotations: {
        ...group.metadata?.annotations,
        [registrationGroupAnnotation]: workload.group,
        [workloadHealthAnnotation]: health,
      },
    },
    spec: { ...group.template, address, labels, ...(network && { network }), ...(locality && { locality }) },
  });
}

/** Parses such a text like a file, with the same validation. Throws `bad-config`. */
export function registeredEntry(text: string, { namespace, nodeId }: RegisteredWorkload, source: string): Config {
  const reference = `registered by ${nodeId}`;
  const { configs, issues } = parseConfigs({
    text,
    file: reference,
    source,
    kinds: [workloadEntry],
    defaultNamespace: namespace,
  });
  const error = issues.find(({ severity }) => severity === "error");
  if (error !== undefined) throw new MeshError("bad-config", error.message);
  const [config] = configs;
  assert(config !== undefined, "a document without errors is an object");
  return { ...config, origin: { source, reference, locate: () => undefined } };
}
