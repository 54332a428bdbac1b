import type { Issue } from "../../../../config/issue.ts";
import type { RegistryInstance, RegistryService } from "../../registry/registry-service.ts";
import type { Layout, Members, Trail } from "../layout.ts";
import { badNode, objectNameOf } from "../node-names.ts";
import { isInstanceText, readInstance } from "./curator-instance.ts";

export interface CuratorOptions {
  readonly namespace: string;
  readonly hostSuffix: string;
  /** What the plain ports speak. */
  readonly protocol: string;
  /** A port that each service has; 0 for none. */
  readonly port: number;
  /** Whether the ports of the instances are ports of the service. */
  readonly instancePort: boolean;
  /** Metadata of instances that do not become labels. */
  readonly ignoredLabels: readonly string[];
}

/**
 * The layout of Curator's service discovery, which Spring Cloud uses: `/services/cart/<id>`, the instance as JSON in the
 * node. Names of services may have slashes, so that what lies below a service may be one of its instances or one more
 * service.
 */
export function curatorLayout(options: CuratorOptions): Layout {
  return {
    roleOf: ({ length }) => (length === 1 ? "folder" : "document"),
    listedAt: (trail) => trail.map((name) => `/${name}`).join(""),
    isFolder: (text) => !isInstanceText(text),
    partOf(trail, members, reference) {
      const { instances, issues } = instancesOf(members, reference, options);
      return { services: instances.length === 0 ? [] : [serviceOf(trail, instances, { reference, options })], issues };
    },
  };
}

function instancesOf(members: Members, reference: string, { protocol, ignoredLabels }: CuratorOptions) {
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
  readonly options: CuratorOptions;
}

function serviceOf(
  trail: Trail,
  instances: readonly RegistryInstance[],
  { reference, options }: Context,
): RegistryService {
  const name = objectNameOf(trail.join("-"));
  return {
    name,
    namespace: options.namespace,
    hostname: `${name}${options.hostSuffix}`,
    reference,
    labels: { path: trail.join("/"), registry: "zookeeper" },
    ports: options.port === 0 ? [] : [{ number: options.port, protocol: options.protocol }],
    instancePorts: options.instancePort,
    instances,
  };
}
