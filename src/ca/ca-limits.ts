/** Limits of a request for a certificate. */
export const caLimits = {
  csrBytes: {
    of: "A certificate request (CSR)",
    most: 16_384,
    unit: "bytes",
    why: "A request with the largest accepted RSA key has about 3 KB.",
  },
  waitingRequests: {
    of: "Certificate requests that wait for their signature, of all clients",
    most: 1_000,
    unit: "count",
    why: "A signature takes about a millisecond. More requests would wait longer than clients do.",
  },
  burst: {
    of: "Certificates for one identity at once",
    most: 1_000,
    unit: "count",
    why: "All replicas of a workload have one identity, and may start at the same time.",
  },
  perSecond: {
    of: "Further certificates for one identity per second",
    most: 100,
    unit: "count",
    why: "One workload must not take all the time of the authority.",
  },
  rsaBits: {
    of: "Bits of an RSA key",
    most: 8_192,
    unit: "count",
    why: "Longer keys make every handshake slow, and are no safer in practice.",
  },
} as const;
