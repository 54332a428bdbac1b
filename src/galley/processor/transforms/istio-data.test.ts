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
