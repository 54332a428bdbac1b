import { expect, onTestFinished, test } from "vitest";
import { openAuthority } from "../../ca/authority.ts";
import { Supervisor } from "../../lib/supervisor.ts";
import { madeIntermediate, madeRoot } from "../../testing/ca/made-authority.ts";
import { signingAuthority } from "../../testing/ca/signing.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { TempTree } from "../../testing/temp-tree.ts";
import { pluggedRootStore } from "./plugged-root-store.ts";

async function setUp() {
  const tree = await TempTree.create();
  onTestFinished(() => tree.close());
  const refused: string[] = [];
  const supervisor = new Supervisor({ clock: new FakeClock(), onFailure: () => undefined });
  const store = pluggedRootStore({
    directory: tree.directory,
    clock: supervisor.clockFor("test"),
    openWatch: () => ({ follow: async () => undefined, sweep: () => undefined, close: () => undefined }),
    check: openAuthority,
    onRefused: (error) => refused.push(String(error)),
  });
  return { tree, refused, store };
}

async function write(tree: TempTree, organization: string) {
  const { authority } = await signingAuthority({ organization });
  await tree.write("ca-cert.pem", authority.certificate);
  await tree.write("ca-key.pem", authority.key.reveal());
  await tree.write("root-cert.pem", authority.root);
  return authority;
}

test("the files of an operator are an authority, and a missing chain is empty", async () => {
  const { tree, store } = await setUp();
  const { certificate, root } = await write(tree, "first");
  const stored = await store.read();
  expect(stored?.content).toMatchObject({
    phase: "steady",
    signing: { certificate, chain: [], root },
    trusted: [root],
  });
});

test("a changed authority replaces the old one", async () => {
  const { tree, store } = await setUp();
  await write(tree, "first");
  const before = await store.read();
  const { certificate } = await write(tree, "second");
  const after = await store.read();
  expect(after?.content.signing.certificate).toBe(certificate);
  expect(after?.revision).not.toBe(before?.revision);
});

test("files that do not fit together keep the last good authority, and are reported once", async () => {
  const { tree, store, refused } = await setUp();
  await write(tree, "first");
  const before = await store.read();
  const { authority } = await signingAuthority();
  await tree.write("ca-key.pem", authority.key.reveal());
  expect(await store.read()).toBe(before);
  expect(await store.read()).toBe(before);
  expect(refused).toEqual([expect.stringContaining("the key is not the key of the certificate")]);
});

test("a directory without an authority is an error that names the file", async () => {
  const { store } = await setUp();
  await expect(store.read()).rejects.toThrow(/ca-cert\.pem cannot be read/u);
});

test("several roots are all trusted", async () => {
  const { tree, store } = await setUp();
  const { root } = await write(tree, "first");
  const other = (await signingAuthority({ organization: "other" })).authority.root;
  await tree.write("root-cert.pem", `${other}${root}`);
  const stored = await store.read();
  expect(stored?.content.trusted).toEqual([other, root]);
  expect(stored?.content.signing.root).toBe(root);
});

test("a chain that repeats the certificate and the root counts each once, from the bottom up", async () => {
  const { tree, store } = await setUp();
  const root = await madeRoot("root");
  const upper = await madeIntermediate("upper", root);
  const lower = await madeIntermediate("lower", upper);
  await tree.write("ca-cert.pem", lower.certificate);
  await tree.write("ca-key.pem", lower.key.reveal());
  await tree.write("cert-chain.pem", `${lower.certificate}${upper.certificate}${root.certificate}`);
  await tree.write("root-cert.pem", root.certificate);
  const stored = await store.read();
  expect(stored?.content.signing).toMatchObject({ certificate: lower.certificate, chain: [upper.certificate] });
  expect(openAuthority(stored?.content.signing ?? root).chain).toEqual([lower.certificate, upper.certificate]);
});
