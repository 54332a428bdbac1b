import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { configKey } from "../../src/config/config.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { SourceRecorder } from "../../src/testing/recording/source-recorder.ts";
import { Kube } from "../e2e/support/kube/kube.ts";
import { openDefinition } from "../e2e/support/kube/kube-objects.ts";
import { describeWith } from "../e2e/support/peers.ts";
import { describeSource } from "./describe-source.ts";
import { kubeSource, kubeSubject, putEntry, removeEntry } from "./kube-subject.ts";

const describeWithKube = await describeWith("kube");

const patience = { seconds: 40 };

/** Servers of today, and those that do not send what there is at the start of a watch. */
const servers = {
  "a Kubernetes API server": [],
  "a Kubernetes API server that refuses watch-lists": ["--feature-gates=WatchList=false"],
};

describeWithKube("the contract of sources", () => {
  describe.each(Object.entries(servers))("%s", (name, flags) => {
    let kube: Kube;

    beforeAll(async () => {
      kube = await Kube.start({ flags });
      await kube.kubectl(["create", "namespace", "shop"]);
      await kube.define([openDefinition({ kind: "ServiceEntry", plural: "serviceentries" })]);
    }, 120_000);

    afterAll(() => kube[Symbol.asyncDispose]());

    describeSource(name, () => kubeSubject(kube), { losesTrack: false, asksByKind: true });

    test("reports objects of namespaces with the selected labels, and follows label changes", async () => {
      await kube.kubectl(["create", "namespace", "bank"]);
      for (const namespace of ["shop", "bank"]) await putEntry(kube, namespace);
      const heard = new SourceRecorder();
      const source = kubeSource(kube, { namespaceSelector: "mesh in (on, yes),!skipped" });
      const told = () => Array.from(heard.state.values(), configKey).filter((key) => key.endsWith("/accounts"));
      const tells = (...keys: readonly string[]) =>
        eventually(`told are ${keys.join()}`, () => told().toSorted().join() === keys.join() || undefined, patience);
      const label = (namespace: string, ...labels: readonly string[]) =>
        kube.kubectl(["label", "namespace", namespace, "--overwrite", ...labels]);
      try {
        await label("shop", "mesh=on");
        await source.start(heard.handler);
        await tells("shop/accounts");
        await label("bank", "mesh=yes");
        await tells("bank/accounts", "shop/accounts");
        await label("shop", "skipped=");
        await tells("bank/accounts");
      } finally {
        await source.stop();
        for (const namespace of ["shop", "bank"]) await removeEntry(kube, namespace);
      }
      expect(told()).toEqual(["bank/accounts"]);
    });
  });
});
