const publicKey = {
  kty: "EC",
  crv: "P-256",
  x: "W-sj5ltOAoYcBXInw68zieI4u1CqnC_U-wArYHhVB18",
  y: "QAEbQGeVoP94eyKyrmdPBPXKzTgOEPBupxmVP6tDZzQ",
};

/** A key set that Envoy accepts. Its text differs by the name of its key. */
export function keySetText(name: string): string {
  return JSON.stringify({ keys: [{ ...publicKey, kid: name }] });
}
