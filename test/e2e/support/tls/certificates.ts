import { randomBytes, webcrypto } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// The certificate library asks for it, and for it to come first.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const rsaAlgorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
const keyUsages: readonly webcrypto.KeyUsage[] = ["sign", "verify"];

/** The files a proxy with `SDS_MODE=files`, or a server, is pointed at. */
export interface IssuedFiles {
  readonly certificateChain: string;
  readonly privateKey: string;
  readonly rootCertificates: string;
}

/** When a certificate is valid: hours from now. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** A throw-away authority that issues certificates into a temporary folder. One name, one pair of files. */
export class TestAuthority implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "binnacle-certs-"));
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #root: x509.X509Certificate;
  /** Written once: an Envoy that reads it while it is written again would find it empty. */
  readonly #rootFile: string;
  readonly #issuer: readonly x509.Extension[];

  private constructor(keys: webcrypto.CryptoKeyPair, root: x509.X509Certificate, issuer: readonly x509.Extension[]) {
    this.#keys = keys;
    this.#root = root;
    this.#rootFile = this.#write("root.crt", root.toString("pem"));
    this.#issuer = issuer;
  }

  /** All have the same name. With ids of their keys, as authorities should have, they can be told apart all the same. */
  static async create({ keyIds = true } = {}): Promise<TestAuthority> {
    const keys = await makeKeys();
    const ids = keyIds ? [await x509.SubjectKeyIdentifierExtension.create(keys.publicKey)] : [];
    const issuer = keyIds ? [await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey)] : [];
    const root = await x509.X509CertificateGenerator.createSelfSigned({
      ...validity(),
      name: "CN=Test Root",
      keys,
      signingAlgorithm: algorithm,
      extensions: [new x509.BasicConstraintsExtension(true, 1, true), ...ids],
    });
    return new TestAuthority(keys, root, issuer);
  }

  /** A certificate for `spiffe://cluster.local/ns/NAMESPACE/sa/ACCOUNT`. */
  async issue(namespace: string, account: string): Promise<IssuedFiles> {
    const uri = `spiffe://cluster.local/ns/${namespace}/sa/${account}`;
    return await this.issueNames(account, [{ type: "url", value: uri }]);
  }

  /** A certificate for a server on loopback. */
  async issueServer(name: string): Promise<IssuedFiles> {
    return await this.issueNames(name, [{ type: "ip", value: "127.0.0.1" }]);
  }

  /** A certificate for a host name, of a server or of a client. */
  async issueHost(hostname: string): Promise<IssuedFiles> {
    return await this.issueNames(hostname, [{ type: "dns", value: hostname }]);
  }

  /** A certificate with these alternative names, valid for an hour unless told otherwise. */
  async issueNames(name: string, alternatives: readonly x509.JsonGeneralName[], period?: Period): Promise<IssuedFiles> {
    return await this.#issue(name, alternatives, await makeKeys(), period);
  }

  /** The same with an RSA key. All others are ECDSA. */
  async issueRsa(name: string, alternatives: readonly x509.JsonGeneralName[]): Promise<IssuedFiles> {
    const rsa = { ...rsaAlgorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
    return await this.#issue(name, alternatives, await webcrypto.subtle.generateKey(rsa, true, keyUsages));
  }

  /** The list of revoked certificates, in PEM. */
  async revoke(...revoked: readonly IssuedFiles[]): Promise<string> {
    const { notBefore: thisUpdate, notAfter: nextUpdate } = validity();
    const list = await x509.X509CrlGenerator.create({
      issuer: this.#root.subject,
      thisUpdate,
      nextUpdate,
      entries: revoked.map(({ certificateChain }) => ({
        serialNumber: new x509.X509Certificate(readFileSync(certificateChain, "utf8")).serialNumber,
        revocationDate: thisUpdate,
        // Envoy refuses an entry with an empty list of extensions.
        reason: x509.X509CrlReason.keyCompromise,
      })),
      extensions: [...this.#issuer],
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithm,
    });
    return x509.PemConverter.encode(list.rawData, "X509 CRL");
  }

  async #issue(
    name: string,
    alternatives: readonly x509.JsonGeneralName[],
    keys: webcrypto.CryptoKeyPair,
    period?: Period,
  ): Promise<IssuedFiles> {
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity(period),
      subject: `CN=${name}`,
      issuer: this.#root.subject,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [new x509.SubjectAlternativeNameExtension([...alternatives]), ...this.#issuer],
    });
    const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
    return {
      certificateChain: this.#write(`${name}.crt`, certificate.toString("pem")),
      privateKey: this.#write(`${name}.key`, x509.PemConverter.encode(key, "PRIVATE KEY")),
      rootCertificates: this.#rootFile,
    };
  }

  #write(name: string, text: string): string {
    const path = join(this.#folder, name);
    writeFileSync(path, text);
    return path;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, keyUsages);
}

function validity({ from, until }: Period = { from: -1, until: 1 }) {
  const hour = 3_600_000;
  return {
    serialNumber: randomBytes(8).toString("hex"),
    notBefore: new Date(Date.now() + from * hour),
    notAfter: new Date(Date.now() + until * hour),
  };
}
