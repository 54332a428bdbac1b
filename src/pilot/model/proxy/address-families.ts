/** The families of some addresses, such as those of a proxy. */
export type AddressFamilies = "v4" | "v6" | "dual";

export function familiesOf(addresses: readonly string[]): AddressFamilies {
  const v6 = addresses.some((address) => address.includes(":"));
  const v4 = addresses.some((address) => !address.includes(":"));
  return v4 && v6 ? "dual" : v6 ? "v6" : "v4";
}
