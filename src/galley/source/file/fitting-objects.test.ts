import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { kinds } from "../../../config/kinds.ts";
import { FakeClock } from "../../../testing/fake-clock.ts";
import { SourceRecorder } from "../../../testing/recording/source-recorder.ts";
import { settle, TempTree } from "../../../testing/temp-tree.ts";
import { BoundedSource } from "../room/bounded-source.ts";
import { Ledger } from "../room/ledger.ts";
import { objectBytes } from "../room/object-bytes.ts";
import { Room } from "../room/room.ts";
import { createFileSource } from "./file-source.ts";
import type { ReloadingSource } from "./reloading-source.ts";

const ruleBytes = objectBytes({ kind: "DestinationRule", spec: {} });
const policies = "k8s/security.istio.io/v1beta1/authorizationpolicies";

function rule(name: string): string {
  return [
    "apiVersion: networking.istio.io/v1",
    "kind: DestinationRule",
    `metadata: { name: ${name}, namespace: shop }`,
    `spec: { host: ${name}.shop }`,
    "",
  ].join("\n");
}

function policy(name: string): string {
  return [
    "apiVersion: security.istio.io/v1",
    "kind: AuthorizationPolicy",
    `metadata: { name: ${name}, namespace: shop }`,
    "spec: {}",
    "",
  ].join("\n");
}

describe("a directory with room for three objects", () => {
  let tree: TempTree;
  let clock: FakeClock;
  let heard: SourceRecorder;
  let ledger: Ledger;
  let files: ReloadingSource;
  let source: BoundedSource;

  beforeEach(async () => {
    tree = await TempTree.create();
    clock = new FakeClock();
    heard = new SourceRecorder();
    const room = new Room({ objectBytes: 3 * ruleBytes, totalBytes: 6 * ruleBytes });
    ledger = new Ledger({ room, isEssential: (collection) => collection === policies });
    files = createFileSource({ directory: tree.path("mesh"), kinds, clock, ledger });
    source = new BoundedSource(files, { clock, ledger });
    await tree.write("mesh/a.yaml", `${rule("a")}---\n${rule("b")}`);
    await tree.write("mesh/b.yaml", `${rule("c")}---\n${rule("d")}---\n${rule("e")}`);
  });

  afterEach(async () => {
    await source.stop();
    await tree.close();
  });

  async function seen(): Promise<void> {
    await tree.noticed();
    await settle(files, clock);
  }

  test("keeps no more objects than fit, and no wrapper has to refuse one", async () => {
    await source.start(heard.handler);
    expect(heard.names).toEqual(["a", "b", "c"]);
    expect(ledger.leftOut).toBe(2);
    expect(ledger.refused).toBe(0);
  });

  test("reads a file with a policy although it is full", async () => {
    await tree.write("mesh/c.yaml", `${rule("f")}---\n${policy("deny")}`);
    await source.start(heard.handler);
    expect(heard.names).toEqual(["a", "b", "c", "deny"]);
    expect(ledger.leftOut).toBe(3);
  });

  test("takes in the rest when another file is removed, without a change of its own", async () => {
    await source.start(heard.handler);
    await tree.remove("mesh/a.yaml");
    await seen();
    for (let second = 0; second < 6; second += 1) {
      clock.advance(1_000);
      await source.idle();
      await seen();
    }
    expect(heard.names).toEqual(["c", "d", "e"]);
    expect(ledger.leftOut).toBe(0);
  });

  test("follows a change of a known object in a file of which a part was left out", async () => {
    await source.start(heard.handler);
    await tree.replace("mesh/b.yaml", `${rule("d")}---\n${rule("c").replace("c.shop", "new.shop")}---\n${rule("e")}`);
    await seen();
    expect(heard.names).toEqual(["a", "b", "c"]);
    expect(heard.config("k8s/networking.istio.io/v1alpha3/destinationrules", "shop/c")?.spec).toMatchObject({
      host: "new.shop",
    });
    expect(ledger.leftOut).toBe(2);
  });
});
