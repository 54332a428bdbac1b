import { generateKeyPairSync } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCommand } from "../../testing/recording/run-command.ts";
import { HostileHttp, type HttpAnswer, jsonAnswer } from "../../testing/server/hostile-http.ts";
import { passing, pageOf, rawClient, shopEntry, started, wiredServer } from "../../testing/server/wired-server.ts";
import { turns, until } from "../../testing/until.ts";
import { listenerType } from "../../xds/type-urls.ts";

const sidecar = { id: "sidecar~10.0.0.9~web-0.shop~shop.svc.cluster.local" };
const allowed = { jwksAllowHttp: true, jwksAllowLocal: true };

function keySetOf(...kids: readonly string[]) {
  const keys = kids.map((kid) => {
    const { publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    return { ...publicKey.export({ format: "jwk" }), kid };
  });
  return { keys };
}

async function issuerWith(answer: HttpAnswer): Promise<HostileHttp> {
  const issuer = await HostileHttp.start(answer);
  onTestFinished(() => issuer[Symbol.asyncDispose]());
  return issuer;
}

function policyOf(uri: string): string {
  return `
apiVersion: security.istio.io/v1
kind: RequestAuthentication
metadata: {name: tokens, namespace: shop}
spec: {jwtRules: [{issuer: one, jwksUri: "${uri}"}]}
`;
}

/** A server with a policy whose keys are at the URI, and the texts of a proxy's listeners. */
async function serving(uri: string, settings: Parameters<typeof wiredServer>[0] = allowed) {
  const server = wiredServer(settings);
  server.source.apply(shopEntry("reviews"));
  server.source.apply(policyOf(uri));
  await started(server);
  // On a busy machine the first attempt may take longer than the server waits for it, by its fake clock.
  await until(() => server.logger.lines.some(({ message }) => message.startsWith("key set")));
  await passing(server.clock, server.discovery.caughtUp());
  const proxy = rawClient(server.discovery);
  proxy.ask(listenerType, sidecar);
  await server.discovery.idle();
  const texts = () => {
    const { nonce = "", resources = [] } = proxy.answers.at(-1) ?? {};
    proxy.answer(listenerType, nonce);
    return Buffer.concat(resources.map(({ value }) => value)).toString("latin1");
  };
  const page = async () => JSON.parse((await pageOf(server, "/debug/jwks")).body) as unknown;
  /** The messages of the analysis about key sets. */
  const analysis = async () => {
    const { messages } = JSON.parse((await pageOf(server, "/debug/analysis")).body) as {
      readonly messages: readonly { readonly code: string }[];
    };
    return messages.filter(({ code }) => code === "BIN0006" || code === "BIN0007");
  };
  /** The codes of the problems in the description of the policy. */
  const described = async () => {
    const http = server.listeners.addresses.http;
    const args = ["describe", "RequestAuthentication", "tokens", "-n", "shop", "--server", http, "-o", "json"];
    const { stdout } = await runCommand(args);
    const { problems } = JSON.parse(stdout) as { readonly problems: readonly { readonly code: string }[] };
    return problems.map(({ code }) => code);
  };
  return { ...server, texts, page, analysis, described };
}

const report = (more: object) => [
  {
    policies: [{ object: "RequestAuthentication/shop/tokens", reference: expect.any(String) }],
    ...more,
  },
];

describe("a server with a RequestAuthentication", () => {
  test("admits proxies after the first attempt to fetch the key set", async () => {
    const asked = Promise.withResolvers<Parameters<HttpAnswer>[0]>();
    const issuer = await issuerWith((response) => asked.resolve(response));
    const server = wiredServer(allowed);
    server.source.apply(policyOf(`http://${issuer.address}/keys`));
    onTestFinished(() => passing(server.clock, server.lifecycle.stop()));
    const starting = server.lifecycle.start();
    const response = await asked.promise;
    // Enough time for the first push, and less than the longest wait for keys.
    for (let passed = 0; passed < 2_000; passed += 10) {
      server.clock.advance(10);
      await turns(1);
    }
    expect(server.discovery.ready).toBe(false);
    response.end(JSON.stringify(keySetOf("a")));
    await until(() => server.environment.fetchedKeySets.size === 1);
    await passing(server.clock, starting);
    expect(server.discovery.ready).toBe(true);
  });

  test("shows the key set without secrets of its URI", async () => {
    const issuer = await issuerWith(jsonAnswer(keySetOf("a")));
    const server = await serving(`http://${issuer.address}/keys?token=secret`);
    expect(await server.page()).toMatchObject(
      report({ place: `http://${issuer.address}/keys?…`, state: "fetched", keys: [{ kid: "a", kty: "EC" }] }),
    );
    expect(JSON.stringify([await server.page(), server.logger.lines])).not.toContain("secret");
  });

  test("sends a new key set after the refresh interval", async () => {
    const issuer = await issuerWith(jsonAnswer(keySetOf("a")));
    const server = await serving(`http://${issuer.address}/keys`);
    issuer.answer = jsonAnswer(keySetOf("a", "b"));
    server.clock.advance(22 * 60_000);
    await until(() => issuer.asked.length === 2);
    await until(() => {
      server.clock.advance(100);
      return server.texts().includes('"kid":"b"');
    });
    expect(server.texts()).toContain('"kid":"a"');
  });

  test("sends no key while the issuer cannot be reached, and says so", async () => {
    const issuer = await issuerWith((response) => response.writeHead(503).end());
    const server = await serving(`http://${issuer.address}/keys`);
    expect(server.texts()).toContain("keys-not-fetched.invalid");
    expect(await server.page()).toMatchObject(
      report({ state: "failing", error: `http://${issuer.address}/keys answered 503`, keys: [] }),
    );
    expect(server.logger.messages("error")).toEqual(["key set not fetched, its tokens are rejected"]);
    expect(await server.analysis()).toEqual([
      expect.objectContaining({
        code: "BIN0006",
        level: "Error",
        origin: "RequestAuthentication shop/tokens",
        message: `the keys from http://${issuer.address}/keys were never fetched, so proxies reject the tokens of this issuer: http://${issuer.address}/keys answered 503`,
      }),
    ]);
    expect(await server.described()).toEqual(["BIN0006"]);
  });

  test("keeps the last good key set when the issuer fails later", async () => {
    const issuer = await issuerWith(jsonAnswer(keySetOf("a")));
    const server = await serving(`http://${issuer.address}/keys`);
    issuer.answer = (response) => response.end("oops");
    server.clock.advance(22 * 60_000);
    await until(() => server.logger.messages("warn").includes("key set not fetched, the last good one stays in use"));
    expect(await server.page()).toMatchObject(report({ state: "stale", keys: [{ kid: "a" }] }));
    expect(await server.analysis()).toMatchObject([{ code: "BIN0007", level: "Warning" }]);
    expect(await server.described()).toEqual(["BIN0007"]);
    expect(server.texts()).toContain('"kid":"a"');
  });

  test("fetches nothing from this machine unless a flag allows it", async () => {
    const issuer = await issuerWith(jsonAnswer(keySetOf("a")));
    const server = await serving(`http://${issuer.address}/keys`, {});
    expect(issuer.asked).toEqual([]);
    expect(await server.page()).toMatchObject(
      report({ state: "failing", error: expect.stringContaining("--jwks-allow-http") }),
    );
  });

  test("forgets the key set when the policy is deleted", async () => {
    const issuer = await issuerWith(jsonAnswer(keySetOf("a")));
    const server = await serving(`http://${issuer.address}/keys`);
    server.source.remove(policyOf("https://any.example"));
    await until(() => server.environment.fetchedKeySets.size === 0);
    expect(await server.page()).toEqual([]);
  });
});
