/** A service of a tenant. Each edit has another address. */
export function tenantEntry(namespace: string, index: number, edit: number): string {
  const endpoints = [{ address: `10.${(edit >> 16) % 256}.${(edit >> 8) % 256}.${edit % 256}` }];
  const ports = [{ number: 80, name: "http", protocol: "HTTP" }];
  const spec = { hosts: [`service-${index}.${namespace}.example.com`], ports, resolution: "STATIC", endpoints };
  const metadata = { name: `service-${index}`, namespace };
  return JSON.stringify({ apiVersion: "networking.istio.io/v1", kind: "ServiceEntry", metadata, spec });
}
