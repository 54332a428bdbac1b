import { afterAll, beforeAll } from "vitest";
import { openMember } from "../../src/app/etcd/open-etcd.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { kinds } from "../../src/config/kinds.ts";
import { createEtcdSource } from "../../src/galley/source/etcd/etcd-source.ts";
import { objectKey } from "../../src/galley/source/etcd/object-key.ts";
import { describeWith } from "../e2e/support/peers.ts";
import { Etcd } from "../e2e/support/registry/etcd.ts";
import { describeSource, type SourceSubject } from "./describe-source.ts";
import { writtenDocuments } from "./written-documents.ts";

const describeWithEtcd = await describeWith("kube");
const group = "networking.istio.io";

describeWithEtcd("the contract of sources", () => {
  let etcd: Etcd;
  let meshes = 0;

  beforeAll(async () => {
    etcd = await Etcd.start();
  });

  afterAll(() => etcd[Symbol.asyncDispose]());

  const etcdSubject = async (): Promise<SourceSubject> => {
    const prefix = `/mesh-${++meshes}`;
    const access = { hosts: [`127.0.0.1:${etcd.port}`], tls: undefined, login: undefined };
    const source = createEtcdSource({
      name: etcd.url(prefix),
      prefix,
      kinds,
      clock: systemClock,
      heartbeatMs: 5_000,
      members: access.hosts.map((host) => async () => openMember(access, host, prefix)),
    });
    const keyOf = (kind: string, namespace: string, name: string) => {
      const plural = kinds.find((row) => row.kind === kind && row.group === group)?.plural ?? `${kind.toLowerCase()}s`;
      return objectKey(prefix, { group, plural, namespace, name });
    };
    return {
      source,
      async put(yaml) {
        for (const { kind, namespace, name, text } of writtenDocuments(yaml)) {
          await etcd.client.put(keyOf(kind, namespace, name)).value(text);
        }
      },
      async remove(kind, namespace, name) {
        await etcd.client.delete().key(keyOf(kind, namespace, name));
      },
      idle: () => source.idle(),
      close: () => Promise.resolve(),
    };
  };

  describeSource("etcd", etcdSubject, { losesTrack: false });
});
