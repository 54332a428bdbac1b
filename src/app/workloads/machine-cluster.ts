import { workloadGroup } from "../../config/kinds/workload-group.ts";
import { KubeClient } from "../../kube/kube-client.ts";
import type { KubeAccess } from "../../kube/kubeconfig.ts";
import { MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { ask, unlessMissing } from "../kube/kube-calls.ts";
import { systemClock } from "../process/system-clock.ts";
import { openKubeStore } from "../store/kube-store.ts";
import type { ObjectFields } from "../store/object-store.ts";

/** A token of a service account, and when it expires. */
export interface AccountToken {
  readonly token: string;
  readonly expires: string;
}

/** A cluster as the place of everything that a machine outside of it needs. Every call rejects as `KubeClient` does. */
export class MachineCluster implements Disposable {
  readonly #access: KubeAccess;
  readonly #client: KubeClient;

  /** Throws `source-unavailable` for a kubeconfig that cannot be used. */
  constructor(access: KubeAccess) {
    this.#access = access;
    this.#client = new KubeClient(access, systemClock);
  }

  async group(namespace: string, name: string): Promise<ObjectFields | undefined> {
    using store = openKubeStore(this.#access);
    return (await store.get({ kind: workloadGroup, namespace, name }))?.fields;
  }

  /** The text of one key of a ConfigMap. Throws `not-found`. */
  async configMap(namespace: string, name: string, key: string): Promise<string> {
    const text = await this.optionalConfigMap(namespace, name, key);
    if (text !== undefined) return text;
    throw new MeshError("not-found", `ConfigMap ${namespace}/${name} with the key ${key} does not exist`);
  }

  async optionalConfigMap(namespace: string, name: string, key: string): Promise<string | undefined> {
    const found = await this.#get(`/api/v1/namespaces/${namespace}/configmaps/${name}`);
    const text = isMapping(found?.["data"]) ? found["data"][key] : undefined;
    return typeof text === "string" ? text : undefined;
  }

  /** The name of the cluster in Istio's values for injection. */
  async clusterName(namespace: string, configMap: string): Promise<string | undefined> {
    const values = await this.optionalConfigMap(namespace, configMap, "values");
    let found: unknown = values === undefined ? undefined : parseJson(values);
    for (const name of ["global", "multiCluster", "clusterName"]) found = isMapping(found) ? found[name] : undefined;
    return typeof found === "string" && found !== "" ? found : undefined;
  }

  /** The first address of a Service that is reachable from outside. */
  async externalAddress(namespace: string, service: string): Promise<string | undefined> {
    // The API server has validated the Service.
    const found = (await this.#get(`/api/v1/namespaces/${namespace}/services/${service}`)) as KubeService | undefined;
    return found?.status?.loadBalancer?.ingress?.[0]?.ip ?? found?.spec?.externalIPs?.[0];
  }

  /** A new token for the audience of the control plane. Throws `not-found` without the account. */
  async token(namespace: string, account: string, expirationSeconds: number): Promise<AccountToken> {
    const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
    const body = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { audiences: ["istio-ca"], expirationSeconds },
    };
    const answer = await unlessMissing(ask(this.#client, { method: "POST", path, body }));
    if (answer === undefined) {
      throw new MeshError("not-found", `ServiceAccount ${namespace}/${account} does not exist: create it first`);
    }
    const { token, expirationTimestamp } = (answer as TokenAnswer).status;
    return { token, expires: expirationTimestamp };
  }

  async #get(path: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return (await unlessMissing(ask(this.#client, { path }))) as Readonly<Record<string, unknown>> | undefined;
  }

  [Symbol.dispose](): void {
    this.#client[Symbol.dispose]();
  }
}

interface KubeService {
  readonly spec?: { readonly externalIPs?: readonly string[] };
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } };
}

interface TokenAnswer {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}
