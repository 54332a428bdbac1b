import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { Graph } from "../../../collection/graph.ts";
import { type Config, configKey } from "../../../config/config.ts";
import { meshConfig } from "../../../config/kinds/mesh-config.ts";
import { kinds } from "../../../config/kinds.ts";
import { toRaw } from "../../../config/proto-json/to-raw.ts";
import { configsIn, meshConfigIn } from "../../../testing/config/configs-in.ts";
import { TransformerRig } from "../../../testing/galley/transformer-rig.ts";
import { YamlSource } from "../../../testing/galley/yaml-source.ts";
import { describeWithData, istioData } from "../../../testing/shared-data.ts";
import { Processor } from "../processor.ts";
import { transformsFor } from "../transforms.ts";
import { gatewayCollection, virtualServiceCollection } from "./ingress/generated-config.ts";
import { ingressTransformer } from "./ingress.ts";
import { serviceTransformer } from "./services.ts";

const synthetic = "istio/networking/v1alpha3/synthetic/serviceentries";

function read(...path: readonly string[]): string {
  return readFileSync(join(istioData, ...path), "utf8");
}

/** A spec as people write it, so that what was read and what was made can be compared. */
function specOf({ spec }: Config): unknown {
  const kind = kinds.find(({ schema }) => isMessage(spec, schema));
  return kind !== undefined && isMessage(spec, kind.schema) ? toRaw(kind.schema, spec) : spec;
}

const ingresses = globSync("*.golden", { cwd: join(istioData, "ingress") }).toSorted();

describeWithData(join(istioData, "ingress"), "Ingresses are converted as istiod converts them", () => {
  test.each(ingresses)("%s", (golden) => {
    const conversion = new TransformerRig(ingressTransformer("mydomain"));
    conversion.setMesh("ingressControllerMode: DEFAULT");
    conversion.apply(read("ingress", golden.replace(".golden", "")));
    const expected = configsIn(read("ingress", golden));
    const made = [gatewayCollection, virtualServiceCollection].flatMap((name) => [...conversion.output(name).values()]);
    expect(made).toHaveLength(expected.length);
    for (const config of expected) {
      const same = made.find((each) => each.kind === config.kind && configKey(each) === configKey(config));
      expect(same?.annotations).toEqual(config.annotations);
      expect(same && specOf(same)).toEqual(specOf(config));
    }
  });
});

interface Expected {
  readonly Metadata: { readonly name: string };
  readonly Body: unknown;
}

/** Synthetic ones are looked at by themselves, below. */
const conversions = globSync("**/*_expected.json", { cwd: join(istioData, "galley-conversion") })
  .map((file) => file.replace("_expected.json", ""))
  .filter((name) => !name.includes("synthetic"))
  .toSorted();

describeWithData(join(istioData, "galley-conversion"), "objects are converted as Galley converts them", () => {
  test.each(conversions)("%s", async (name) => {
    const folder = "galley-conversion";
    const source = new YamlSource();
    source.apply(read(folder, `${name}.yaml`));
    const mesh = `${name}_meshconfig.yaml`;
    if (existsSync(join(istioData, folder, mesh))) {
      source.set(meshConfig.collection, meshConfigIn(read(folder, mesh)));
    }
    const processor = new Processor({ graph: new Graph(), sources: [source], transforms: transformsFor(kinds) });
    await processor.start();
    const text = read(folder, `${name}_expected.json`).replaceAll("{{.Namespace}}", "default");
    const expected = JSON.parse(text) as Readonly<Record<string, readonly Expected[]>>;
    for (const [collection, resources] of Object.entries(expected)) {
      const made = Array.from(processor.outputs.get(collection)?.entries() ?? []);
      const shown = made.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, config]) => [key, specOf(config)]);
      expect(shown).toEqual(resources.map(({ Metadata, Body }) => [Metadata.name, Body]));
    }
  });

  test("nothing from nodes, pods and services that are not read", () => {
    const conversion = new TransformerRig(serviceTransformer("cluster.local"));
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
    const conversion = new TransformerRig(serviceTransformer("cluster.local"));
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
    const conversion = new TransformerRig(serviceTransformer("cluster.local"));
    for (const name of ["node", "pod", "namespace", "service", "endpoints"]) {
      conversion.apply(read("galley-builtin", `${name}.yaml`));
    }
    const [service] = conversion.output("binnacle/services").values();
    expect(service).toMatchObject({
      name: "kube-dns",
      namespace: "kube-system",
      spec: {
        hostname: "kube-dns.kube-system.svc.cluster.local",
        // The pod behind the other one is not there.
        endpoints: [
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
