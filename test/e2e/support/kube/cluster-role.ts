import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseAllDocuments } from "yaml";
import type { Kube } from "./kube.ts";
import type { TestKubeObject } from "./kube-objects.ts";

/** Where the manifests are. */
export const manifests = resolve(import.meta.dirname, "../../../../deploy/kubernetes");

export function readManifest(file: string): readonly TestKubeObject[] {
  const documents = parseAllDocuments(readFileSync(join(manifests, file), "utf8"));
  return documents.map((document) => document.toJS() as TestKubeObject);
}

interface RoleManifest extends TestKubeObject {
  readonly rules: readonly { readonly resources?: readonly string[] }[];
}

const roles = "/apis/rbac.authorization.k8s.io/v1";

/**
 * Lets the user who may do nothing do what the manifests let us do, with `namespace` as our own. Rules for exactly the
 * resource `without` are left out.
 */
export async function grantOurRights(kube: Kube, namespace: string, without?: string): Promise<void> {
  const bindings = [
    { file: "cluster-role.yaml", kind: "ClusterRole", path: `${roles}/cluster` },
    { file: "role.yaml", kind: "Role", path: `${roles}/namespaces/${namespace}/` },
  ];
  for (const { file, kind, path } of bindings) {
    const [role] = readManifest(file) as readonly RoleManifest[];
    const rules = role?.rules.filter(({ resources }) => resources?.join() !== without);
    await kube.call("POST", `${path}roles`, { ...role, rules });
    await kube.call("POST", `${path}rolebindings`, {
      metadata: { name: "binnacle" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name: "binnacle" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "mesh" }],
    });
  }
}
