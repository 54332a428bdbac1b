import { describe, expect, test } from "vitest";
import { encodeLine } from "../history/log-line.ts";
import { pairs } from "../testing/config/fake-certificates.ts";
import { smallShop } from "../testing/mesh/small-shop.ts";
import { RecordedShop, recordedShop, withChangedRoute, withSteps } from "../testing/recording/recorded-shop.ts";
import { recordingIn, replayed } from "../testing/recording/replayed.ts";
import { secretType } from "../xds/type-urls.ts";

const same = { differences: 0, first: undefined, failures: [] };

/** Drops the events of the edit. */
function withoutEdit(json: string): string {
  return json.includes('"timeout":"3s"') ? json.replace(/"events":\[.*\]\}/u, '"events":[]}') : json;
}

/** Empties every request. */
function withoutRequests(json: string): string {
  return json.replace(/"type":"request","stream":1,"bytes":"[^"]*"/u, '"type":"request","stream":1,"bytes":""');
}

describe("a replay", () => {
  test("sends what was sent", async () => {
    const text = await recordedShop();
    expect(recordingIn(text)).toMatchObject({ unrecorded: [], end: "the server stopped" });
    expect(await replayed(text)).toMatchObject({ responses: 5, ...same });
  });

  test("of another input names the proxy, the resource and the field of the first difference", async () => {
    const { differences, first } = await replayed(withChangedRoute(await recordedShop()));
    expect(differences).toBe(1);
    expect(first).toMatchObject({ proxy: expect.stringContaining("web-0.shop"), resource: "9080" });
    // The first route of the first virtual host.
    expect(first?.fields).toEqual(["2:0.3:0"]);
  });

  test("without an event finds that a response is missing", async () => {
    const report = await replayed(withSteps(await recordedShop(), withoutEdit));
    expect(report.first?.what).toBe("response 5 of RouteConfiguration is missing");
  });

  test("without the bytes of requests finds that the first response is missing", async () => {
    expect((await replayed(withSteps(await recordedShop(), withoutRequests))).first?.what).toMatch(
      /^recorded was response 1 of/u,
    );
  });

  test("of other settings finds a difference", async () => {
    const text = await recordedShop();
    const other = text.replace(/^.* recording (.*)$/mu, (_line, json: string) => {
      return encodeLine("recording", json.replace('"maxNodeBytes":262144', '"maxNodeBytes":1')).trimEnd();
    });
    expect((await replayed(other)).differences).toBeGreaterThan(0);
  });
});

describe("a recording that was cut off", () => {
  test("is replayed up to the cut, wherever that is", async () => {
    const text = await recordedShop();
    const head = text.indexOf("\n") + 1;
    const responses: number[] = [];
    for (let cut = head; cut < text.length; cut += 997) {
      const part = text.slice(0, cut);
      expect(recordingIn(part).end).toBeUndefined();
      const report = await replayed(part);
      expect(report).toMatchObject(same);
      responses.push(report.responses);
    }
    expect(responses).toEqual(responses.toSorted((a, b) => a - b));
    expect(responses[0]).toBe(0);
  });

  test("or damaged is replayed up to the damaged record", async () => {
    const text = await recordedShop();
    const middle = text.indexOf(' step {"number":9,');
    const damaged = `${text.slice(0, middle + 20)}#${text.slice(middle + 21)}`;
    expect(recordingIn(damaged)).toMatchObject({ steps: { length: 8 }, end: undefined });
    expect(await replayed(damaged)).toMatchObject({ steps: 8, ...same });
  });
});

const gateway = `apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: tls, namespace: shop}
spec:
  selector: {app: gw}
  servers:
  - port: {number: 8443, name: https, protocol: HTTPS}
    hosts: [shop.example.com]
    tls: {mode: SIMPLE, credentialName: edge}
`;

function edgeSecret({ certificate, key }: (typeof pairs)["one"]): string {
  const stringData = { "tls.crt": certificate, "tls.key": key };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "edge", namespace: "shop" },
    stringData,
  });
}

describe("secrets", () => {
  const password = "pl4nted-passphrase";
  const token = `eyJhbGciOiJub25lIn0.${Buffer.from(`{"sub":"${password}"}`).toString("base64url")}.c2lnbmF0dXJl`;

  test("are not in a recording, and the replay sends them when the server did", async () => {
    const shop = new RecordedShop({ allowPlaintextSecrets: true });
    shop.source.apply([gateway, smallShop.split("---").at(-1), edgeSecret(pairs.one)].join("\n---\n"));
    await shop.start();
    const router = shop.connect("sotw", {
      nodeId: "router~10.0.0.9~gw-0.shop~shop.svc.cluster.local",
      metadata: { CLUSTER_ID: "Kubernetes", LABELS: { app: "gw" }, access_token: password, note: token },
      asksForAll: true,
    });
    await shop.settle(router);
    expect(router.names(secretType)).toHaveLength(1);
    shop.source.apply(edgeSecret(pairs.two));
    await shop.settle(router);
    const keys = [pairs.one.key, pairs.two.key].flatMap((pem) =>
      pem.split("\n").filter((line) => !line.startsWith("-")),
    );
    const requests = [...shop.text.matchAll(/"bytes":"([^"]+)"/gu)].map(([, bytes = ""]) =>
      Buffer.from(bytes, "base64"),
    );
    const searched = [shop.text, ...requests.map((bytes) => bytes.toString("latin1"))].join("\n");
    for (const planted of [password, token, ...keys.filter((line) => line !== "")]) {
      const forms = [
        planted,
        Buffer.from(planted).toString("base64").replace(/=+$/u, ""),
        Buffer.from(planted).toString("hex"),
      ];
      expect(forms.filter((form) => searched.includes(form))).toEqual([]);
    }
    const report = await replayed(shop.text);
    expect(report).toMatchObject({ secrets: 2, ...same });
    expect(report.redacted).toEqual(["Secret/shop/edge", "request of stream 1"]);
  });
});
