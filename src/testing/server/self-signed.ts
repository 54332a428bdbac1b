import { webcrypto } from "node:crypto";
import { onTestFinished } from "vitest";
// The certificate library asks for it, and for it to come first.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { TempTree } from "../temp-tree.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** The files of a certificate for 127.0.0.1 that signs itself, and its identity. The end of the test removes them. */
export async function selfSigned(uri = "spiffe://cluster.local/ns/shop/sa/default") {
  const files = await TempTree.create();
  onTestFinished(() => files.close());
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=Test",
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: "ip", value: "127.0.0.1" },
        { type: "url", value: uri },
      ]),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
  await files.write("own.crt", certificate.toString("pem"));
  await files.write("own.key", x509.PemConverter.encode(key, "PRIVATE KEY"));
  return { certificate: files.path("own.crt"), key: files.path("own.key") };
}
