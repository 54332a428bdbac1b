/** Certificates for tests, valid until 2126. The keys protect nothing. */
function pem(what: string, bytes: string): string {
  return `-----BEGIN ${what}-----\n${bytes.replace(/.{64}/gu, "$&\n")}\n-----END ${what}-----\n`;
}

const rootBytes = [
  "MIIBfjCCASWgAwIBAgIUUtNM0MqOHJGvIGrSiUCDaavzq0kwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJVGVzdCBSb290MCAXDTI2",
  "MTExNzEwNTgxOFoYDzIxMjYxMDI0MTA1ODE4WjAUMRIwEAYDVQQDDAlUZXN0IFJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC",
  "AARWxb25fzmu0AY8bUyHTX4QtNWdl0GzyvWWgrXSbivqGbXR4Ng5D3AAVXjD4Mgxz8PtWEGejudXA1JiUjA8HCqro1MwUTAdBgNV",
  "HQ4EFgQUaBk21yPiVTPeMQTqd0MiKKoEHAkwHwYDVR0jBBgwFoAUaBk21yPiVTPeMQTqd0MiKKoEHAkwDwYDVR0TAQH/BAUwAwEB",
  "/zAKBggqhkjOPQQDAgNHADBEAiA89ibqGmb17ukEF2PjyJO/ouE3cny3mgPFgKZqvklmewIgAfUSEHjUHyyyFoDW62F7nK28QMa9",
  "oJUnGnKX6NxuhCs=",
].join("");
const oneBytes = [
  "MIIBKjCB0QIUDObVLepNrot8y7qNg3JyyHN59hYwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJVGVzdCBSb290MCAXDTI2MTExNzEw",
  "NTgxOFoYDzIxMjYxMDI0MTA1ODE4WjAaMRgwFgYDVQQDDA9vbmUuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC",
  "AASSHrEgyfd/8+3CMGeZrmSBNSWy5o4FLeglspibRT2HXP9qQrsQNUwi7dvcyBs5WZUHFsbfdL3+v5rXKMvyPnvkMAoGCCqGSM49",
  "BAMCA0gAMEUCIADADWF1Be1IC8l9peyFztYMbMQXwmzbEQWXRlDrmwQTAiEAygIgeSz9vTzHZdy5leBghwYB7TS10KR90RA1z60E",
  "urE=",
].join("");
const twoBytes = [
  "MIIBKjCB0QIUDObVLepNrot8y7qNg3JyyHN59hcwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJVGVzdCBSb290MCAXDTI2MTExNzEw",
  "NTgxOFoYDzIxMjYxMDI0MTA1ODE4WjAaMRgwFgYDVQQDDA90d28uZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC",
  "AATaPoNGxJEHbnDxieMF3PoyNfPY+J1GS0FI9G5pXTWUjrIjoDzU7NMotgZp8TbGFvN3PX6UhWaZ9fi0OFl2X9yJMAoGCCqGSM49",
  "BAMCA0gAMEUCIQC2dyU0KPVNMwQbPF4Abrpm3FQbPeJdsGB+R6qvDATaKQIgFO3WyMkGvk2JR097ZSYpnjTy44Yuy9ahqJV16gRz",
  "jQs=",
].join("");
const oneKeyBytes = [
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRhE+NFCm7eTYNtZdHYNetJAlWjEryKFRys+1Cg6SSoWhRANCAASS",
  "HrEgyfd/8+3CMGeZrmSBNSWy5o4FLeglspibRT2HXP9qQrsQNUwi7dvcyBs5WZUHFsbfdL3+v5rXKMvyPnvk",
].join("");
const twoKeyBytes = [
  "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg2ivJOiB+C2IK+lCQEZM0mbVcGrZOOfN149E70lmVp9ehRANCAATa",
  "PoNGxJEHbnDxieMF3PoyNfPY+J1GS0FI9G5pXTWUjrIjoDzU7NMotgZp8TbGFvN3PX6UhWaZ9fi0OFl2X9yJ",
].join("");
const listBytes = [
  "MIGsMFUCAQEwCgYIKoZIzj0EAwIwFDESMBAGA1UEAwwJVGVzdCBSb290Fw0yNjExMTcxMDU4MThaGA8yMTI2MTAyNDEwNTgxOFqg",
  "DjAMMAoGA1UdFAQDAgEBMAoGCCqGSM49BAMCA0cAMEQCIE6p8eyOLKmi+mlfcQt0/T9kBVYYBEZPsK/ephf9RCRJAiAA6Kq2D+NQ",
  "96ZXzCt7uBZAx/m+Rx6vOcztHES+Q31sJQ==",
].join("");
const stapleBytes = [
  "MIIBPgoBAKCCATcwggEzBgkrBgEFBQcwAQEEggEkMIIBIDCBx6EWMBQxEjAQBgNVBAMMCVRlc3QgUm9vdBgPMjAyNjExMTcxMDU4",
  "MTlaMHcwdTBNMAkGBSsOAwIaBQAEFEEGi0B5QzLOLhS9xgudIbD4Z0b9BBRoGTbXI+JVM94xBOp3QyIoqgQcCQIUDObVLepNrot8",
  "y7qNg3JyyHN59haAABgPMjAyNjExMTcxMDU4MTlaoBEYDzIxMjYxMDI0MTA1ODE5WqEjMCEwHwYJKwYBBQUHMAECBBIEECj44C7E",
  "wITrUFn0IRoxicswCgYIKoZIzj0EAwIDSAAwRQIgOBmW4uX8r3OV2wrua2VrbPSPbetNzvHrZKdj0Rv3fGwCIQDbjdtSENOWCwAo",
  "eEgXM3+L23B8ykQHiCFFUAmshiKXtw==",
].join("");

export const rootCertificate = pem("CERTIFICATE", rootBytes);
/** Two pairs of one authority. */
export const pairs = {
  one: { certificate: pem("CERTIFICATE", oneBytes), key: pem("PRIVATE KEY", oneKeyBytes) },
  two: { certificate: pem("CERTIFICATE", twoBytes), key: pem("PRIVATE KEY", twoKeyBytes) },
} as const;
export const revocationList = pem("X509 CRL", listBytes);
/** DER in base64, for the first pair. */
export const ocspStaple = stapleBytes;
