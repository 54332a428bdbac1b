import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { unobservedGalleys } from "../../src/app/mcp/remote-galleys.ts";
import { defaultOptions } from "../../src/app/options/options.ts";
import { systemClock } from "../../src/app/process/system-clock.ts";
import { etcdSource } from "../../src/app/sources/etcd.ts";
import { parseSourceUrl } from "../../src/app/sources/source-url.ts";
import { kinds } from "../../src/config/kinds.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { runCommand } from "../../src/testing/recording/run-command.ts";
import { SourceRecorder } from "../../src/testing/recording/source-recorder.ts";
import { serviceEntry } from "../conformance/source/source-trial.ts";
import { MeshDir } from "./support/mesh-dir.ts";
import { describeWith } from "./support/peers.ts";
import { EtcdCluster } from "./support/registry/etcd-cluster.ts";
import { TestAuthority } from "./support/tls/certificates.ts";

const describeWithEtcd = await describeWith("kube");
const user = { name: "mesh", password: "mesh-password", prefix: "/mesh/" };

describeWithEtcd("an etcd cluster of three members, with TLS and users", () => {
  let authority: TestAuthority;
  let cluster: EtcdCluster;
  let files: MeshDir;

  beforeAll(async () => {
    authority = await TestAuthority.create();
    cluster = await EtcdCluster.start(await authority.issueServer("etcd"), user);
    files = new MeshDir();
    writeFileSync(`${files.path}/password`, `${user.password}\n`);
  });

  afterAll(async () => {
    files[Symbol.dispose]();
    await cluster[Symbol.asyncDispose]();
    authority[Symbol.dispose]();
  });

  async function urlAs(name: string): Promise<string> {
    const { rootCertificates } = await authority.issueServer("client");
    const hosts = cluster.ports.map((port) => `127.0.0.1:${port}`).join();
    return `etcds://${hosts}/mesh?ca=${rootCertificates}&user=${name}&password-file=${files.path}/password&heartbeat=500ms`;
  }

  async function followed(name: string) {
    const tools = { kinds, clock: systemClock, options: defaultOptions(), galleys: unobservedGalleys() };
    const source = etcdSource(parseSourceUrl(await urlAs(name)), tools);
    const heard = new SourceRecorder();
    await source.start(heard.handler);
    return { source, heard };
  }

  test("stores and returns objects for authenticated clients", async () => {
    const store = ["--store", await urlAs(user.name)];
    const applied = await runCommand(["apply", "-f", "-", ...store], { input: serviceEntry("reviews") });
    expect(applied).toMatchObject({ code: 0, stdout: "ServiceEntry shop/reviews created" });
    const other = await runCommand(["get", "se", "--store", await urlAs("somebody")]);
    expect(other.code).toBe(1);
    expect(other.stderr).not.toContain(user.password);
  });

  test("is followed across the loss of its leader, without a missed or lost object", async () => {
    const { source, heard } = await followed(user.name);
    const names = Array.from({ length: 40 }, (_, index) => `service-${String(index).padStart(2, "0")}`);
    for (const [index, name] of names.entries()) {
      if (index === 20) await cluster.killLeader();
      await cluster.put(`/mesh/networking.istio.io/serviceentries/shop/${name}`, serviceEntry(name));
    }
    const all = ["reviews", ...names];
    await eventually("all objects", () => heard.names.length === all.length, { seconds: 30 });
    expect(heard.names).toEqual(all);
    expect(heard.events.filter(({ type }) => type === "deleted" || type === "reset")).toEqual([]);
    await source.stop();
  });

  test("rejects unknown clients, which report the reason", async () => {
    const { source, heard } = await followed("somebody");
    const reasons = () => heard.events.flatMap((event) => (event.type === "stale" ? event.reason : []));
    const told = () => reasons().find((reason) => reason.includes("authentication failed"));
    expect(await eventually("a reason", told, { seconds: 20 })).not.toContain(user.password);
    expect(heard.names).toEqual([]);
    await source.stop();
  });
});
