import { describe, expect, test } from "vitest";
import { RootCertificatePublisher } from "../../src/app/ca/root-certificates/publisher.ts";
import { etcdRootStore, kubeRootStore } from "../../src/app/ca/shared-root-store.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { etcdPlace } from "../../src/app/sources/etcd.ts";
import { parseSourceUrl } from "../../src/app/sources/source-url.ts";
import type { RootStore } from "../../src/ca/root-store.ts";
import type { Roots } from "../../src/ca/roots.ts";
import { beginRotation, firstRoots, rotationTimes } from "../../src/ca/rotation.ts";
import { KubeClient } from "../../src/kube/kube-client.ts";
import { Supervisor } from "../../src/lib/supervisor.ts";
import { madeRoot } from "../../src/testing/ca/made-authority.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { testStoredRefusals } from "./quarantine/stored-refusals.ts";
import { Kube } from "./support/kube/kube.ts";
import { describeWith } from "./support/peers.ts";
import { Etcd } from "./support/registry/etcd.ts";
import { shared } from "./support/shared.ts";

const patience = { seconds: 30 };
const times = rotationTimes(60_000);
const describeWithKube = await describeWith("kube");
const clock = new Supervisor({ clock: systemClock, onFailure: () => undefined }).clockFor("test");

/** The phases that a store has after each change that it reports, and its failures. */
function phasesOf(store: RootStore) {
  const phases: string[] = [];
  const failed = (thrown: unknown) => phases.push(String(thrown));
  const read = () => store.read().then((stored) => phases.push(stored?.content.phase ?? "nothing"), failed);
  return { phases, watch: store.watch(() => void read(), failed) };
}

/** The fields that a workload notices. */
function seen(roots: Roots | undefined) {
  return roots && [roots.phase, roots.signing.certificate, roots.signing.key.reveal(), roots.trusted];
}

describeWithKube("documents that replicas share", () => {
  const world = shared(async (resources) => {
    const [kube, etcd] = await Promise.all([Kube.start(), Etcd.start()]);
    resources.use(kube);
    resources.use(etcd);
    await kube.call("POST", "/api/v1/namespaces", { metadata: { name: "istio-system" } });
    const client = resources.use(
      new KubeClient({ kubeconfig: kube.kubeconfig("admin"), context: undefined }, systemClock),
    );
    const [one, two, three] = [await madeRoot("one"), await madeRoot("two"), await madeRoot("three")];
    const inEtcd = () => {
      const store = etcdRootStore(etcdPlace(parseSourceUrl(etcd.url("mesh"))), clock);
      resources.defer(() => store.close());
      return store;
    };
    const inKube = () => kubeRootStore({ client, namespace: "istio-system" }, "istio-ca-secret", clock);
    const key = "/mesh-ca/roots";
    const secret = "/api/v1/namespaces/istio-system/secrets/istio-ca-secret";
    const remove = {
      inEtcd: async () => void (await etcd.client.delete().key(key)),
      inKube: async () => void (await kube.call("DELETE", secret)),
    };
    const broken = { data: { "ca-key.pem": Buffer.from("no key").toString("base64") } };
    const spoil = {
      inEtcd: async () => void (await etcd.client.put(key).value("no roots")),
      inKube: async () => void (await kube.call("PATCH", secret, broken, "application/merge-patch+json")),
    };
    return { kube, etcd, client, one, two, three, inEtcd, inKube, remove, spoil };
  });

  describe("roots", () => {
    test.each(["inEtcd", "inKube"] as const)(
      "two replicas %s agree on the first roots and on each step",
      async (kind) => {
        const { one, two, three, ...stores } = world();
        const [first, second]: readonly RootStore[] = [stores[kind](), stores[kind]()];
        if (first === undefined || second === undefined) throw new Error("two stores");
        expect(await first.read()).toBeUndefined();
        const { phases, watch } = phasesOf(second);
        const started = await Promise.all([
          first.replace(undefined, firstRoots(one, times, 1)),
          second.replace(undefined, firstRoots(two, times, 1)),
        ]);
        expect(seen(started[0].content)).toEqual(seen(started[1].content));
        expect(started[0].revision).toBe(started[1].revision);
        expect(await second.read()).toEqual(started[0]);

        const { content: roots, revision } = started[0];
        const step = beginRotation(roots, three, 2);
        if (step === undefined) throw new Error("a steady mesh can rotate");
        const moved = await first.replace(revision, step);
        expect([moved.revision !== revision, seen(moved.content)]).toEqual([true, seen(step)]);
        const late = await second.replace(revision, firstRoots(two, times, 3));
        expect([late.revision, seen(late.content)]).toEqual([moved.revision, seen(step)]);
        await eventually("a watched change", () => phases.at(-1) === "distribute", patience);
        watch.stop();
      },
    );

    test("roots in etcd are not below the prefix of the mesh's objects", async () => {
      const { etcd } = world();
      const keys = await etcd.client.getAll().keys();
      expect(keys.filter((key) => key.startsWith("/mesh"))).toEqual(["/mesh-ca/roots"]);
    });

    test("the watch of a Secret goes on after the API server restarted", async () => {
      const { kube, inKube } = world();
      const store = inKube();
      const { phases, watch } = phasesOf(store);
      await eventually("a watch", () => phases.includes("distribute"), patience);
      await kube.stopServer("SIGKILL");
      await kube.startServer();
      const stored = await store.read();
      if (stored === undefined) throw new Error("the roots are kept");
      await store.replace(stored.revision, { ...stored.content, phase: "sign" });
      await eventually("a change after the restart", () => phases.includes("sign"), patience);
      expect(phases.at(-1)).toBe("sign");
      watch.stop();
    });

    test.each(["inEtcd", "inKube"] as const)("roots %s that were deleted are created again", async (kind) => {
      const { remove, one, ...stores } = world();
      const store = stores[kind]();
      const { phases, watch } = phasesOf(store);
      const before = await store.read();
      await remove[kind]();
      await eventually("a watched deletion", () => phases.includes("nothing"), patience);
      const roots = firstRoots(one, times, 1);
      const after = await store.replace(before?.revision, roots);
      expect([seen(after.content), await store.read()]).toEqual([seen(roots), after]);
      watch.stop();
    });

    test.each(["inEtcd", "inKube"] as const)("roots %s that cannot be read are never replaced", async (kind) => {
      const { spoil, one, ...stores } = world();
      const store = stores[kind]();
      await spoil[kind]();
      const unreadable = {
        code: "bad-config",
        message: expect.stringMatching(/\/mesh-ca\/roots|ca-key\.pem/u) as string,
      };
      await expect(store.read()).rejects.toMatchObject(unreadable);
      await expect(store.replace(undefined, firstRoots(one, times, 1))).rejects.toMatchObject(unreadable);
      await expect(store.read()).rejects.toMatchObject(unreadable);
    });

    test("every namespace gets the root certificates, also a new one, and after an edit", async () => {
      const { kube, client } = world();
      let bundle = "the first bundle";
      const written: string[] = [];
      const publisher = new RootCertificatePublisher({
        client,
        clock,
        random: Math.random,
        bundle: () => bundle,
        onWritten: (namespace, result) => written.push(`${namespace} ${result}`),
        onFailure: (namespace, error) => written.push(`${namespace} failed: ${String(error)}`),
        onError: (error) => written.push(String(error)),
      });
      const contentIn = async (namespace: string) => {
        const { body } = await kube.call("GET", `/api/v1/namespaces/${namespace}/configmaps/istio-ca-root-cert`);
        return [body["data"], (body["metadata"] as { labels?: object } | undefined)?.labels];
      };
      const labels = { "istio.io/config": "true" };
      const whole = async (namespace: string) => {
        const [data] = await contentIn(namespace);
        return JSON.stringify(data) === JSON.stringify({ "root-cert.pem": bundle });
      };
      publisher.start();
      for (const name of ["istio-system", "default", "kube-system"]) {
        await eventually(`the ConfigMap of ${name}`, () => whole(name), patience);
      }
      expect(await contentIn("default")).toEqual([{ "root-cert.pem": bundle }, labels]);
      expect(await contentIn("kube-system")).toEqual([{ "root-cert.pem": bundle }, labels]);
      await kube.call("POST", "/api/v1/namespaces", { metadata: { name: "later" } });
      await eventually("the ConfigMap of a new namespace", () => whole("later"), patience);
      const path = "/api/v1/namespaces/later/configmaps/istio-ca-root-cert";
      await kube.call("PATCH", path, { data: { "root-cert.pem": "edited" } }, "application/merge-patch+json");
      await eventually("an edit undone", () => written.includes("later updated") && whole("later"), patience);
      await kube.call("DELETE", path);
      await eventually("a ConfigMap made again", () => whole("later"), patience);
      bundle = "the second bundle";
      publisher.publish();
      await eventually(
        "new roots everywhere",
        async () => (await whole("later")) && (await whole("default")),
        patience,
      );
      await publisher.stop();
      expect(await contentIn("kube-public")).toEqual([undefined, undefined]);
      expect(written.filter((line) => line.includes("failed"))).toEqual([]);
    });
  });

  describe("refused objects", () => {
    testStoredRefusals(() => ({ ...world(), clock }));
  });
});
