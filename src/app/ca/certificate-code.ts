/** Loads the code that reads and builds certificates. A server without an authority never needs it. */
export async function loadCertificateCode() {
  const [authority, csr, leaf, selfSigned] = await Promise.all([
    import("../../ca/authority.ts"),
    import("../../ca/csr.ts"),
    import("../../ca/leaf.ts"),
    import("../../ca/self-signed.ts"),
  ]);
  return { ...authority, ...csr, ...leaf, ...selfSigned };
}

export type CertificateCode = Awaited<ReturnType<typeof loadCertificateCode>>;
