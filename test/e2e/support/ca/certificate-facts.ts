// The certificate library asks for it, and for it to come first.
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

/** The fields of a certificate in which two authorities can differ. Only its key, serial number and times are its own. */
export function certificateFacts(pem: string) {
  const certificate = new x509.X509Certificate(pem);
  const { issuer, subject, notBefore, notAfter, signatureAlgorithm, publicKey, serialNumber } = certificate;
  return {
    issuer,
    subject,
    /** Seconds since 1970. */
    notBefore: notBefore.getTime() / 1_000,
    lifeSeconds: (notAfter.getTime() - notBefore.getTime()) / 1_000,
    signature: JSON.stringify(signatureAlgorithm),
    key: publicKey.algorithm.name,
    /** A certificate has a positive number. Its first byte is zero if the next one is 128 or more. */
    serialBytes: Math.ceil(serialNumber.replace(/^(?:00)+/u, "").length / 2),
    extensions: certificate.extensions.map(({ type, critical, value }) => {
      return { type, critical, value: Buffer.from(value).toString("hex") };
    }),
  };
}
