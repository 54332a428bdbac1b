/** Loads the code that reads and builds certificates. A server without an authority never needs it. */
export async function loadCertificateCode() {
  const [authority, csr, exactNames, leaf, request, selfSigned] = await Promise.all([
    import("../../ca/authority.ts"),
    import("../../ca/csr.ts"),
    import("../../ca/exact-names.ts"),
    import("../../ca/leaf.ts"),
    import("../../ca/make-csr.ts"),
    import("../../ca/self-signed.ts"),
  ]);
  return { ...authority, ...csr, ...exactNames, ...leaf, ...request, ...selfSigned };
}

export type CertificateCode = Awaited<ReturnType<typeof loadCertificateCode>>;
