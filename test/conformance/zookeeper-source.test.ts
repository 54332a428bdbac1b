import { afterAll, beforeAll } from "vitest";
import type { ServiceEntry } from "#gen/istio/networking/v1alpha3/service_entry_pb.js";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { parseSourceUrl } from "../../src/app/sources/source-url.ts";
import { zooKeeperSource } from "../../src/app/sources/zookeeper.ts";
import type { Config } from "../../src/config/config.ts";
import { kinds } from "../../src/config/kinds.ts";
import { parseConfigs } from "../../src/config/parse/parse.ts";
import { describeWith } from "../e2e/support/peers.ts";
import { ZooKeeperEnsemble } from "../e2e/support/registry/zookeeper.ts";
import { ZooKeeperWriter } from "../e2e/support/registry/zookeeper-writer.ts";
import { describeSource, type SourceSubject } from "./describe-source.ts";

const describeWithZooKeeper = await describeWith("zookeeper");

/** How objects are written into a registry: `hostname` is undefined for one with a mistake in it. */
type Write = (folder: string, hostname: string | undefined) => Promise<void>;

describeWithZooKeeper("ZooKeeper", () => {
  const resources = new AsyncDisposableStack();
  let ensemble: ZooKeeperEnsemble;
  let writer: ZooKeeperWriter;
  let registries = 0;

  beforeAll(async () => {
    ensemble = resources.use(await ZooKeeperEnsemble.start());
    writer = resources.use(await ZooKeeperWriter.connect(ensemble.addresses));
  });

  afterAll(() => resources.disposeAsync());

  /** A registry of its own for each subject. */
  function subject(query: string, write: Write): Promise<SourceSubject> {
    const root = `/registry-${++registries}`;
    const url = parseSourceUrl(`zookeeper://${ensemble.addresses.join()}${root}?namespace=shop&delete=delete&${query}`);
    const source = zooKeeperSource(url, { clock: systemClock });
    return Promise.resolve({
      source,
      async put(yaml) {
        const { name, hostname } = readObject(yaml);
        await write(`${root}/${name}`, hostname);
      },
      remove: (_kind, _namespace, name) => writer.removeAll(`${root}/${name}`),
      hostnameOf: ({ spec }: Config) => (spec as ServiceEntry).endpoints[0]?.labels["host"],
      idle: () => (query.includes("polling") ? (source.reload?.() ?? source.idle()) : source.idle()),
      close: () => writer.removeAll(root),
    });
  }

  /** One provider, in place of those that were there. */
  const dubbo: Write = async (folder, hostname) => {
    const url = hostname === undefined ? "dubbo://nowhere" : `dubbo://10.0.0.7:20880/x?host=${hostname}`;
    const node = encodeURIComponent(url);
    await writer.make(`${folder}/providers/${node}`);
    for (const other of await writer.children(`${folder}/providers`)) {
      if (other !== node) await writer.remove(`${folder}/providers/${other}`);
    }
  };

  const curator: Write = async (folder, hostname) => {
    const instance = JSON.stringify({ address: "10.0.0.7", port: 8080, payload: { metadata: { host: hostname } } });
    await writer.make(`${folder}/1`, hostname === undefined ? "{ not JSON" : instance);
  };

  const registry = { losesTrack: false, registry: true };
  describeSource("a Dubbo registry", () => subject("naming=key", dubbo), registry);
  describeSource(
    "a Dubbo registry that is polled",
    () => subject("naming=key&mode=polling&refresh=1h", dubbo),
    registry,
  );
  describeSource("a registry of Curator's", () => subject("layout=curator", curator), registry);
  describeSource(
    "a Dubbo registry with a watch of each node",
    () => subject("naming=key&recursive=off", dubbo),
    registry,
  );
  describeSource(
    "a registry of Curator's with a watch of each node",
    () => subject("layout=curator&recursive=off", curator),
    registry,
  );
});

/** Its name, and its hostname unless it has a mistake in it. */
function readObject(yaml: string): { readonly name: string; readonly hostname: string | undefined } {
  const { configs } = parseConfigs({
    text: yaml,
    file: "test.yaml",
    source: "test",
    kinds,
    defaultNamespace: "default",
  });
  const name = /^ {2}name: (.*)$/mu.exec(yaml)?.[1] ?? "";
  return { name, hostname: (configs[0]?.spec as ServiceEntry | undefined)?.hosts[0] };
}
