import { Kube } from "../../support/kube/kube.ts";
import { openDefinition } from "../../support/kube/kube-objects.ts";
import type { WrittenObject } from "../oracle/generations.ts";
import { independentObjects } from "./independent-objects.ts";
import type { Origin, SourceSubject } from "./origin.ts";

const plurals: Readonly<Record<string, string>> = {
  ServiceEntry: "serviceentries",
  DestinationRule: "destinationrules",
  VirtualService: "virtualservices",
  Gateway: "gateways",
  AuthorizationPolicy: "authorizationpolicies",
};

/** A real API server with its etcd. */
export class KubeOrigin implements Origin {
  readonly source = "kube:";
  readonly objectsOf = independentObjects;
  readonly kube: Kube;

  private constructor(kube: Kube) {
    this.kube = kube;
  }

  static async open(): Promise<KubeOrigin> {
    const origin = new KubeOrigin(await Kube.start());
    const definitions = Object.entries(plurals).map(([kind, plural]) =>
      openDefinition({ kind, plural, ...(kind === "AuthorizationPolicy" && { group: "security.istio.io" }) }),
    );
    await origin.kube.define(definitions);
    await origin.kube.call("POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
    return origin;
  }

  get args(): readonly string[] {
    // One push for all kinds: the policies of a generation are two objects.
    return ["--kubeconfig", this.kube.kubeconfig("admin"), "--debounce-after", "300ms"];
  }

  async write(objects: readonly WrittenObject[]): Promise<void> {
    await Promise.all(objects.map((object) => this.#apply(object)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kube[Symbol.asyncDispose]();
  }

  async #apply(object: WrittenObject): Promise<void> {
    const { apiVersion, kind, metadata } = object;
    const path = `/apis/${apiVersion}/namespaces/${metadata.namespace}/${plurals[kind]}/${metadata.name}`;
    const query = "fieldManager=test&force=true";
    const { status, body } = await this.kube.call("PATCH", `${path}?${query}`, object, "application/apply-patch+yaml");
    if (status >= 300) throw new Error(`${path}: ${status} ${String(body["message"])}`);
  }
}

export const kubeSubject: SourceSubject<KubeOrigin> = {
  name: "a Kubernetes",
  peers: ["kube"],
  open: () => KubeOrigin.open(),
  faults: [
    {
      name: "loses its API server, and its history",
      effect: "The source is stale and keeps its objects. It reads everything again and sends the differences.",
      bound: { seconds: 25 },
      form: "whole",
      said: /^stale: the API server cannot be reached/u,
      begin: ({ kube }) => kube.stopServer("SIGKILL"),
      async end({ kube }, next) {
        await kube.compact();
        await kube.startServer();
        await next();
      },
    },
  ],
};
