import { createPrivateKey, type KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import type { SignedChain, Signer, SigningRequest } from "../../ca/signer.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RecordingLogger } from "../../testing/recording/recording-logger.ts";
import { turns, until } from "../../testing/until.ts";
import type { IssuedTls } from "../../transport/tls/secure-server.ts";
import { ServerCertificate } from "./server-certificate.ts";

const ttlMs = 100_000;
const dayMs = 86_400_000;

/** A signer that numbers its certificates, and can refuse to sign. */
class NumberedSigner implements Signer {
  readonly requests: SigningRequest[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #now: () => number;
  trusted: readonly string[] = ["root 1"];
  refuses = false;

  constructor(now: () => number) {
    this.#now = now;
  }

  async sign(request: SigningRequest): Promise<SignedChain | undefined> {
    if (this.refuses) return undefined;
    this.requests.push(request);
    const certificates = [`certificate ${this.requests.length};`, "intermediate;"];
    return { certificates, notAfter: this.#now() + request.ttlMs };
  }

  onChange(listener: () => void) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(): void {
    for (const listener of this.#listeners) listener();
  }
}

function rig({ names = ["istiod.istio-system.svc"], random = 0, life = ttlMs } = {}) {
  const clock = new FakeClock();
  const signer = new NumberedSigner(() => clock.now());
  const logger = new RecordingLogger();
  const used: IssuedTls[] = [];
  let attempts = 0;
  const server = new ServerCertificate({
    signer,
    names: () => {
      attempts += 1;
      return names;
    },
    makeCsr: async (wanted) => `request for ${wanted.map(({ value }) => value).join()}`,
    ttlMs: life,
    clock,
    timeOfDay: () => clock.now(),
    random: () => random,
    logger,
  });
  const start = () => server.start((issued) => used.push(issued));
  const done = () => used.length + logger.messages("error").length;
  /** Lets time pass. Resolves when all renewals so far have ended: this many, the first one included. */
  const pass = async (ms: number, count: number) => {
    clock.advance(ms);
    await turns(3);
    expect(attempts).toBe(count);
    await until(() => done() === count);
  };
  return { clock, signer, logger, used, server, start, pass };
}

test("the first certificate has the names of the server, its chain, and a key of its own", async () => {
  const names = ["istiod.istio-system.svc", "127.0.0.1", "::1"];
  const { signer, used, server, start } = rig({ names });
  await start();
  expect(signer.requests.map((request) => request.names)).toEqual([
    [
      { type: "dns", value: "istiod.istio-system.svc" },
      { type: "ip", value: "127.0.0.1" },
      { type: "ip", value: "::1" },
    ],
  ]);
  expect(used[0]).toMatchObject({ pair: { cert: "certificate 1;intermediate;" }, authorities: ["root 1"] });
  const key = createPrivateKey(used[0]?.pair?.key ?? "");
  expect(publicText(signer.requests[0]?.publicKey)).toBe(publicText(key));
  expect(server.shown).toBe("certificate 1;");
});

function publicText(key: KeyObject | undefined): unknown {
  const { x, y } = key?.export({ format: "jwk" }) ?? {};
  return `${x} ${y}`;
}

test.each([
  [0, 60_000],
  [1, 70_000],
])("with the random number %i a certificate of 100 s is renewed after %i ms", async (random, dueMs) => {
  const { signer, start, pass } = rig({ random });
  await start();
  await pass(dueMs - 1, 1);
  await pass(1, 2);
  await pass(dueMs, 3);
  expect(new Set(signer.requests.map(({ publicKey }) => publicText(publicKey))).size).toBe(3);
});

test("a certificate that lives for years is renewed after 20 days: timers cannot wait longer", async () => {
  const { server, start, pass } = rig({ life: 3_650 * dayMs });
  await start();
  await pass(20 * dayMs - 1, 1);
  await pass(1, 2);
  expect(server.shown).toBe("certificate 2;");
});

test("new roots are used at once, with a new certificate", async () => {
  const { signer, used, clock, start, pass } = rig();
  await start();
  signer.trusted = ["root 1", "root 2"];
  signer.change();
  await pass(0, 2);
  expect(used[1]).toMatchObject({ pair: { cert: "certificate 2;intermediate;" }, authorities: ["root 1", "root 2"] });
  expect(clock.pending).toBe(1);
});

test("roots that change during the first signature are used, and one timer is left", async () => {
  const { signer, used, clock, start, pass } = rig();
  const starting = start();
  signer.trusted = ["root 2"];
  signer.change();
  signer.change();
  await starting;
  // Each change is one more certificate, and the second waits for the key of the first.
  await until(() => used.length === 3);
  await pass(0, 3);
  expect([used.at(-1)?.authorities, clock.pending]).toEqual([["root 2"], 1]);
});

test("a failed renewal keeps the certificate, and is tried again every five seconds", async () => {
  const { signer, logger, server, start, pass } = rig();
  await start();
  signer.refuses = true;
  await pass(60_000, 2);
  await pass(5_000, 3);
  expect(logger.messages("error")).toEqual(["server certificate not renewed", "server certificate not renewed"]);
  expect(server.shown).toBe("certificate 1;");
  signer.refuses = false;
  await pass(4_999, 3);
  await pass(1, 4);
  expect(server.shown).toBe("certificate 2;");
});

test("a server with a certificate from files gets the roots only", async () => {
  const { signer, used, clock, start, pass } = rig({ names: [] });
  await start();
  expect(used).toEqual([{ authorities: ["root 1"] }]);
  signer.trusted = ["root 2"];
  signer.change();
  await pass(0, 2);
  expect([used[1], signer.requests, clock.pending]).toEqual([{ authorities: ["root 2"] }, [], 0]);
});

test("an authority that cannot sign stops the start", async () => {
  const { signer, logger, start } = rig();
  signer.refuses = true;
  await expect(start()).rejects.toThrow("the certificate authority cannot sign now");
  signer.change();
  await turns(3);
  expect(logger.messages("error")).toEqual([]);
});

test("a renewal that has not begun is given up by the stop", async () => {
  const { signer, server, start } = rig();
  await start();
  signer.change();
  await server.stop();
  await turns(3);
  expect(signer.requests).toHaveLength(1);
});

test("nothing is renewed after the stop", async () => {
  const { clock, signer, server, start, pass } = rig();
  await start();
  await server.stop();
  signer.change();
  await pass(ttlMs, 1);
  expect([signer.requests.length, clock.pending]).toEqual([1, 0]);
});
