import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../src/testing/eventually.ts";
import { serviceEntry } from "../conformance/source/source-trial.ts";
import { TcpProxy } from "./support/abuse/tcp-proxy.ts";
import { freePort } from "./support/free-port.ts";
import { describeWith } from "./support/peers.ts";
import { Etcd } from "./support/registry/etcd.ts";
import { FollowedEtcd } from "./support/registry/followed-etcd.ts";
import { atScale } from "./support/scale.ts";

const describeWithEtcd = await describeWith("kube");
const bound = { seconds: 20 };

describeWithEtcd("etcd as a source", () => {
  let etcd: Etcd;

  beforeAll(async () => {
    etcd = await Etcd.start();
  });

  afterAll(() => etcd[Symbol.asyncDispose]());

  async function put({ key }: { readonly key: string }, name: string, host?: string): Promise<void> {
    await etcd.client.put(key).value(serviceEntry(name, host));
  }

  /** A mesh that is followed, by way of a proxy if there is one, with these objects in it. */
  async function meshOf(names: readonly string[], proxy?: TcpProxy) {
    const mesh = await new FollowedEtcd(etcd, proxy && { ports: [proxy.port] }).start();
    for (const name of names) await put({ key: mesh.key(name) }, name);
    await mesh.source.idle();
    return mesh;
  }

  test("the changes of a transaction arrive together", async () => {
    await using mesh = await meshOf([]);
    const puts = ["reviews", "ratings", "details"].map((name) => ({
      request_put: { key: Buffer.from(mesh.key(name)), value: Buffer.from(serviceEntry(name)) },
    }));
    await etcd.client.kv.txn({ success: puts });
    await mesh.source.idle();
    expect(mesh.heard.calls.at(-1)?.map(({ type }) => type)).toEqual(["upserted", "upserted", "upserted"]);
  });

  test("an object with an expired lease disappears", async () => {
    await using mesh = await meshOf([]);
    const lease = etcd.client.lease(1, { autoKeepAlive: false });
    await lease.put(mesh.key("vm")).value(serviceEntry("vm"));
    await mesh.source.idle();
    expect(mesh.heard.names).toEqual(["vm"]);
    await eventually("its end", () => mesh.heard.names.length === 0, bound);
  });

  test("an object under the wrong key is an issue that names the key", async () => {
    await using mesh = await meshOf([]);
    await etcd.client.put(mesh.key("ratings")).value(serviceEntry("reviews"));
    await etcd.client.put(`${mesh.prefix}/notes`).value("not an object");
    await mesh.source.idle();
    expect(mesh.heard.names).toEqual([]);
    expect(mesh.heard.allIssues.map(({ code, place }) => [code, place?.file])).toEqual([
      ["wrong-key", mesh.key("ratings")],
      ["wrong-key", `${mesh.prefix}/notes`],
    ]);
  });

  test("a reconnect emits no unchanged object", async () => {
    await using proxy = await TcpProxy.start(etcd.port);
    await using mesh = await meshOf(["reviews", "ratings"], proxy);
    const before = mesh.heard.calls.length;
    proxy.cut();
    await mesh.becomes("stale");
    await etcd.client.delete().key(mesh.key("ratings"));
    await mesh.becomes("fresh");
    await mesh.source.idle();
    expect(mesh.saidSince(before)).toMatchObject([{ type: "deleted", key: "shop/ratings" }]);
    expect(mesh.hosts).toEqual({ reviews: "reviews.shop" });
  });

  test("after a compaction everything is read again, and only differences are emitted", async () => {
    await using proxy = await TcpProxy.start(etcd.port);
    await using mesh = await meshOf(["reviews", "ratings", "details"], proxy);
    const before = mesh.heard.calls.length;
    proxy.silence();
    await mesh.becomes("stale");
    await etcd.client.delete().key(mesh.key("ratings"));
    await put({ key: mesh.key("details") }, "details", "new.shop");
    await etcd.compact();
    proxy.heal();
    await mesh.becomes("fresh");
    expect(mesh.saidSince(before)).toMatchObject([
      { type: "upserted", config: { name: "details" } },
      { type: "deleted", key: "shop/ratings" },
    ]);
    expect(mesh.hosts).toEqual({ reviews: "reviews.shop", details: "new.shop" });
  });

  test("a half-open connection is detected", async () => {
    await using proxy = await TcpProxy.start(etcd.port);
    await using mesh = await meshOf([], proxy);
    proxy.silence();
    await mesh.becomes("stale");
    await put({ key: mesh.key("reviews") }, "reviews");
    proxy.heal();
    await mesh.becomes("fresh");
    expect(mesh.hosts).toEqual({ reviews: "reviews.shop" });
  });

  test("a suspended server makes the source stale, and it resumes at its revision", async () => {
    await using mesh = await meshOf(["reviews"]);
    const before = mesh.heard.calls.length;
    etcd.signal("SIGSTOP");
    await mesh.becomes("stale");
    etcd.signal("SIGCONT");
    await mesh.becomes("fresh");
    expect(mesh.saidSince(before)).toEqual([]);
    expect(mesh.hosts).toEqual({ reviews: "reviews.shop" });
  });

  test("a killed server is followed again after its restart", async () => {
    await using mesh = await meshOf(["reviews"]);
    const before = mesh.heard.calls.length;
    await etcd.kill();
    await mesh.becomes("stale");
    await etcd.restart();
    await mesh.becomes("fresh");
    expect(mesh.saidSince(before)).toEqual([]);
    await put({ key: mesh.key("ratings") }, "ratings");
    await mesh.source.idle();
    expect(mesh.heard.names).toEqual(["ratings", "reviews"]);
  });

  test("another store at the same address is read again, and missing objects are removed", async () => {
    await using mesh = await meshOf(["reviews", "ratings", "details"]);
    await etcd.kill();
    await mesh.becomes("stale");
    await etcd.replace();
    await put({ key: mesh.key("details") }, "details", "new.shop");
    await mesh.becomes("fresh");
    await mesh.source.idle();
    expect(mesh.hosts).toEqual({ details: "new.shop" });
  });

  test("unreachable members are skipped", async () => {
    await using mesh = new FollowedEtcd(etcd, { ports: [await freePort(), etcd.port, await freePort()] });
    await put({ key: mesh.key("reviews") }, "reviews");
    await mesh.start();
    await mesh.becomes("fresh");
    expect(mesh.hosts).toEqual({ reviews: "reviews.shop" });
  });

  test("the source waits for a store that is not running yet", async () => {
    await using mesh = new FollowedEtcd(etcd, { ports: [await freePort()] });
    await mesh.start();
    await mesh.becomes("stale");
    expect(mesh.saidSince(0)).toEqual([]);
  });

  test("a thousand objects are read in pages of one revision, emitted at once, and followed", async () => {
    const objects = atScale({ quick: 1_000, whole: 10_000 });
    await using mesh = new FollowedEtcd(etcd);
    const putOf = (index: number, host: string) => ({
      request_put: {
        key: Buffer.from(mesh.key(`service-${index}`)),
        value: Buffer.from(serviceEntry(`service-${index}`, host)),
      },
    });
    for (let start = 0; start < objects; start += 100) {
      const indices = Array.from({ length: Math.min(100, objects - start) }, (_, index) => start + index);
      await etcd.client.kv.txn({ success: indices.map((index) => putOf(index, "first.shop")) });
    }
    await mesh.start();
    expect(mesh.heard.calls.map(({ length }) => length)).toEqual([objects + mesh.source.collections.length]);
    for (let index = 0; index < objects; index += 10)
      await etcd.client.kv.txn({ success: [putOf(index, "last.shop")] });
    await etcd.compact();
    await mesh.source.idle();
    expect(Object.values(mesh.hosts).filter((host) => host === "last.shop")).toHaveLength(Math.ceil(objects / 10));
  });
});
