import { expect, test } from "vitest";
import { readMesh } from "../../src/app/offline/read-mesh.ts";
import { istioDocuments } from "../../src/testing/config/istio-documents.ts";
import { proxyWithName } from "../../src/testing/model/proxy-with-name.ts";
import { describeWithData, istioData } from "../../src/testing/shared-data.ts";

const proxies = [
  proxyWithName("sidecar~1.1.1.1~app-0.default~default.svc.cluster.local", { NAMESPACE: "default" }),
  proxyWithName("router~1.1.1.1~gw-0.istio-system~istio-system.svc.cluster.local", {
    NAMESPACE: "istio-system",
    LABELS: { istio: "ingressgateway", app: "my-gateway-controller" },
  }),
  proxyWithName("sidecar~1.1.1.1~grpc-0.default~default.svc.cluster.local", {
    NAMESPACE: "default",
    GENERATOR: "grpc",
  }),
];

describeWithData(istioData, "every document of Istio's", () => {
  // A generator that fails ends the test: reading a mesh offline hides nothing.
  test.each(istioDocuments({ services: 50 }))(
    "$name becomes configuration of all kinds of proxies",
    async (document) => {
      const mesh = await readMesh({
        inputs: [{ file: document.name, text: document.text }],
        mesh: undefined,
        domain: "cluster.local",
        clusterId: "Kubernetes",
      });
      for (const proxy of proxies) {
        const types = mesh.resourcesFor(proxy);
        const names = types.flatMap(({ shortName, resources }) => resources.map(({ name }) => `${shortName} ${name}`));
        expect(names).toEqual([...new Set(names)]);
      }
      expect(mesh.issues.filter(({ code }) => code === "internal")).toEqual([]);
    },
  );
});
