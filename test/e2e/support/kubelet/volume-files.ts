import { eventually } from "../../../../src/testing/eventually.ts";
import type { Kube } from "../kube/kube.ts";
import { mapLines } from "./container-env.ts";
import type { PodManifest, Texts, VolumeManifest, VolumeSource } from "./manifest.ts";

/** The files of a volume, from the API server, as a kubelet mounts them. */
export async function volumeFiles(kube: Kube, manifest: PodManifest, volume: VolumeManifest): Promise<Texts> {
  const sources = volume.projected?.sources ?? [volume];
  if (volume.emptyDir === undefined && !sources.some(isKnown)) {
    throw new Error(`the volume ${volume.name} has a source that no test mounts: ${JSON.stringify(volume)}`);
  }
  const files = await Promise.all(sources.map((source) => filesOf(kube, manifest, source)));
  return Object.assign({}, ...files) as Texts;
}

function isKnown({ configMap, downwardAPI, serviceAccountToken }: VolumeSource): boolean {
  return [configMap, downwardAPI, serviceAccountToken].some((source) => source !== undefined);
}

async function filesOf(kube: Kube, manifest: PodManifest, source: VolumeSource): Promise<Texts> {
  const { configMap, downwardAPI, serviceAccountToken } = source;
  const { namespace, labels = {}, annotations = {} } = manifest.metadata;
  if (configMap !== undefined) {
    const path = `/api/v1/namespaces/${namespace}/configmaps/${configMap.name}`;
    const found = async () => {
      const { status, body } = await kube.call("GET", path);
      return status === 200 && body;
    };
    // A container waits for its ConfigMaps.
    const { data } = await eventually(`the ConfigMap ${configMap.name} in ${namespace}`, found, { seconds: 30 });
    return (data ?? {}) as Texts;
  }
  if (serviceAccountToken !== undefined) {
    return { [serviceAccountToken.path]: await boundToken(kube, manifest, serviceAccountToken) };
  }
  const maps: Readonly<Record<string, Texts>> = { "metadata.labels": labels, "metadata.annotations": annotations };
  const items = downwardAPI?.items ?? [];
  return Object.fromEntries(items.map(({ path, fieldRef }) => [path, mapLines(maps[fieldRef.fieldPath] ?? {})]));
}

/** A token that ends with its pod. */
async function boundToken(
  kube: Kube,
  { metadata: { namespace, name, uid }, spec }: PodManifest,
  { audience, expirationSeconds }: NonNullable<VolumeSource["serviceAccountToken"]>,
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${spec.serviceAccountName}/token`;
  const audiences = audience === undefined ? {} : { audiences: [audience] };
  const boundObjectRef = { apiVersion: "v1", kind: "Pod", name, uid };
  const { status, body } = await kube.call("POST", path, { spec: { ...audiences, expirationSeconds, boundObjectRef } });
  if (status !== 201) throw new Error(`no token for ${spec.serviceAccountName}: ${String(body["message"])}`);
  return (body["status"] as { readonly token: string }).token;
}
