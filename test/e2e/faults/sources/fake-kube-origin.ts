import type { ServerResponse } from "node:http";
import { FakeKube, type FakeRequest, type KubeFault, line } from "../../../../src/testing/server/fake-kube.ts";
import type { WrittenObject } from "../oracle/generations.ts";
import { independentObjects } from "./independent-objects.ts";
import { BreakableWay } from "./breakable-way.ts";
import type { Origin, OriginFault, SourceSubject } from "./origin.ts";
import { answersSlowly } from "./slow-way.ts";

const paths: Readonly<Record<string, string>> = {
  ServiceEntry: "/apis/networking.istio.io/v1/serviceentries",
  DestinationRule: "/apis/networking.istio.io/v1/destinationrules",
  VirtualService: "/apis/networking.istio.io/v1/virtualservices",
  Gateway: "/apis/networking.istio.io/v1/gateways",
  AuthorizationPolicy: "/apis/security.istio.io/v1/authorizationpolicies",
};
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** An API server that lies on demand, behind a way that can break. */
export class FakeKubeOrigin implements Origin {
  readonly source = "kube:";
  readonly objectsOf = independentObjects;
  readonly fake: FakeKube;
  readonly way: BreakableWay;

  private constructor(fake: FakeKube, way: BreakableWay) {
    this.fake = fake;
    this.way = way;
  }

  static async open(): Promise<FakeKubeOrigin> {
    const fake = await FakeKube.start([definitions, "/api/v1/services", ...Object.values(paths)]);
    return new FakeKubeOrigin(fake, await BreakableWay.to(fake.port));
  }

  get args(): readonly string[] {
    // One push for all kinds: the policies of a generation are two objects.
    return ["--kubeconfig", this.fake.kubeconfig("token", this.way.port), "--debounce-after", "300ms"];
  }

  write(objects: readonly WrittenObject[]): Promise<void> {
    for (const object of objects) {
      const path = paths[object.kind];
      if (path !== undefined) this.fake.put(path, { ...object, metadata: { ...object.metadata } });
    }
    return Promise.resolve();
  }

  /** Answers every request for objects with a fault, from now on. */
  lie(fault: (request: FakeRequest) => KubeFault): void {
    this.fake.fault = (request) => (isOfObjects(request) ? fault(request) : undefined);
    this.fake.endWatches("broken");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.way[Symbol.asyncDispose]();
    await this.fake[Symbol.asyncDispose]();
  }
}

function isOfObjects({ path }: FakeRequest): boolean {
  return Object.values(paths).includes(path);
}

/** An answer with success that lists no object, as a list or at the start of a watch. */
function emptyAnswer({ query }: FakeRequest): KubeFault {
  const metadata = { resourceVersion: "100000", annotations: { "k8s.io/initial-events-end": "true" } };
  if (query.get("sendInitialEvents") === "true")
    return { type: "event", line: line("BOOKMARK", { kind: "Bookmark", metadata }) };
  if (query.get("watch") === "true") return expired;
  return answering((response) => response.end(JSON.stringify({ kind: "List", metadata, items: [] })));
}

const expired: KubeFault = { type: "status", code: 410 };

function answering(answer: (response: ServerResponse) => void): KubeFault {
  return { type: "answer", answer };
}

function lying(name: string, effect: string, said: RegExp, fault: (request: FakeRequest) => KubeFault) {
  return {
    name,
    effect,
    said,
    bound: { seconds: 25 },
    form: "whole",
    begin: (origin: FakeKubeOrigin) => origin.lie(fault),
    async end({ fake }: FakeKubeOrigin, next: () => Promise<void>) {
      await next();
      fake.fault = () => undefined;
      fake.endWatches("broken");
    },
  } satisfies OriginFault<FakeKubeOrigin>;
}

const keeps = "The source is stale and keeps its objects.";

export const fakeKubeSubject: SourceSubject<FakeKubeOrigin> = {
  name: "an API server",
  open: () => FakeKubeOrigin.open(),
  faults: [
    lying("resets every connection", keeps, /^stale: /u, () => answering((response) => response.destroy())),
    answersSlowly({ seconds: 25 }),
    lying("does not answer", keeps, /^stale: /u, () => ({ type: "hang" })),
    lying("answers with success and a page of a proxy", keeps, /^stale: /u, () =>
      answering((response) => response.end("<html>502 Bad Gateway</html>")),
    ),
    lying("answers with success and nothing", keeps, /^stale: /u, () => answering((response) => response.end())),
    lying("ends every answer in the middle", keeps, /^stale: /u, () => ({ type: "cut" })),
    lying(
      "lists no objects, with success",
      "Objects stay in use until the server has listed none of them for 30 s. The source is stale and says so.",
      /^stale: .*the API server lists none of the \d+ objects that it had/u,
      emptyAnswer,
    ),
    {
      ...lying("is restored from a backup, past the versions that were read before", keeps, /^stale: /u, () => ({
        type: "status",
        code: 500,
      })),
      effect: "After an outage the source reads everything again and sends the differences.",
      async end({ fake }, next) {
        await next();
        // The writes are part of no history that a watch could resume.
        fake.restore(1_000_000);
        fake.fault = () => undefined;
      },
    },
    {
      ...lying("is restored from a backup, with versions lower than before", keeps, /^stale: /u, () => ({
        type: "status",
        code: 500,
      })),
      async end({ fake }, next) {
        await next();
        fake.restore(1);
        fake.fault = () => undefined;
      },
    },
  ],
};
