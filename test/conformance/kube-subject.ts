import { parseAllDocuments } from "yaml";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { secret } from "../../src/config/kinds/secret.ts";
import { kinds } from "../../src/config/kinds.ts";
import type { KubeSourceOptions } from "../../src/galley/source/kube/kube-session.ts";
import { createKubeSource } from "../../src/galley/source/kube/kube-source.ts";
import type { Source, SourceEvent, SourceHandler } from "../../src/galley/source/source.ts";
import type { Kube } from "../e2e/support/kube/kube.ts";
import type { SourceSubject } from "./describe-source.ts";
import { serviceEntry } from "./source/source-trial.ts";

const entries = "/apis/networking.istio.io/v1/namespaces/shop/serviceentries";
const marker = "zz-marker";

/** A source for all of a server, as an administrator sees it by default. */
export function kubeSource(kube: Kube, options: Partial<KubeSourceOptions> = {}): Source {
  return createKubeSource({
    name: "kube:",
    kinds: kinds.filter(({ collection }) => collection !== secret.collection),
    clock: systemClock,
    access: { kubeconfig: kube.kubeconfig("admin"), context: undefined },
    namespaces: [],
    namespaceSelector: undefined,
    random: Math.random,
    ...options,
  });
}

/** Puts a ServiceEntry `accounts` into a namespace. */
export function putEntry(kube: Kube, namespace: string): Promise<void> {
  return putAll(kube, serviceEntry("accounts").replace("namespace: shop", `namespace: ${namespace}`));
}

/** Removes the ServiceEntry again. */
export async function removeEntry(kube: Kube, namespace: string): Promise<void> {
  await kube.call("DELETE", `${entries.replace("shop", namespace)}/accounts`);
}

/** The namespace `shop` of a server with ServiceEntries. The end of the test empties it. */
export async function kubeSubject(kube: Kube): Promise<SourceSubject> {
  const source = new MarkedSource(kube);
  return {
    source,
    put: (yaml) => putAll(kube, yaml),
    async remove(_kind, _namespace, name) {
      await kube.call("DELETE", `${entries}/${name}`);
    },
    idle: () => source.idle(),
    async close() {
      await kube.call("DELETE", entries);
    },
  };
}

async function putAll(kube: Kube, yaml: string): Promise<void> {
  for (const document of parseAllDocuments(yaml)) {
    const object = document.toJS() as { readonly metadata: { readonly name: string; readonly namespace: string } };
    const { name, namespace } = object.metadata;
    const path = `${entries.replace("shop", namespace)}/${name}?fieldManager=test&force=true`;
    const { status, body } = await kube.call("PATCH", path, object, "application/apply-patch+yaml");
    if (status >= 300) throw new Error(`${path} is refused: ${String(body["message"])}`);
  }
}

/**
 * The source, with a marker object. A server delivers writes in order. So when the marker arrives, all earlier writes
 * have arrived. Listeners do not see the marker.
 */
class MarkedSource implements Source {
  readonly #kube: Kube;
  readonly #source: Source;
  #running = false;
  #marks = 0;
  #mark: { readonly hostname: string; readonly seen: () => void } | undefined;

  constructor(kube: Kube) {
    this.#kube = kube;
    this.#source = kubeSource(kube);
  }

  get name(): string {
    return this.#source.name;
  }

  get collections(): readonly string[] {
    return this.#source.collections;
  }

  async start(handler: SourceHandler): Promise<void> {
    this.#running = true;
    await this.#source.start((events) => {
      const others = events.filter((event) => isOurs(event) && !this.#isMark(event));
      if (others.length > 0) handler(others);
    });
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#source.stop();
  }

  async idle(): Promise<void> {
    await this.#source.idle();
    if (!this.#running) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const hostname = `mark-${++this.#marks}.${process.pid}.shop`;
    this.#mark = { hostname, seen: resolve };
    await putAll(this.#kube, serviceEntry(marker, hostname));
    await promise;
  }

  #isMark(event: SourceEvent): boolean {
    if (event.type === "deleted") return event.key === `shop/${marker}`;
    if (event.type !== "upserted" || event.config.name !== marker) return false;
    const { hosts } = event.config.spec as { readonly hosts: readonly string[] };
    if (this.#mark !== undefined && hosts[0] === this.#mark.hostname) this.#mark.seen();
    return true;
  }
}

/** Excludes the namespaces, services and CRDs of the cluster itself. */
function isOurs(event: SourceEvent): boolean {
  if (event.type !== "upserted" && event.type !== "deleted") return true;
  return event.collection.endsWith("/serviceentries");
}
