import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DescMessage, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { GatewaySchema } from "#gen/istio/networking/v1alpha3/gateway_pb.js";
import { ServiceEntrySchema } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { VirtualServiceSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { type Config, configKey } from "../../../config/config.ts";
import { kinds } from "../../../config/kinds.ts";
import { parseConfigs } from "../../../config/parse.ts";
import { Conversion } from "../../../testing/conversion.ts";
import { describeWithData, istioData } from "../../../testing/shared-data.ts";
import { gateways, virtualServices } from "./ingress/generated-config.ts";
import { ingress } from "./ingress.ts";
import { oldIngress } from "./old-ingress.ts";
import { services } from "./services.ts";

const synthetic = "istio/networking/v1alpha3/synthetic/serviceentries";
const galleySession = join(istioData, "../goldens/istio-1.3.6/mcp/new-processor/service-discovery");

const schemas: Readonly<Record<string, DescMessage>> = { Gateway: GatewaySchema, VirtualService: VirtualServiceSchema };

function read(...path: readonly string[]): string {
  return readFileSync(join(istioData, ...path), "utf8");
}

/** A spec as canonical JSON, so that what was read and what was made can be compared. */
function specOf({ kind, spec }: Config): unknown {
  const schema = schemas[kind] ?? ServiceEntrySchema;
  return toJson(schema, spec as never);
}

describeWithData(join(istioData, "ingress"), "Ingresses are converted as istiod converts them", () => {
  test.each(["simple", "tls"])("%s", (name) => {
    const conversion = new Conversion(ingress("mydomain"));
    conversion.setMesh("ingressControllerMode: DEFAULT");
    conversion.apply(read("ingress", `${name}.yaml`));
    const text = read("ingress", `${name}.yaml.golden`);
    const { configs } = parseConfigs({ text, file: "golden", source: "test", kinds, defaultNamespace: "default" });
    expect(configs).toHaveLength(2);
    for (const expected of configs) {
      const made = conversion.output(expected.kind === "Gateway" ? gateways : virtualServices).get(configKey(expected));
      expect(made?.annotations).toEqual(expected.annotations);
      expect(made && specOf(made)).toEqual(specOf(expected));
    }
  });
});

interface Recorded {
  readonly type: string;
  readonly message: {
    /** A file that was written: its text, or where it is kept. */
    readonly text?: string;
    readonly content?: string;
    readonly collection?: string;
    readonly resources?: readonly {
      readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
      readonly body: Readonly<Record<string, unknown>>;
    }[];
  };
}

describeWithData(galleySession, "synthetic ServiceEntries are those that Galley 1.3.6 was recorded to send", () => {
  test("through edits of endpoints, pods, nodes and services", () => {
    const conversion = new Conversion(services("cluster.local"));
    let text = readFileSync(join(galleySession, "../../../inputs/kube/60-kube.yaml"), "utf8");
    conversion.apply(text);
    const ours: unknown[] = [];
    const theirs: unknown[] = [];
    for (const { message } of sessionOf(galleySession)) {
      if (message.text !== undefined || message.content !== undefined) {
        conversion.remove(text);
        text = message.text ?? readFileSync(join(galleySession, message.content ?? ""), "utf8");
        conversion.apply(text);
      } else if (message.collection === synthetic) {
        ours.push(entriesIn(conversion));
        theirs.push(recordedEntries(message));
      }
    }
    expect(ours).toEqual(theirs);
    expect(theirs).toHaveLength(6);
  });
});

function sessionOf(folder: string): readonly Recorded[] {
  const lines = readFileSync(join(folder, "session.jsonl"), "utf8").trim().split("\n");
  const recorded = lines.map((line) => JSON.parse(line) as Recorded);
  return recorded.filter(({ type }) => type === "event" || type === "Resources");
}

/** Names with specs and what is not ready. Versions are left out: ours are hashes, and theirs counted. */
function entriesIn(conversion: Conversion): ReadonlyMap<string, unknown> {
  const made = Array.from(conversion.output(synthetic).entries(), ([name, config]) => {
    return [
      name,
      { spec: specOf(config), notReady: config.annotations["networking.alpha.istio.io/notReadyEndpoints"] },
    ] as const;
  });
  return new Map(made);
}

function recordedEntries({ resources = [] }: Recorded["message"]): ReadonlyMap<string, unknown> {
  const recorded = resources.map(({ metadata: { name, annotations = {} }, body: { "@type": _type, ...spec } }) => {
    return [name, { spec, notReady: annotations["networking.istio.io/notReadyEndpoints"] }] as const;
  });
  return new Map(recorded);
}

interface Expected {
  readonly Metadata: { readonly name: string };
  readonly Body: unknown;
}

describeWithData(join(istioData, "galley-conversion"), "objects are converted as Galley converts them", () => {
  test("an Ingress of extensions/v1beta1", () => {
    const folder = ["galley-conversion", "extensions", "v1beta1"];
    const conversion = new Conversion(oldIngress("cluster.local"));
    conversion.setMesh(read(...folder, "ingress_basic_meshconfig.yaml"));
    conversion.apply(read(...folder, "ingress_basic.yaml"));
    const text = read(...folder, "ingress_basic_expected.json").replaceAll("{{.Namespace}}", "default");
    const expected = JSON.parse(text) as Readonly<Record<string, readonly Expected[]>>;
    for (const [collection, resources] of Object.entries(expected)) {
      const made = Array.from(conversion.output(collection).entries(), ([name, config]) => [name, specOf(config)]);
      expect(made).toEqual(resources.map(({ Metadata, Body }) => [Metadata.name, Body]));
    }
  });

  test("nothing from nodes, pods and services that are not read", () => {
    const conversion = new Conversion(services("cluster.local"));
    const text = read(
      "galley-conversion",
      "networking.istio.io",
      "v1alpha3",
      "synthetic",
      "serviceEntry_expected.json",
    );
    for (const [collection, resources] of Object.entries(JSON.parse(text) as Readonly<Record<string, unknown[]>>)) {
      expect([...conversion.output(collection).values()]).toEqual(resources);
    }
  });

  test("a service with the pods and nodes behind it", () => {
    const conversion = new Conversion(services("cluster.local"));
    conversion.apply(read("galley-conversion", "networking.istio.io", "v1alpha3", "synthetic", "serviceEntry.yaml"));
    const ports = { dns: 53, "dns-tcp": 53 };
    const locality = "us-central1/us-central1-a";
    const [entry] = conversion.output(synthetic).values();
    expect(entry && specOf(entry)).toEqual({
      hosts: ["kube-dns.default.svc.cluster.local"],
      addresses: ["10.43.240.10"],
      ports: [
        { name: "dns", number: 53, protocol: "UDP" },
        { name: "dns-tcp", number: 53, protocol: "TCP" },
      ],
      location: "MESH_INTERNAL",
      resolution: "STATIC",
      endpoints: [
        { address: "10.40.0.5", ports, labels: { "k8s-app": "kube-dns", "pod-template-hash": "123" }, locality },
        { address: "10.40.1.4", ports, labels: { "k8s-app": "kube-dns", "pod-template-hash": "456" }, locality },
      ],
      subjectAltNames: ["spiffe://cluster.local/ns/default/sa/kube-dns"],
    });
  });
});

describeWithData(join(istioData, "galley-builtin"), "built-in objects make a service", () => {
  test("with what is known of its endpoints", () => {
    const conversion = new Conversion(services("cluster.local"));
    for (const name of ["node", "pod", "namespace", "service", "endpoints"]) {
      conversion.apply(read("galley-builtin", `${name}.yaml`));
    }
    const [service] = conversion.output("binnacle/services").values();
    expect(service).toMatchObject({
      name: "kube-dns",
      namespace: "kube-system",
      spec: {
        hostname: "kube-dns.kube-system.svc.cluster.local",
        endpoints: [
          { address: "10.40.0.5", labels: {}, workloadName: "" },
          {
            address: "10.40.1.4",
            workloadName: "kube-dns-548976df6c",
            workloadKind: "ReplicaSet",
            serviceAccount: "kube-dns",
          },
        ],
      },
    });
  });
});
