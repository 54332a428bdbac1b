// The certificate library asks for it, and for it to come first.
import "reflect-metadata";
import { Pkcs10CertificateRequest } from "@peculiar/x509";
import { readCsr } from "../../../src/ca/csr.ts";
import { framed } from "../../../src/testing/ca/hostile-csr.ts";
import { checkReason, promise } from "../oracle.ts";
import type { FuzzTarget } from "../target.ts";

/** Certificate requests in DER. Differential: another library verifies the signature of each request that we accept. */
export const target: FuzzTarget = {
  name: "csr",
  mode: "async",
  planted: {
    file: "src/ca/csr.ts",
    before: "  const problem = derProblem(der);",
    text: 'der.toString("latin1", 2)',
  },
  check: async (input) => {
    const result = await readCsr(framed(input.toString("base64")));
    if (result.type === "invalid") return checkReason(result.reason);
    const isVerified = await new Pkcs10CertificateRequest(input).verify();
    promise(isVerified, "the sender of an accepted request has the key");
  },
};
