import { expect, test } from "vitest";
import { signedBy } from "../../src/admin/explain/signed-by.ts";
import type { PeerAt } from "../../src/explain/cluster/endpoint-peer.ts";
import { explain } from "../../src/explain/explain.ts";
import type { SimulatedRequest } from "../../src/explain/simulated-request.ts";
import { eventually } from "../../src/testing/eventually.ts";
import { get } from "./support/http.ts";
import { describeWith } from "./support/peers.ts";
import { shared } from "./support/shared.ts";
import { tcpAsk } from "./support/tcp.ts";
import { openHandshakes, serverAddress, serverIdentity } from "./support/tls/handshakes.ts";
import { httpText, type TlsCall, tlsAsk } from "./support/tls/tls.ts";

const describeWithEnvoy = await describeWith("envoy");

describeWithEnvoy("handshakes", () => {
  const world = shared(async (stack) => stack.use(await openHandshakes()));

  const peerAt: PeerAt = (address) => {
    if (address !== serverAddress) return { type: "workload", because: "it has no sidecar" };
    const facts = { name: "sidecar server", direction: "inbound", identity: serverIdentity } as const;
    return { type: "proxy", config: world().configs.server, ...facts };
  };

  /** A call as the client's sidecar makes it, and what explain says of it. */
  async function callOf({ host, port }: { readonly host: string; readonly port: number }) {
    const request = { port, host, path: "/", method: "GET", headers: {} };
    const { outcome } = explain(world().configs.client, request, { peerAt, signedBy });
    return { outcome, answer: await get(port, "/", { host }) };
  }

  test("of sidecars succeed and fail as explain says, for all rules and policies", async () => {
    const seen = new Map<string, number>();
    const said = new Map<string, number | undefined>();
    for (const call of world().calls) {
      const { outcome, answer } = await callOf(call);
      said.set(call.name, outcome.type === "forwarded" ? 200 : outcome.type === "refused" ? outcome.status : undefined);
      seen.set(call.name, answer.status);
    }
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(seen));
    // Both happen, or the comparison would prove little.
    expect(new Set(seen.values())).toEqual(new Set([200, 503]));
  });

  test("succeed only if the CA of the rule signed the server's certificate", async () => {
    const called = (name: string) => callOf(world().calls.find((call) => call.name === name) ?? { host: "", port: 0 });
    const own = await called("mutual-strict");
    expect([own.outcome.type, own.answer.status]).toEqual(["forwarded", 200]);
    const foreign = await called("mutual-foreign-strict");
    expect(foreign.outcome).toMatchObject({
      type: "refused",
      reason: expect.stringMatching(
        /the handshake fails: \S+server\.crt is not signed by an authority in \S+root\.crt/u,
      ),
    });
    expect(foreign.answer.status).toBe(503);
    const distrusted = await world().client.stats("cluster\\..*\\.ssl\\.fail_verify_error$");
    const clusters = Array.from(distrusted).flatMap(([stat, count]) => (count > 0 ? [stat.split(/\|+|\./u)[3]] : []));
    expect(clusters).toContain("mutual-foreign-strict");
    expect(clusters).not.toContain("mutual-strict");
  });

  test("at a gateway succeed and fail as explain says", async () => {
    const { ports, files, configs } = world();
    const base = { servername: "shop.example.com", trust: files.shop, anyName: true };
    const cases: readonly (readonly [string, number, Partial<TlsCall> | "plaintext"])[] = [
      ["a served host", ports.ending, {}],
      ["an unknown protocol", ports.ending, { alpn: ["x"] }],
      ["an unserved host", ports.ending, { servername: "other.example.com" }],
      ["plaintext", ports.ending, "plaintext"],
      ["no certificate", ports.ending, { servername: "pay.example.com" }],
      ["a certificate", ports.ending, { servername: "pay.example.com", client: files.client }],
      ["a passed-through host", ports.passing, { servername: "one.example.com" }],
      ["a host that is not passed through", ports.passing, { servername: "two.example.com" }],
    ];
    await eventually("the gateway serves", () => tlsAsk(ports.ending, httpText("shop.example.com"), base), {
      seconds: 30,
    });
    const said = new Map<string, boolean>();
    const seen = new Map<string, boolean>();
    for (const [title, port, call] of cases) {
      const plain = call === "plaintext";
      const { servername, alpn = ["http/1.1"], client } = { ...base, ...(plain ? {} : call) } as TlsCall;
      const shown = { sni: servername, alpn, clientCertificate: client !== undefined, protocol: "tls" } as const;
      const rest = { port, host: servername, path: "/", method: "GET", headers: {}, direction: "gateway" } as const;
      const request: SimulatedRequest = plain ? rest : { ...rest, ...shown };
      const { outcome } = explain(configs.gateway, request);
      said.set(title, outcome.type === "forwarded");
      const text = httpText(servername);
      const answer = plain ? tcpAsk({ port }, text) : tlsAsk(port, text, { ...base, ...call }).then(({ body }) => body);
      seen.set(
        title,
        await answer.then(
          (body) => /x-echo: app|^one$/u.test(body),
          () => false,
        ),
      );
    }
    expect(Object.fromEntries(said)).toEqual(Object.fromEntries(seen));
    expect(new Set(seen.values())).toEqual(new Set([true, false]));
  });
});
