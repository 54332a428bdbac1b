import type { Issue } from "../../../../config/issue.ts";
import type { RegistryInstance, RegistryService } from "../../registry/registry-service.ts";
import { badNode, type Layout, type NodePath, objectNameOf, type ServiceSettings } from "../layout.ts";
import { RememberedReadings } from "../remembered-readings.ts";
import { type InstanceReading, isInstanceText, readInstance } from "./curator-instance.ts";

/**
 * The layout of Curator's service discovery, which Spring Cloud uses: `/services/cart/<id>`, with the instance as JSON.
 * Service names may contain slashes. So a node below a service may be an instance or another service.
 */
export function curatorLayout(settings: ServiceSettings): Layout {
  return {
    roleOf: ({ length }) => (length === 1 ? "folder" : "document"),
    listedAt: (nodePath) => nodePath.map((name) => `/${name}`).join(""),
    isFolder: (text) => !isInstanceText(text),
    openFolder(nodePath, reference) {
      const readings = new RememberedReadings((id, text) => readMember(id, text, settings));
      return (members) => {
        const { instances, issues } = instancesOf(readings.of(members), reference);
        return {
          services: instances.length === 0 ? [] : [serviceOf(nodePath, instances, { reference, settings })],
          issues,
        };
      };
    },
  };
}

type MemberReading = InstanceReading & { readonly id: string };

function readMember(id: string, text: string, { protocol, ignoredLabels }: ServiceSettings): MemberReading {
  const reading = readInstance(id, text, protocol);
  if (reading.type !== "instance") return { ...reading, id };
  const labels = Object.entries(reading.instance.labels).filter(([key]) => !ignoredLabels.includes(key));
  return { type: "instance", instance: { ...reading.instance, labels: Object.fromEntries(labels) }, id };
}

function instancesOf(readings: readonly MemberReading[], reference: string) {
  const instances: RegistryInstance[] = [];
  const issues: Issue[] = [];
  for (const reading of readings) {
    if (reading.type === "malformed") issues.push(badNode(`${reference}/${reading.id}`, reading.problem));
    if (reading.type === "instance") instances.push(reading.instance);
  }
  return { instances, issues };
}

interface Context {
  readonly reference: string;
  readonly settings: ServiceSettings;
}

function serviceOf(
  nodePath: NodePath,
  instances: readonly RegistryInstance[],
  { reference, settings }: Context,
): RegistryService {
  const name = objectNameOf(nodePath.join("-"));
  return {
    name,
    namespace: settings.namespace,
    hostname: `${name}${settings.hostSuffix}`,
    reference,
    labels: { path: nodePath.join("/"), registry: "zookeeper" },
    ports: settings.port === 0 ? [] : [{ number: settings.port, protocol: settings.protocol }],
    instancePorts: settings.instancePort,
    instances,
  };
}
