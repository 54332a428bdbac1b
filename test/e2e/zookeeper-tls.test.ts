import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { parseSourceUrl } from "../../src/app/sources/source-url.ts";
import { zooKeeperSource } from "../../src/app/sources/zookeeper.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { SourceRecorder } from "../../src/testing/recording/source-recorder.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { ZooKeeperEnsemble } from "./support/registry/zookeeper.ts";
import { providerPath, ZooKeeperWriter } from "./support/registry/zookeeper-writer.ts";
import { type IssuedFiles, TestAuthority } from "./support/tls/certificates.ts";

const describeWithZooKeeper = await describeWith("zookeeper");
const cart = "dubbo/aeraki-com-acme-cart";
const collection = "k8s/networking.istio.io/v1alpha3/serviceentries";

describeWithZooKeeper("a ZooKeeper with TLS", () => {
  const resources = new AsyncDisposableStack();
  let ensemble: ZooKeeperEnsemble;
  let writer: ZooKeeperWriter;
  let authority: TestAuthority;
  let client: IssuedFiles;

  beforeAll(async () => {
    authority = resources.use(await TestAuthority.create());
    ensemble = resources.use(await ZooKeeperEnsemble.start(1, await authority.issueServer("zookeeper")));
    writer = resources.use(await ZooKeeperWriter.connect(ensemble.addresses));
    client = await authority.issueHost("binnacle");
    await writer.register(`/dubbo${providerPath("com.acme.Cart", "10.0.0.1:20880")}`);
  });

  afterAll(() => resources.disposeAsync());

  /** A source that presents this certificate, and trusts this authority. */
  async function follow({ certificateChain, privateKey }: IssuedFiles, ca: string) {
    const files = `ca=${ca}&cert=${certificateChain}&key=${privateKey}`;
    const url = parseSourceUrl(`zookeepers://${ensemble.secureAddresses.join()}/dubbo?${files}`);
    const heard = new SourceRecorder();
    const source = zooKeeperSource(url, { clock: systemClock });
    await source.start(heard.handler);
    onTestFinished(() => source.stop());
    /** The addresses of the endpoints, once there are `count` of them. */
    const endpoints = (count: number) => {
      const shown = () => {
        const { endpoints: held = [] } = (heard.config(collection, cart)?.spec ?? {}) as Partial<ServiceEntry>;
        return held.length === count ? held.map(({ address }) => address) : undefined;
      };
      return eventually(`${count} endpoints`, shown, { seconds: 20 });
    };
    /** The reason why the source is stale, once it is. */
    const staleReason = () => heard.events.find((event) => event.type === "stale")?.reason;
    const stale = () => eventually("a stale source", staleReason, { seconds: 20 });
    return { endpoints, stale };
  }

  test("is followed with a certificate of its authority", async () => {
    const { endpoints } = await follow(client, client.rootCertificates);
    expect(await endpoints(1)).toEqual(["10.0.0.1"]);
    const second = `/dubbo${providerPath("com.acme.Cart", "10.0.0.2:20880")}`;
    await writer.register(second);
    expect(await endpoints(2)).toEqual(["10.0.0.1", "10.0.0.2"]);
    await writer.remove(second);
    expect(await endpoints(1)).toEqual(["10.0.0.1"]);
  });

  test("of another authority is not trusted, and the reason is reported", async () => {
    using other = await TestAuthority.create();
    const { rootCertificates } = await other.issueHost("binnacle");
    const { stale } = await follow(client, rootCertificates);
    expect(await stale()).toMatch(/^TLS with 127\.0\.0\.1:\d+ failed: .*(?:certificate|signature)/u);
  });

  test("accepts a renewed certificate, which is read for the next connection", async () => {
    using other = await TestAuthority.create();
    using folder = new MeshDir();
    const stranger = await other.issueHost("binnacle");
    const shown = { ...client, certificateChain: join(folder.path, "cert"), privateKey: join(folder.path, "key") };
    const present = ({ certificateChain, privateKey }: IssuedFiles) => {
      copyFileSync(certificateChain, shown.certificateChain);
      copyFileSync(privateKey, shown.privateKey);
    };
    present(stranger);
    const { endpoints, stale } = await follow(shown, client.rootCertificates);
    expect(await stale()).not.toBe("");
    present(client);
    expect(await endpoints(1)).toEqual(["10.0.0.1"]);
  });
});
