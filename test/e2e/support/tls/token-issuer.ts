import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from "jose";
import { listenLocally } from "../../../../src/testing/server/listen-locally.ts";

/** The claims of a token. Default: a valid token of a service account. */
export interface TokenClaims {
  readonly namespace: string;
  readonly account: string;
  readonly audience?: string;
  readonly issuer?: string;
  /** Seconds from now. */
  readonly expires?: number;
}

/** An OIDC issuer whose keys are in a file, and at an address once it is opened. */
export class TokenIssuer implements Disposable {
  readonly #server = createServer((request, response) => this.#answer(request.url ?? "", response));
  url = "https://issuer.example";
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-issuer-"));
  readonly #keys: GenerateKeyPairResult;

  private constructor(keys: GenerateKeyPairResult) {
    this.#keys = keys;
  }

  static async create(): Promise<TokenIssuer> {
    const issuer = new TokenIssuer(await generateKeyPair("ES256"));
    const key = { ...(await exportJWK(issuer.#keys.publicKey)), kid: "one", alg: "ES256", use: "sig" };
    writeFileSync(issuer.keyFile, JSON.stringify({ keys: [key] }));
    return issuer;
  }

  /** Opens a real address that publishes the location of the keys. */
  async open(): Promise<void> {
    this.url = `http://127.0.0.1:${await listenLocally(this.#server)}`;
  }

  /** Closes the address. */
  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #answer(path: string, response: ServerResponse): void {
    const configuration = JSON.stringify({ issuer: this.url, jwks_uri: `${this.url}/keys` });
    const pages = new Map([
      ["/.well-known/openid-configuration", configuration],
      ["/keys", readFileSync(this.keyFile, "utf8")],
    ]);
    response.writeHead(pages.has(path) ? 200 : 404).end(pages.get(path));
  }

  get keyFile(): string {
    return join(this.#folder, "jwks.json");
  }

  /** The flags with which a server trusts this issuer. */
  get flags(): readonly string[] {
    return ["--jwt-issuer", this.url, "--jwt-jwks", this.keyFile];
  }

  async token({ namespace, account, audience = "istio-ca", issuer = this.url, expires = 600 }: TokenClaims) {
    return await new SignJWT()
      .setProtectedHeader({ alg: "ES256", kid: "one" })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(`system:serviceaccount:${namespace}:${account}`)
      .setExpirationTime(Math.floor(Date.now() / 1000) + expires)
      .sign(this.#keys.privateKey);
  }

  [Symbol.dispose](): void {
    this.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
