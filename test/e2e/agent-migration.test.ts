import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { peerPath } from "../../scripts/peer.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { makeCacerts } from "./support/agent/cacerts.ts";
import { istiodObjects } from "./support/agent/istiod-objects.ts";
import { startIstiod } from "./support/agent/istiod-pod.ts";
import { IstiodService } from "./support/agent/istiod-service.ts";
import { appAddress, openKubeShop, tokenOf } from "./support/agent/kube-shop.ts";
import { startSidecarPair } from "./support/agent/sidecar-pair.ts";
import { root } from "./support/checkout.ts";
import { readRecipe } from "./support/documents/recipe.ts";
import { RecipeRunner } from "./support/documents/recipe-runner.ts";
import { Load } from "./support/envoy/fortio.ts";
import { Kube } from "./support/kube/kube.ts";
import { apply } from "./support/kube/kube-bookinfo.ts";
import { describeWithNetwork } from "./support/peers.ts";
import { forwardToMachine } from "./support/pod/forward.ts";
import { openPodNetwork } from "./support/pod/pod-network.ts";
import { shared } from "./support/shared.ts";

const describeIstiod = await describeWithNetwork("envoy", "fortio", "iptables", "istiod", "kube", "pilot-agent");
const host = "app.shop.svc.cluster.local";
const [replace = "", goBack = ""] = readFileSync(join(root, "docs/recipes/replace-istiod.md"), "utf8").split(
  /(?=^## Go back$)/mu,
);

/** How the operator of an istiod gives it a root, with the Secret that holds it. */
const authorities = [
  {
    root: "a self-signed root",
    secret: "istio-ca-secret",
    provide: async () => {},
  },
  {
    root: "a plugged-in root",
    secret: "cacerts",
    provide: async (kube: Kube, cacerts: string) => {
      makeCacerts(cacerts);
      const files = ["ca-cert.pem", "ca-key.pem", "cert-chain.pem", "root-cert.pem"];
      const from = files.map((file) => `--from-file=${join(cacerts, file)}`);
      await kube.kubectl(["-n", "istio-system", "create", "secret", "generic", "cacerts", ...from]);
    },
  },
];

describeIstiod("a mesh of a real istiod", () => {
  describe.each(authorities)("with $root", ({ secret, provide }) => {
    const world = shared(async (stack) => {
      const cacerts = mkdtempSync(join(tmpdir(), "binnacle-cacerts-"));
      stack.defer(() => rmSync(cacerts, { recursive: true, force: true }));
      const { pods } = stack.use(await openPodNetwork("istiod", "client", "server"));
      const kube = stack.use(await Kube.start());
      await openKubeShop(kube, pods.client, pods.server);
      await apply(kube, istiodObjects);
      await provide(kube, cacerts);
      stack.use(await forwardToMachine(pods.istiod, kube.port));
      const startOld = () => startIstiod(pods.istiod, kube.kubeconfig("admin"), cacerts);
      const service = stack.use(new IstiodService(kube, pods.istiod, startOld));
      const controlPlaneRoot = await eventually("the root of istiod", () => rootIn(kube, secret), { seconds: 30 });
      const agents = await startSidecarPair(pods, async (pod) => ({
        token: await tokenOf(kube, pod.name),
        controlPlaneRoot,
        // Certificates are renewed after three seconds of 60, so each control plane has to issue some.
        env: { SECRET_TTL: "60s", SECRET_GRACE_PERIOD_RATIO: "0.95" },
      }));
      const kubectl = join(await peerPath("kube"), "kubectl");
      const env = { KUBECONFIG: kube.kubeconfig("admin") };
      const runner = stack.use(new RecipeRunner({ kubectl }, { shell: pods.istiod.inside("bash"), env }));
      return { pods, service, agents, runner };
    });

    test("moves to us and back as the recipe says, with live proxies, and no request fails", async () => {
      const { pods, service, agents, runner } = world();
      const both = [agents.client, agents.server];
      const target = { address: appAddress, port: 80, host, path: "/" };
      expect(await pods.client.call({ ...target, protocol: "http" })).toMatchObject({ status: 200 });
      const launch = (command: string, args: readonly string[]) => pods.client.start(command, args);
      await using load = await Load.start({ ...target, qps: 50, launch });
      const untilRenewed = async () => {
        const before = new Map(both.map((agent) => [agent, agent.issued()]));
        const after = () => both.every((agent) => agent.issued() > (before.get(agent) ?? 0));
        await eventually("renewed certificates", after, { seconds: 30 });
      };
      await untilRenewed();
      await runner.follow(readRecipe(replace));
      expect(service.app).toBe("binnacle");
      await untilRenewed();
      expect(service.log()).not.toMatch(/forbidden|cannot/u);
      for (const agent of both) expect(await agent.rejections()).toEqual([]);
      await runner.follow(readRecipe(goBack));
      await eventually("istiod", () => service.app === "istiod", { seconds: 30 });
      await untilRenewed();
      const requests = await load.stop();
      expect(requests.filter(({ ok }) => !ok)).toEqual([]);
      expect(requests.length).toBeGreaterThan(100);
      for (const agent of both) expect(agent.linesLike(/Envoy command:/u)).toHaveLength(1);
    });
  });
});

/** The root certificate in the Secret of an authority; undefined as long as there is none. */
async function rootIn(kube: Kube, secret: string): Promise<string | undefined> {
  const { body } = await kube.call("GET", `/api/v1/namespaces/istio-system/secrets/${secret}`);
  const data = body["data"] as Readonly<Record<string, string>> | undefined;
  const encoded = data?.["root-cert.pem"] || data?.["ca-cert.pem"];
  return encoded === undefined ? undefined : Buffer.from(encoded, "base64").toString();
}
