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
  await grant(kube, readManifest("cluster-role.yaml"), `${roles}/cluster`, without);
  await grant(kube, readManifest("role.yaml"), `${roles}/namespaces/${namespace}/`, without);
}

/** The same for the manifest of injection. */
export async function grantInjectorRights(kube: Kube): Promise<void> {
  await grant(kube, readManifest("injector.yaml"), `${roles}/cluster`);
}

/** The same for the manifest of the certificate authority, with `namespace` as our own. */
export async function grantAuthorityRights(kube: Kube, namespace: string): Promise<void> {
  const objects = readManifest("authority.yaml");
  const ofKind = (wanted: string) => objects.filter(({ kind }) => kind === wanted);
  await grant(kube, ofKind("ClusterRole"), `${roles}/cluster`);
  await grant(kube, ofKind("Role"), `${roles}/namespaces/${namespace}/`);
}

/** The same for the manifest of machines that register themselves, with `namespace` as our own. */
export async function grantMachineRights(kube: Kube, namespace: string): Promise<void> {
  const objects = readManifest("machines.yaml");
  const ofKind = (wanted: string) => objects.filter(({ kind }) => kind === wanted);
  await grant(kube, ofKind("ClusterRole"), `${roles}/cluster`);
  await grant(kube, ofKind("Role"), `${roles}/namespaces/${namespace}/`);
}

/** The same for the manifest of an external signer. */
export async function grantSignerRights(kube: Kube): Promise<void> {
  await grant(kube, readManifest("signer.yaml"), `${roles}/cluster`);
}

async function grant(kube: Kube, manifest: readonly TestKubeObject[], path: string, without?: string): Promise<void> {
  const role = manifest.find((object): object is RoleManifest => "rules" in object);
  const { name } = role?.metadata ?? {};
  const rules = role?.rules.filter(({ resources }) => resources?.join() !== without);
  await kube.call("POST", `${path}roles`, { ...role, metadata: { name }, rules });
  await kube.call("POST", `${path}rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: role?.kind, name },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "mesh" }],
  });
}
