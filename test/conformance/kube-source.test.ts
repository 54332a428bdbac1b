import { afterAll, beforeAll, describe } from "vitest";
import { Kube } from "../e2e/support/kube.ts";
import { openDefinition } from "../e2e/support/kube-objects.ts";
import { describeWith } from "../e2e/support/peers.ts";
import { describeSource } from "./describe-source.ts";
import { kubeSubject } from "./kube-subject.ts";

const describeWithKube = await describeWith("kube");

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
  });
});
