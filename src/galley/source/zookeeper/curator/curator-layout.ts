import type { Issue } from "../../../../config/issue.ts";
import type { RegistryInstance, RegistryService } from "../../registry/registry-service.ts";
import { badNode, type Layout, type Members, type NodePath, objectNameOf, type ServiceSettings } from "../layout.ts";
import { isInstanceText, readInstance } from "./curator-instance.ts";

/**
 * The layout of Curator's service discovery, which Spring Cloud uses: `/services/cart/<id>`, with the instance as JSON.
 * Service names may contain slashes. So a node below a service may be an instance or another service.
 */
export function curatorLayout(settings: ServiceSettings): Layout {
  return {
    roleOf: ({ length }) => (length === 1 ? "folder" : "document"),
    listedAt: (nodePath) => nodePath.map((name) => `/${name}`).join(""),
    isFolder: (text) => !isInstanceText(text),
    partOf(nodePath, members, reference) {
      const { instances, issues } = instancesOf(members, reference, settings);
      return {
        services: instances.length === 0 ? [] : [serviceOf(nodePath, instances, { reference, settings })],
        issues,
      };
    },
  };
}

function instancesOf(members: Members, reference: string, { protocol, ignoredLabels }: ServiceSettings) {
  const instances: RegistryInstance[] = [];
  const issues: Issue[] = [];
  const ignored = new Set(ignoredLabels);
  for (const [id, text] of members) {
    const reading = readInstance(id, text, protocol);
    if (reading.type === "malformed") issues.push(badNode(`${reference}/${id}`, reading.problem));
    if (reading.type !== "instance") continue;
    const labels = Object.entries(reading.instance.labels).filter(([key]) => !ignored.has(key));
    instances.push({ ...reading.instance, labels: Object.fromEntries(labels) });
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
