/** Only our own script and style, no inline code, no frames, no other host. */
export const deskHeaders = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
} as const;

export const notStored = { "cache-control": "no-store" } as const;

/** Names of these files contain a hash of their content. */
export const storedForEver = { "cache-control": "public, max-age=31536000, immutable" } as const;
