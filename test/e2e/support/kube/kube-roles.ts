import type { TestKubeObject } from "./kube-objects.ts";

const verbs = ["get", "list", "watch"];

/** A role of the cluster that may read all that a mesh is made of, but for these kinds of Istio's, and who has it. */
export function readerRole(...without: readonly string[]): readonly TestKubeObject[] {
  const istios = ["serviceentries", "workloadentries", "virtualservices", "destinationrules", "gateways", "sidecars"];
  const others = ["workloadgroups", "envoyfilters", "proxyconfigs"];
  const rules = [
    rule("", ["services", "endpoints", "pods", "nodes", "namespaces", "configmaps"]),
    rule("discovery.k8s.io", ["endpointslices"]),
    rule("networking.k8s.io", ["ingresses", "ingressclasses"]),
    rule("apiextensions.k8s.io", ["customresourcedefinitions"]),
    rule(
      "networking.istio.io",
      [...istios, ...others].filter((name) => !without.includes(name)),
    ),
    ...["security", "telemetry", "extensions"].map((name) => rule(`${name}.istio.io`, ["*"])),
  ];
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "mesh-reader" };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "mesh" }];
  return [
    { apiVersion, kind: "ClusterRole", metadata: { name: "mesh-reader" }, rules },
    { apiVersion, kind: "ClusterRoleBinding", metadata: { name: "mesh-reader" }, roleRef, subjects },
  ];
}

function rule(group: string, resources: readonly string[]): object {
  return { apiGroups: [group], resources, verbs };
}
