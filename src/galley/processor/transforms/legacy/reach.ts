import type { Labels } from "../../../../config/config.ts";
import type { Permission } from "../../../../config/kinds/legacy/rbac/permission.ts";
import type { Extent } from "./enforcement.ts";
import { fits, type KnownService } from "./known-services.ts";

/** Workloads that one AuthorizationPolicy can name. */
export interface Reach {
  /** Follows the name of the policy, if there are several. */
  readonly suffix: string;
  readonly attachment:
    | { readonly selector?: { readonly matchLabels: Labels } }
    | { readonly targetRefs: readonly KnownService["reference"][] };
  /** The ports of the workloads; empty for all that the attachment has. */
  readonly ports: readonly string[];
}

/** The namespace of a role. */
export interface RoleNamespace {
  readonly name: string;
  /** Policies of the root namespace apply to the mesh, so they must name services. */
  readonly isRoot: boolean;
  readonly extent: Extent;
  readonly services: readonly KnownService[];
}

/** The workloads of a permission, as far as access control is on. None means that it grants nothing. */
export function reachOf(permission: Permission, namespace: RoleNamespace): readonly Reach[] {
  const { services, names, namespaces, labels } = permission;
  if (namespace.extent === "none") return [];
  if (!namespaces.every((patterns) => fits(namespace.name, patterns))) return [];
  const isEvery = [services, ...names].every((patterns) => patterns.length === 0 || patterns.includes("*"));
  const isWhole = namespace.extent === "all" && !namespace.isRoot;
  if (labels.length > 0) return isWhole ? labelled(permission, isEvery, namespace) : [];
  if (isEvery && isWhole) return [{ suffix: "", attachment: {}, ports: [] }];
  const targetRefs = chosen(permission, namespace).map(({ reference }) => ({ ...reference }));
  return targetRefs.length === 0 ? [] : [{ suffix: "", attachment: { targetRefs }, ports: [] }];
}

/** A ServiceEntry is named as a whole, so all of its hosts must fit. */
function chosen({ services, names }: Permission, namespace: RoleNamespace): readonly KnownService[] {
  const { extent } = namespace;
  return namespace.services.filter(
    (service) =>
      (typeof extent === "string" || service.hostnames.some((hostname) => extent.has(hostname))) &&
      (services.length === 0 || service.hostnames.every((hostname) => fits(hostname, services))) &&
      names.every((patterns) => service.names.every((name) => fits(name, patterns))),
  );
}

/** Labels need a selector. So the ports of a service must be certain, or the policy would open others. */
function labelled(permission: Permission, isEvery: boolean, namespace: RoleNamespace): readonly Reach[] {
  const selectors = combinations(permission.labels);
  if (isEvery) {
    return selectors.map((matchLabels, index) => ({
      suffix: `-labels-${index}`,
      attachment: { selector: { matchLabels } },
      ports: [],
    }));
  }
  return chosen(permission, namespace).flatMap(({ reference, selector, ports = [] }) =>
    selectors.flatMap((labels, index) => {
      const agrees = Object.entries(selector).every(([label, value]) => (labels[label] ?? value) === value);
      if (!agrees || ports.length === 0 || Object.keys(selector).length === 0) return [];
      const matchLabels = { ...selector, ...labels };
      const suffix = `-labels-${index}-${reference.name}`;
      return [{ suffix, attachment: { selector: { matchLabels } }, ports: ports.map(String) }];
    }),
  );
}

/** Every choice of one value per label. A label with two lists needs a value that both have. */
function combinations(labels: Permission["labels"]): readonly Labels[] {
  return labels.reduce<readonly Labels[]>(
    (made, [label, values]) =>
      made.flatMap((each) =>
        values.filter((value) => (each[label] ?? value) === value).map((value) => ({ ...each, [label]: value })),
      ),
    [{}],
  );
}
