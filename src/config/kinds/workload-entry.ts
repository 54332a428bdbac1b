import { type WorkloadEntry, WorkloadEntrySchema } from "#gen/istio/networking/v1alpha3/workload_entry_pb.js";
import { fieldPath } from "../field-path.ts";
import { errorUnless, type Finding } from "../finding.ts";
import { isIpAddress, isUnixAddress } from "../grammar/address.ts";
import { isFqdn } from "../grammar/names.ts";
import type { Kind } from "../kind.ts";
import { labelMap } from "../rules/labels.ts";
import { portName, portNumber } from "../rules/port.ts";
import { networking, networkingCollection } from "./api-groups.ts";

export const workloadEntry: Kind<typeof WorkloadEntrySchema> = {
  ...networking,
  kind: "WorkloadEntry",
  plural: "workloadentries",
  collection: networkingCollection("workloadentries"),
  schema: WorkloadEntrySchema,
  validate: ({ spec }) => workload(spec, "spec"),
};

/** One endpoint, standalone or within a ServiceEntry. */
export function workload(entry: WorkloadEntry, path: string): readonly Finding[] {
  return [...workloadAddress(entry, `${path}.address`), ...workloadShape(entry, path)];
}

/** Checks everything except the address. */
export function workloadShape(entry: WorkloadEntry, path: string): readonly Finding[] {
  const unix = entry.address.startsWith("unix:");
  return [
    ...errorUnless(!unix || Object.keys(entry.ports).length === 0, `${path}.ports`, {
      code: "bad-port",
      message: "a unix socket has no ports",
    }),
    ...Object.entries(entry.ports).flatMap(([name, port]) => {
      const at = fieldPath(path, "ports", name);
      return [...portName(name, at), ...portNumber(port, at)];
    }),
    ...labelMap(entry.labels, `${path}.labels`),
  ];
}

/** An endpoint of another network may have no address: its traffic goes through that network's gateway. */
function workloadAddress({ address, network }: WorkloadEntry, path: string): readonly Finding[] {
  if (address === "") {
    return errorUnless(network !== "", path, { code: "missing-address", message: "an endpoint needs an address" });
  }
  return errorUnless(isIpAddress(address) || isFqdn(address) || isUnixAddress(address), path, {
    code: "bad-address",
    message: `"${address}" is not an address`,
    hint: "write an IP address, a DNS name or unix:///path",
  });
}
