import { KubeError } from "../../../kube/kube-error.ts";
import { ask, fieldManager, isRefusal, type KubeCalls, mergePatch, unlessMissing } from "../../kube/kube-calls.ts";

interface RootCertificate {
  readonly namespace: string;
  /** The name of the ConfigMap. */
  readonly name: string;
  /** PEM. */
  readonly bundle: string;
}

/** The part of a ConfigMap that we read. The API server has validated it. */
interface KubeConfigMap {
  readonly data?: Readonly<Record<string, string>>;
}

/** istiod's key. */
const key = "root-cert.pem";

/** Creates or updates one ConfigMap. Other fields of it stay. A namespace that is being deleted needs none. */
export async function writeRootCertificate(
  calls: KubeCalls,
  { namespace, name, bundle }: RootCertificate,
): Promise<"created" | "updated" | "unchanged"> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const query = { fieldManager };
  const data = { [key]: bundle };
  const existing = (await unlessMissing(ask(calls, { path: `${path}/${name}` }))) as KubeConfigMap | undefined;
  if (existing?.data?.[key] === bundle) return "unchanged";
  try {
    if (existing === undefined) {
      const metadata = { name, namespace, labels: { "istio.io/config": "true" } };
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
      await ask(calls, { method: "POST", path, query, body });
      return "created";
    }
    const request = {
      method: "PATCH",
      path: `${path}/${name}`,
      query,
      body: { data },
      contentType: mergePatch,
    } as const;
    await ask(calls, request);
    return "updated";
  } catch (thrown) {
    if (isRefusal(thrown, 404) || isEnding(thrown)) return "unchanged";
    throw thrown;
  }
}

function isEnding(thrown: unknown): boolean {
  return thrown instanceof KubeError && thrown.causes.includes("NamespaceTerminating");
}
