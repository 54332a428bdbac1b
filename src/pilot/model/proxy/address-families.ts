/** The address families of some addresses, such as those of a proxy. */
export type AddressFamilies = "v4" | "v6" | "dual";

export function familiesOf(addresses: readonly string[]): AddressFamilies {
  const v6 = addresses.some((address) => address.includes(":"));
  const v4 = addresses.some((address) => !address.includes(":"));
  return v4 && v6 ? "dual" : v6 ? "v6" : "v4";
}

/** Tests whether a client with these families can use an address or a CIDR range. */
export function isOfFamilies(address: string, families: AddressFamilies): boolean {
  return families === "dual" || families === (address.includes(":") ? "v6" : "v4");
}
