import {
  ServiceEntry_Resolution as Resolution,
  type ServiceEntry,
  ServiceEntrySchema,
  type ServicePort,
} from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { fieldPath } from "../field-path.ts";
import { error, errorUnless, type Finding } from "../finding.ts";
import { isCidr, isSubnet } from "../grammar/address.ts";
import { isDnsLabel } from "../grammar/names.ts";
import type { Kind } from "../kind.ts";
import { exportTo } from "../rules/export-to.ts";
import { hostname } from "../rules/host.ts";
import { emptySelector, selectorLabels } from "../rules/labels.ts";
import { isHttpProtocol, isTlsProtocol, knownProtocol, optionalPortNumber, portNumber } from "../rules/port.ts";
import { unique } from "../rules/unique.ts";
import { networking, networkingCollection } from "./api-groups.ts";
import { endpointRules } from "./service-entry/endpoints.ts";

export const serviceEntry: Kind<typeof ServiceEntrySchema> = {
  ...networking,
  kind: "ServiceEntry",
  plural: "serviceentries",
  collection: networkingCollection("serviceentries"),
  schema: ServiceEntrySchema,
  validate: ({ spec, namespace }) => [
    ...hosts(spec),
    ...addresses(spec),
    ...ports(spec),
    ...endpointRules(spec),
    ...hostsThatLookAlike(spec),
    ...emptySelector(spec.workloadSelector?.labels, "spec.workloadSelector"),
    ...selectorLabels(spec.workloadSelector?.labels ?? {}, "spec.workloadSelector.labels"),
    ...exportTo(spec.exportTo, { namespace, nobody: true }),
  ],
};

function hosts({ hosts }: ServiceEntry): readonly Finding[] {
  if (hosts.length === 0)
    return [error("spec.hosts", { code: "missing-host", message: "a ServiceEntry needs a host" })];
  return hosts.flatMap((host, index) => hostname(host, fieldPath("spec.hosts", index)));
}

function addresses({ addresses, resolution }: ServiceEntry): readonly Finding[] {
  const subnetsFit = resolution === Resolution.NONE || resolution === Resolution.STATIC;
  return addresses.flatMap((address, index) => {
    const path = fieldPath("spec.addresses", index);
    return [
      ...errorUnless(isSubnet(address), path, {
        code: "bad-address",
        message: `"${address}" is neither an IP address nor a subnet such as 10.0.0.0/8`,
      }),
      ...errorUnless(subnetsFit || !isCidr(address), path, {
        code: "bad-address",
        message: `a subnet cannot be an address with resolution ${Resolution[resolution]}`,
        hint: "use resolution NONE or STATIC",
      }),
    ];
  });
}

function ports({ ports }: ServiceEntry): readonly Finding[] {
  return [
    ...ports.flatMap((value, index) => port(value, fieldPath("spec.ports", index))),
    ...unique(ports, "spec.ports", {
      what: "the port name",
      field: ["name"],
      valueOf: ({ name }) => name || undefined,
    }),
    ...unique(ports, "spec.ports", { what: "the port", field: ["number"], valueOf: ({ number }) => number }),
  ];
}

function port({ number, targetPort, name, protocol }: ServicePort, path: string): readonly Finding[] {
  const missing = name === "";
  return [
    ...errorUnless(!missing, `${path}.name`, { code: "missing-name", message: "a port needs a name" }),
    ...errorUnless(missing || isDnsLabel(name), `${path}.name`, {
      code: "bad-name",
      message: `"${name}" cannot name a port`,
    }),
    ...portNumber(number, `${path}.number`),
    ...optionalPortNumber(targetPort, `${path}.targetPort`),
    ...(protocol === "" ? [] : knownProtocol(protocol, `${path}.protocol`)),
  ];
}

/** Plain TCP cannot distinguish several hosts, except by the address that NONE keeps. */
function hostsThatLookAlike({ hosts, ports, resolution }: ServiceEntry): readonly Finding[] {
  if (hosts.length < 2 || resolution === Resolution.NONE) return [];
  return ports.flatMap(({ protocol }, index) =>
    errorUnless(isHttpProtocol(protocol) || isTlsProtocol(protocol), fieldPath("spec.ports", index), {
      code: "ambiguous-hosts",
      message: `a port for ${protocol || "any protocol"} cannot distinguish the ${hosts.length} hosts`,
      hint: "write one ServiceEntry per host",
    }),
  );
}
