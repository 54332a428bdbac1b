import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { fetchIssuerKeys, fetchJson } from "./fetch-keys.ts";

const keySet = { keys: [] };

/** A web server with these pages. A text value is a redirect target. */
async function site(pages: (origin: string) => Readonly<Record<string, object | string>>): Promise<string> {
  const server = createServer((request, response) => {
    const page = pages(origin)[request.url ?? ""];
    if (page === undefined) response.writeHead(404).end();
    else if (typeof page === "string") response.writeHead(302, { location: page }).end();
    else response.end(JSON.stringify(page));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    await server[Symbol.asyncDispose]();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return origin;
}

const configuration = "/.well-known/openid-configuration";

describe("keys from a URL", () => {
  test("are the body of the response", async () => {
    expect(await fetchJson(`${await site(() => ({ "/keys": keySet }))}/keys`)).toEqual(keySet);
  });

  test("are none after an error status, a redirect, or no response", async () => {
    const origin = await site((self) => ({ "/moved": `${self}/keys`, "/keys": keySet }));
    await expect(fetchJson(`${origin}/nothing`)).rejects.toThrow(`${origin}/nothing answered 404`);
    await expect(fetchJson(`${origin}/moved`)).rejects.toThrow(`${origin}/moved cannot be reached`);
    await expect(fetchJson("http://127.0.0.1:1/keys")).rejects.toThrow("http://127.0.0.1:1/keys cannot be reached");
  });
});

describe("keys of an issuer", () => {
  test("come from the URL in its configuration", async () => {
    const issuer = await site((self) => ({
      [configuration]: { issuer: self, jwks_uri: `${self}/keys` },
      "/keys": keySet,
    }));
    expect(await fetchIssuerKeys(issuer)).toEqual(keySet);
  });

  test("are found although the issuer's URL ends with a slash", async () => {
    const origin = await site((self) => ({
      [configuration]: { issuer: `${self}/`, jwks_uri: `${self}/keys` },
      "/keys": keySet,
    }));
    expect(await fetchIssuerKeys(`${origin}/`)).toEqual(keySet);
  });

  test("are none when the configuration names another issuer, or has no URL", async () => {
    const other = await site(() => ({ [configuration]: { issuer: "https://other.example" } }));
    await expect(fetchIssuerKeys(other)).rejects.toThrow(`speaks for another issuer than ${other}`);
    const silent = await site((self) => ({ [configuration]: { issuer: self } }));
    await expect(fetchIssuerKeys(silent)).rejects.toThrow("does not say where the keys are");
  });
});
