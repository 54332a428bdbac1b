import { exportJWK, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../../testing/fake-clock.ts";
import { RemoteKeys } from "./remote-keys.ts";

/** A fake issuer that can rotate keys and be down. It counts the fetches. */
class Issuer {
  readonly #keys = new Map<string, Awaited<ReturnType<typeof generateKeyPair>>>();
  asked = 0;
  down = false;
  answer: (() => Promise<unknown>) | undefined;

  async make(kid: string): Promise<void> {
    this.#keys.set(kid, await generateKeyPair("ES256"));
  }

  withdraw(kid: string): void {
    this.#keys.delete(kid);
  }

  async token(kid: string): Promise<string> {
    const key = this.#keys.get(kid)?.privateKey ?? (await generateKeyPair("ES256")).privateKey;
    return await new SignJWT({}).setProtectedHeader({ alg: "ES256", kid }).sign(key);
  }

  readonly fetch = async (): Promise<unknown> => {
    this.asked++;
    if (this.down) throw new Error("connection refused");
    if (this.answer !== undefined) return await this.answer();
    const keys = [...this.#keys].map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid }));
    return { keys: await Promise.all(keys) };
  };
}

async function issuerWith(...kids: readonly string[]) {
  const issuer = new Issuer();
  for (const kid of kids) await issuer.make(kid);
  const clock = new FakeClock();
  const errors: string[] = [];
  const keys = new RemoteKeys({ fetch: issuer.fetch, clock, onError: (error) => errors.push(String(error)) });
  const believes = async (token: string) => {
    const verified = jwtVerify(token, keys.keyFor);
    return await verified.then(
      () => true,
      () => false,
    );
  };
  return { issuer, clock, keys, errors, believes };
}

describe("the keys of an issuer", () => {
  test("are fetched once, and used for every token", async () => {
    const { issuer, keys, believes } = await issuerWith("one");
    await keys.start();
    expect(await believes(await issuer.token("one"))).toBe(true);
    expect(await believes(await issuer.token("one"))).toBe(true);
    expect(issuer.asked).toBe(1);
  });

  test("are fetched again for a new key id, and once for many tokens", async () => {
    const { issuer, clock, keys, believes } = await issuerWith("one");
    await keys.start();
    await issuer.make("two");
    const token = await issuer.token("two");
    clock.advance(30_000);
    expect(await Promise.all([believes(token), believes(token), believes(token)])).toEqual([true, true, true]);
    expect(issuer.asked).toBe(2);
  });

  test("are fetched at most every 30 s, whatever tokens clients send", async () => {
    const { issuer, clock, keys, believes } = await issuerWith("one");
    await keys.start();
    const forged = await issuer.token("nobody's");
    for (let tokens = 0; tokens < 10; tokens++) expect(await believes(forged)).toBe(false);
    expect(issuer.asked).toBe(1);
    clock.advance(30_000);
    for (let tokens = 0; tokens < 10; tokens++) expect(await believes(forged)).toBe(false);
    expect(issuer.asked).toBe(2);
  });

  test("stay in use while the issuer is down, and the error is reported", async () => {
    const { issuer, clock, keys, errors, believes } = await issuerWith("one");
    await keys.start();
    issuer.down = true;
    clock.advance(20 * 60_000);
    await keys.idle();
    expect(errors).toEqual(["Error: connection refused"]);
    expect(await believes(await issuer.token("one"))).toBe(true);
  });

  test("stay in use when the issuer returns an invalid answer", async () => {
    const { issuer, clock, keys, errors, believes } = await issuerWith("one");
    await keys.start();
    issuer.answer = async () => ({ error: "not today" });
    clock.advance(20 * 60_000);
    await keys.idle();
    expect(errors).toHaveLength(1);
    expect(await believes(await issuer.token("one"))).toBe(true);
  });

  test("that the issuer withdraws are used for twenty minutes at most", async () => {
    const { issuer, clock, keys, believes } = await issuerWith("one", "two");
    await keys.start();
    const token = await issuer.token("two");
    issuer.withdraw("two");
    clock.advance(20 * 60_000);
    await keys.idle();
    expect(await believes(token)).toBe(false);
    expect(await believes(await issuer.token("one"))).toBe(true);
  });

  test("an issuer that is down at the start is retried at intervals, and its keys are used later", async () => {
    const { issuer, clock, keys, errors, believes } = await issuerWith("one");
    issuer.down = true;
    await keys.start();
    const token = await issuer.token("one");
    expect(await believes(token)).toBe(false);
    expect(errors).toHaveLength(1);
    issuer.down = false;
    expect(await believes(token)).toBe(false);
    clock.advance(30_000);
    expect(await believes(token)).toBe(true);
  });

  test("are not fetched after stop", async () => {
    const { issuer, clock, keys } = await issuerWith("one");
    await keys.start();
    await keys.stop();
    clock.advance(60 * 60_000);
    expect(issuer.asked).toBe(1);
    expect(clock.pending).toBe(0);
  });
});
