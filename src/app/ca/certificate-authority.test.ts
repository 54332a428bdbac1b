import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { setImmediate as settled } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Authority, Roots } from "../../ca/roots.ts";
import { rotationTimes } from "../../ca/rotation.ts";
import { MeshError } from "../../lib/errors.ts";
import { Sealed } from "../../lib/sealed.ts";
import { madeIntermediate, madeRoot } from "../../testing/ca/made-authority.ts";
import { MemoryRootStore } from "../../testing/ca/memory-root-store.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { until } from "../../testing/until.ts";
import { CertificateAuthority } from "./certificate-authority.ts";

const times = rotationTimes(3_600_000, 60_000);
const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const names = [{ type: "uri", value: "spiffe://cluster.local/ns/shop/sa/reviews" }] as const;

async function rig({ stored }: { readonly stored?: Roots } = {}) {
  const clock = new FakeClock();
  const store = new MemoryRootStore();
  if (stored !== undefined) await store.replace(undefined, stored);
  const logger = new RecordingLogger();
  const rotations: string[] = [];
  const authority = new CertificateAuthority({
    store,
    createsRoots: stored === undefined,
    organization: () => "cluster.local",
    times,
    rootTtlMs: 1e12,
    onRotation: (cause) => rotations.push(cause),
    clock,
    timeOfDay: () => Date.now() + clock.now(),
    logger,
  });
  await authority.start();
  const sign = (ttlMs = 60_000) => authority.sign({ names, publicKey, ttlMs, csr: () => "" });
  /** Writes roots as another replica does, and resolves when ours has them. */
  const write = async (next: Roots) => {
    const written = await store.replace(store.stored?.revision, next);
    authority.keeper.refresh();
    await until(() => authority.keeper.roots === written.content);
    await settled();
  };
  return { clock, store, logger, rotations, authority, sign, write };
}

function steady(signing: Authority, trusted: readonly string[] = [signing.root]): Roots {
  return { phase: "steady", phaseSince: 0, signing, trusted };
}

test("a certificate comes with every certificate between it and the root", async () => {
  const root = await madeRoot("root");
  const upper = await madeIntermediate("upper", root);
  const lower = await madeIntermediate("lower", upper);
  const { sign } = await rig({ stored: steady(lower) });
  const chain = (await sign())?.certificates.map((pem) => new X509Certificate(pem)) ?? [];
  expect(chain.map(({ subject }) => subject)).toEqual([undefined, "O=lower", "O=upper"]);
  const issuers = [...chain.slice(1), new X509Certificate(root.certificate)];
  expect(chain.map((each, index) => each.verify(issuers[index]?.publicKey ?? publicKey))).toEqual([true, true, true]);
});

test("a listener that throws does not keep others from new roots", async () => {
  const { authority, logger } = await rig();
  const told: string[] = [];
  authority.onChange(() => told.push("first"));
  authority.onChange(() => {
    throw new Error("planted");
  });
  authority.onChange(() => told.push("last"));
  await authority.keeper.carryOut("rotate");
  expect(told).toEqual(["first", "last"]);
  expect(logger.messages("error")).toEqual(["change of the certificate authority not handled"]);
});

test("a listener that was cancelled hears nothing", async () => {
  const { authority } = await rig();
  const told: string[] = [];
  authority.onChange(() => told.push("kept"));
  authority.onChange(() => told.push("cancelled"))();
  await authority.keeper.carryOut("rotate");
  expect(told).toEqual(["kept"]);
});

test("listeners hear of other roots and of another chain, but not of a longer life of certificates", async () => {
  const [root, second] = await Promise.all([madeRoot("root"), madeRoot("second")]);
  const below = await madeIntermediate("below", root);
  const { authority, sign, write } = await rig({ stored: { ...steady(below), longestTtlMs: 60_000 } });
  let told = 0;
  authority.onChange(() => (told += 1));
  expect(await sign(120_000)).toBeDefined();
  expect([told, authority.active?.roots.longestTtlMs]).toEqual([0, 240_000]);
  await write(steady(below, [root.root, second.root]));
  expect([told, authority.trusted]).toEqual([1, [root.root, second.root]]);
  await write(steady(await madeIntermediate("other", root), [root.root, second.root]));
  expect(told).toBe(2);
});

test("roots that cannot be used leave the last good ones in use", async () => {
  const root = await madeRoot("root");
  const { sign, write, logger, authority } = await rig({ stored: steady(root) });
  await write(steady({ ...root, certificate: "broken", key: new Sealed("broken") }));
  expect(logger.messages("error")).toEqual(["roots of the certificate authority not read"]);
  const [leaf = ""] = (await sign())?.certificates ?? [];
  expect(new X509Certificate(leaf).verify(new X509Certificate(root.root).publicKey)).toBe(true);
  expect(authority.trusted).toEqual([root.root]);
});

test("nothing is signed while the store has not been readable for too long", async () => {
  const { clock, store, sign } = await rig();
  expect(await sign()).toBeDefined();
  store.failure = new MeshError("unavailable", "planted");
  clock.advance(times.lagMs - 1);
  await settled();
  expect(await sign()).toBeDefined();
  clock.advance(1);
  expect(await sign()).toBeUndefined();
});

test("a rotation by a command is counted and logged with its cause", async () => {
  const { authority, rotations, logger } = await rig();
  await authority.keeper.carryOut("rotate");
  expect(rotations).toEqual(["command"]);
  expect(logger.messages("info")).toContain("root rotation started");
});
