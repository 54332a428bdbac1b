import { readFile } from "node:fs/promises";
import { createServer } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { limitsOf } from "../../lib/bounded/limit.ts";
import {
  dripping,
  endless,
  gzipBomb,
  HostileHttp,
  type HttpAnswer,
  jsonAnswer,
} from "../../testing/server/hostile-http.ts";
import { selfSigned } from "../../testing/server/self-signed.ts";
import type { FetchSettings } from "./fetch-document.ts";
import { fetchKeySet } from "./fetch-key-set.ts";
import { jwksLimits } from "./jwks-limits.ts";
import { listenLocally } from "../../testing/server/listen-locally.ts";

const noKeys = { keys: [] };

/** The rules of an operator who runs everything on one machine. */
const lenient: FetchSettings = {
  allowHttp: true,
  allowLocal: true,
  resolve: async () => ["127.0.0.1"],
  authorities: async () => [],
  limits: limitsOf(jwksLimits),
};

const strict: FetchSettings = { ...lenient, allowHttp: false, allowLocal: false };

async function issuer(answer: HttpAnswer = jsonAnswer(noKeys)): Promise<HostileHttp> {
  const server = await HostileHttp.start(answer);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

const from = (uri: string, settings: FetchSettings = lenient, withinMs = 5_000) =>
  fetchKeySet({ type: "uri", uri }, withinMs, settings);

const redirect =
  (location: string, status = 302): HttpAnswer =>
  (response) =>
    response.writeHead(status, { location }).end();

describe("a key set is fetched", () => {
  test("from its URI", async () => {
    const { address } = await issuer();
    expect((await from(`http://${address}/keys?of=all`)).text).toBe('{"keys":[]}');
  });

  test("over TLS, if the certificate has the name of the host", async () => {
    const files = await selfSigned();
    const [cert, key] = await Promise.all([readFile(files.certificate, "utf8"), readFile(files.key, "utf8")]);
    const server = createServer({ cert, key }, (_request, response) => response.end(JSON.stringify(noKeys)));
    const port = await listenLocally(server);
    onTestFinished(() => void server.close());
    const settings = { ...strict, allowLocal: true };
    await expect(from(`https://127.0.0.1:${port}/keys`, settings)).rejects.toThrow("self-signed certificate");
    const trusting = { ...settings, authorities: async () => [cert] };
    expect((await from(`https://127.0.0.1:${port}/keys`, trusting)).keys).toEqual([]);
    await expect(from(`https://issuer.example:${port}/keys`, trusting)).rejects.toThrow("does not match certificate");
  });

  test("from the URI in the issuer's configuration", async () => {
    const server = await issuer((response, request) => {
      const discovery = { issuer: `http://${server.address}/`, jwks_uri: `http://${server.address}/keys` };
      response.end(JSON.stringify(request.url === "/keys" ? noKeys : discovery));
    });
    const keySet = await fetchKeySet({ type: "discovery", issuer: `http://${server.address}` }, 5_000, lenient);
    expect(keySet.keys).toEqual([]);
    expect(server.asked).toEqual(["/.well-known/openid-configuration", "/keys"]);
  });

  test("after redirects within its host", async () => {
    const server = await issuer((response, request) => {
      if (request.url === "/new") return response.end(JSON.stringify(noKeys));
      return response.writeHead(301, { location: "/new" }).end();
    });
    expect((await from(`http://${server.address}/old`)).keys).toEqual([]);
  });
});

describe("a request for keys does not leave this process", () => {
  test.each([
    ["http://issuer.example/keys", "over https only, not over http; --jwks-allow-http allows http"],
    ["ftp://issuer.example/keys", "over https only, not over ftp"],
    ["file:///etc/passwd", "over https only, not over file"],
    ["https://user:secret@issuer.example/keys", "must not contain a user name or password"],
    ["https://169.254.169.254/latest/meta-data", "(link-local); --jwks-allow-local allows it"],
    ["https://127.0.0.1/keys", "(loopback); --jwks-allow-local allows it"],
    ["https://127.1/keys", "(loopback); --jwks-allow-local allows it"],
    ["https://2130706433/keys", "(loopback); --jwks-allow-local allows it"],
    ["https://017700000001/keys", "(loopback); --jwks-allow-local allows it"],
    ["https://0x7f.0.0.1/keys", "(loopback); --jwks-allow-local allows it"],
    ["https://0/keys", "(unspecified); --jwks-allow-local allows it"],
    ["https://①②⑦.0.0.1/keys", "(loopback); --jwks-allow-local allows it"],
    ["https://[::1]/keys", "(loopback); --jwks-allow-local allows it"],
    ["https://[::ffff:127.0.0.1]/keys", "(loopback); --jwks-allow-local allows it"],
    ["https://[::ffff:a9fe:a9fe]/keys", "(link-local); --jwks-allow-local allows it"],
    ["https://[fe80::1]/keys", "(link-local); --jwks-allow-local allows it"],
    ["https://[64:ff9b::7f00:1]/keys", "(loopback); --jwks-allow-local allows it"],
    ["https://local.issuer.example/keys", "(loopback); --jwks-allow-local allows it"],
  ])("to %s", async (uri, problem) => {
    await expect(from(uri, strict)).rejects.toThrow(problem);
  });

  test("to a name without addresses", async () => {
    await expect(from("https://issuer.example", { ...strict, resolve: async () => [] })).rejects.toThrow("no address");
  });

  test("to a forbidden URI of an issuer's configuration", async () => {
    const server = await issuer();
    // The issuer itself is allowed: only its configuration leads to a forbidden place.
    const base = `http://${server.address}`;
    const discovery = (jwks_uri: string) => {
      server.answer = jsonAnswer({ issuer: base, jwks_uri });
      return fetchKeySet({ type: "discovery", issuer: base }, 5_000, lenient);
    };
    await expect(discovery("ftp://issuer.example/keys")).rejects.toThrow("not over ftp");
    expect(server.asked).toEqual(["/.well-known/openid-configuration"]);
  });
});

describe("a fetch connects to the address that was checked", () => {
  test("although DNS would answer with another address the second time", async () => {
    const server = await issuer();
    const { port } = new URL(`http://${server.address}`);
    const answers = [["10.255.255.1", "127.0.0.1"], ["127.0.0.1"]];
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return answers.shift() ?? [];
    };
    const rebinding = { ...lenient, allowLocal: false, resolve };
    // Nothing answers at the checked address. The fetch must not fall back to loopback.
    await expect(from(`http://rebinding.example:${port}/keys`, rebinding, 300)).rejects.toThrow(
      /has not answered within 300 ms|cannot be reached/u,
    );
    expect(asked).toEqual(["rebinding.example"]);
    expect(server.asked).toEqual([]);
  });

  test("after a redirect, too", async () => {
    const asked: string[] = [];
    const server = await issuer((response, request) => {
      if (request.url === "/new") return response.end(JSON.stringify(noKeys));
      return response.writeHead(307, { location: "/new" }).end();
    });
    const { port } = new URL(`http://${server.address}`);
    const resolve = async (name: string) => {
      asked.push(name);
      return ["127.0.0.1"];
    };
    await from(`http://issuer.example:${port}/old`, { ...lenient, resolve });
    expect(asked).toEqual(["issuer.example"]);
  });
});

describe("a fetch ends without keys", () => {
  test("at a redirect to another host, and asks that host nothing", async () => {
    const other = await issuer();
    const { address } = await issuer(redirect(`http://${other.address}/keys`));
    await expect(from(`http://${address}/keys`)).rejects.toThrow(
      `redirects to http://${other.address}, which is another host`,
    );
    expect(other.asked).toEqual([]);
  });

  test.each([
    "http://169.254.169.254/keys",
    "https://issuer.example/keys",
    "//issuer.example/keys",
    "file:///etc/passwd",
  ])("at a redirect to %s", async (location) => {
    const { address } = await issuer(redirect(location));
    await expect(from(`http://${address}/keys`)).rejects.toThrow("which is another host");
  });

  test("after three redirects in its host", async () => {
    const server = await issuer(redirect("/again"));
    await expect(from(`http://${server.address}/keys`)).rejects.toThrow("exceeds the limit of 3 redirects: 4 came");
    expect(server.asked).toHaveLength(4);
  });

  test("when the answer is too large, before it ends", async () => {
    const server = await issuer(endless("[1],"));
    await expect(from(`http://${server.address}/keys`)).rejects.toThrow("exceeds the limit of 1048576 bytes");
  });

  test("when the answer has too many values", async () => {
    const { address } = await issuer(jsonAnswer({ keys: Array.from({ length: 20_000 }, () => 1) }));
    await expect(from(`http://${address}/keys`)).rejects.toThrow("exceeds the limit of 20000 values");
  });

  test("when the answer is compressed, before it is decompressed", async () => {
    const { address } = await issuer(gzipBomb(64 << 20));
    await expect(from(`http://${address}/keys`)).rejects.toThrow("sent a compressed answer without being asked");
  });

  test("when the body comes too slowly", async () => {
    const { address } = await issuer(dripping(10));
    await expect(from(`http://${address}/keys`, lenient, 200)).rejects.toThrow("has not answered within 200 ms");
  });

  test("when the name lookup takes too long", async () => {
    const settings = { ...lenient, resolve: () => new Promise<never>(() => undefined) };
    await expect(from("http://issuer.example/keys", settings, 50)).rejects.toThrow("has not answered within 50 ms");
  });

  test("when the issuer answers with an error, or with no key set", async () => {
    const server = await issuer((response) => response.writeHead(503).end());
    await expect(from(`http://${server.address}/keys?token=secret`)).rejects.toThrow(
      `http://${server.address}/keys?… answered 503`,
    );
    server.answer = (response) => response.end("<html>");
    await expect(from(`http://${server.address}/keys`)).rejects.toThrow("no JSON");
    server.answer = jsonAnswer([]);
    await expect(from(`http://${server.address}/keys`)).rejects.toThrow("not a JSON Web Key Set");
  });

  test("when the issuer's configuration speaks for another issuer, or has no URI", async () => {
    const server = await issuer(jsonAnswer({ issuer: "https://other.example", jwks_uri: "https://other.example" }));
    const discovery = () => fetchKeySet({ type: "discovery", issuer: `http://${server.address}` }, 5_000, lenient);
    await expect(discovery()).rejects.toThrow("speaks for another issuer");
    server.answer = jsonAnswer({ issuer: `http://${server.address}` });
    await expect(discovery()).rejects.toThrow("does not say where the keys are");
  });

  test("when the issuer is not a URL", async () => {
    await expect(fetchKeySet({ type: "discovery", issuer: "issuer-two" }, 5_000, lenient)).rejects.toThrow(
      "is not a URL",
    );
  });
});
